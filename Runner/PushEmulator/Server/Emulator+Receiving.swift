import EventLoop
import Formats
import FoundationEssentials
import FunctionKit
import HTTP2

/// Answers requests of all connections: pushes as the services do, and all others as the control API.
extension Emulator {
  func connected(_ info: HTTP2ConnectionInfo, _ face: Face) {
    connections.add(info, face, at: now())
  }

  func disconnected(_ info: HTTP2ConnectionInfo, _ face: Face) {
    let refused = servers[face].flatMap { $0.assumeIsolated { $0.statistics(of: info) } }?.refusedStreams
    guard let connection = connections.remove(info, face, at: now()) else { return }
    connection.refusedStreams = refused ?? 0
    apns.tokens.updates.forget(connection: connection.number)
  }

  func receive(_ request: HTTP2Request, _ responder: HTTP2Responder, _ face: Face) {
    guard let connection = connections[responder.connection, face] else { return }
    connection.requests += 1
    connection.responder = responder
    connection.newestStream = max(connection.newestStream, responder.streamID)
    if face == .fcm, request.path == "/token" {
      receiveAssertion(request, responder, connection)
    } else if face == .fcm, FCM.isPath(request.path) {
      let now = now()
      conclude(fcm.judge(request, to: &phones, now: now), responder, connection, at: now)
    } else if face != .fcm, PushRequest.isPath(request.path) {
      let now = now()
      let judgement = apns.judge(PushRequest(request), on: connection, to: &phones, now: now)
      if judgement.provider != nil { allowStreams(connection, responder) }
      conclude(judgement, responder, connection, at: now)
    } else {
      receiveControl(request, responder, connection)
    }
  }

  private func receiveControl(_ request: HTTP2Request, _ responder: HTTP2Responder, _ connection: Connection) {
    do throws(BadRequest) {
      try access.check(
        authority: request.authority, origin: request.headers["origin"], fetchSite: request.headers["sec-fetch-site"])
      let question = try ControlRequest(method: request.method, path: request.path, body: request.body)
      allowStreams(connection, responder)
      let number = connection.number
      // It lives as long as the request may wait, at most a minute.
      Task { responder.respond(await answer(to: question, from: number)) }
    } catch {
      responder.respond(.refusal(error))
    }
  }

  private func receiveAssertion(_ request: HTTP2Request, _ responder: HTTP2Responder, _ connection: Connection) {
    let fault = phones.faults.effect(on: Fault.Target(service: .oauth, token: ""))
    let effect = fault?.effect ?? .accepted
    let response: HTTP2Response
    switch effect.answer {
    case .refused(let status, let reason, _, let retryAfter):
      response = .json(status, OAuth.Refusal(error: reason, description: reason).body, retryAfter: retryAfter)
    default: response = tokenResponse(request)
    }
    after(effect.delay) { [self] in
      if connection.isServing(responder.streamID) { send(effect.answer, response, responder, connection) }
    }
  }

  private func tokenResponse(_ request: HTTP2Request) -> HTTP2Response {
    guard request.method == "POST" else { return HTTP2Response(status: 405) }
    do throws(OAuth.Refusal) {
      return .json(200, try fcm.oauth.token(request.body, url: tokenURL, now: now()))
    } catch {
      return .json(error.error == "invalid_client" ? 401 : 400, error.body)
    }
  }

  var tokenURL: String { servers[.fcm].map { "https://\($0.endpoint)/token" } ?? "" }

  /// Answers a push when its time has come, and accepts it if its effect says so.
  private func conclude(_ push: Judgement, _ responder: HTTP2Responder, _ connection: Connection, at now: Date) {
    let effect = push.effect
    guard effect.delay != nil else {
      take(push, connection: connection, now: now)
      return send(effect.answer, response(push, connection), responder, connection)
    }
    if effect.takesFirst { take(push, connection: connection, now: now) }
    after(effect.delay) { [self] in
      guard connection.isServing(responder.streamID) else { return }
      if !effect.takesFirst { take(push, connection: connection, now: self.now()) }
      send(effect.answer, response(push, connection), responder, connection)
    }
  }

  private func after(_ delay: Int?, _ body: @escaping () -> Void) {
    guard let delay, delay > 0 else { return body() }
    loop.schedule(after: .milliseconds(delay), body)
  }

  private func send(
    _ answer: Answer, _ response: HTTP2Response, _ responder: HTTP2Responder, _ connection: Connection
  ) {
    switch answer {
    case .accepted, .refused: responder.respond(response)
    case .silence: break
    case .drop: responder.dropConnection()
    case .reset(let code): responder.reset(code: code)
    case .goAway(let goAway):
      if goAway.skip == 0 { responder.respond(response) }
      sendAway(connection, goAway, newest: responder.streamID)
    }
  }

  /// Announces a connection's end.
  ///
  /// - Parameter newest: the stream from which skipped ones are counted. A client's streams have every second number.
  func sendAway(_ connection: Connection, _ goAway: Answer.GoAway, newest: Int32) {
    let last = goAway.skip == 0 ? nil : max(0, newest - 2 * Int32(goAway.skip))
    connection.lastStream = min(connection.lastStream, last ?? connection.newestStream)
    connection.responder?.goAway(lastStreamID: last, code: goAway.code, debugData: goAway.data)
  }

  /// The answer of Apple or Google, with a field that marks it as the emulator's.
  private func response(_ push: Judgement, _ connection: Connection) -> HTTP2Response {
    var response = providerResponse(push, connection)
    response.headers.append(HTTP2Header("x-push-emulator", "1"))
    return response
  }

  private func providerResponse(_ push: Judgement, _ connection: Connection) -> HTTP2Response {
    let answer = push.effect.answer
    let status = answer.status ?? 200
    guard push.service == .apns else { return .json(status, push.body ?? [], retryAfter: answer.retryAfter) }
    var headers = [HTTP2Header("apns-id", push.id, indexing: .never)]
    if connection.face == .sandbox {
      headers.append(HTTP2Header("apns-unique-id", UUID().lowercased, indexing: .never))
    }
    if let seconds = answer.retryAfter { headers.append(HTTP2Header("retry-after", String(seconds))) }
    return HTTP2Response(status: status, headers: headers, body: answer.body)
  }

  private func allowStreams(_ connection: Connection, _ responder: HTTP2Responder) {
    guard !connection.isOpenToAll, connection.face != .fcm else { return }
    connection.isOpenToAll = true
    responder.setMaxConcurrentStreams(maxStreams)
  }
}

extension PushRequest {
  fileprivate init(_ request: HTTP2Request) {
    var headers = PushHeaders()
    for header in request.headers { headers.add(header.name, header.value) }
    self.init(method: request.method, path: request.path, headers: headers, body: request.body)
  }
}
