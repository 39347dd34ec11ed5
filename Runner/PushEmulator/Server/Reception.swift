import EventLoop
import FunctionKit
import HTTP2

/// Takes the requests of all connections: pushes as APNs does, all else as the control API.
///
/// A connection may have one stream until a request with a valid provider token has come by it, then 1,000.
actor Reception {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let emulator: Emulator
  private let access: ControlAccess
  private var openConnections: Set<UInt64> = []

  /// What every connection begins with.
  static var settings: HTTP2ServerSettings {
    var settings = HTTP2ServerSettings()
    settings.maxConcurrentStreams = 1
    return settings
  }

  private static let streamsAfterProof: UInt32 = 1_000

  init(emulator: Emulator, access: ControlAccess) {
    loop = emulator.loop
    self.emulator = emulator
    self.access = access
  }

  func receive(_ request: HTTP2Request, _ responder: HTTP2Responder) {
    if PushRequest.isPath(request.path) {
      receivePush(request, responder)
    } else {
      receiveControl(request, responder)
    }
  }

  func forget(_ connection: HTTP2ConnectionInfo) {
    openConnections.remove(connection.id)
  }

  private func receivePush(_ request: HTTP2Request, _ responder: HTTP2Responder) {
    var headers = PushHeaders()
    for header in request.headers { headers.add(header.name, header.value) }
    let push = PushRequest(method: request.method, path: request.path, headers: headers, body: request.body)
    let judgement = emulator.assumeIsolated { $0.take(push, connection: Int(responder.connection.id)) }
    if judgement.provider != nil { allowStreams(responder) }
    switch judgement.answer {
    case .accepted, .refused:
      let status = judgement.answer.status ?? 500
      let id = HTTP2Header("apns-id", judgement.id, indexing: .never)
      responder.respond(HTTP2Response(status: status, headers: [id], body: judgement.answer.body))
    case .silence: break
    case .drop: responder.dropConnection()
    }
  }

  private func receiveControl(_ request: HTTP2Request, _ responder: HTTP2Responder) {
    do throws(BadRequest) {
      try access.check(
        authority: request.authority, origin: request.headers["origin"], fetchSite: request.headers["sec-fetch-site"])
      let question = try ControlRequest(method: request.method, path: request.path, body: request.body)
      allowStreams(responder)
      // Lives as long as the question may wait, which is a minute at most.
      Task { responder.respond(await emulator.answer(to: question)) }
    } catch {
      responder.respond(.json(error.status, JSONText.object(["error": Array(RawJSON(error.sentence).bytes)])))
    }
  }

  private func allowStreams(_ responder: HTTP2Responder) {
    if openConnections.insert(responder.connection.id).inserted {
      responder.setMaxConcurrentStreams(Self.streamsAfterProof)
    }
  }
}
