import EventLoop
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import PushLive
import Synchronization
import TestSupport

/// An HTTP/2 server over TLS that grants access tokens and answers messages as a script says, and remembers both.
final class FCMFake: Sendable {
  typealias Script = @Sendable (_ message: Received, _ responder: HTTP2Responder) -> Void

  /// A request for a message as it arrived.
  struct Received: Sendable {
    let path: String
    let authorization: String?
    let body: RawJSON
    let connection: UInt64
    /// How many arrived before.
    let number: Int
    let loop: EventLoop

    var message: RawJSON { body["message"] ?? RawJSON(object: []) }
    var token: String { message["token"]?.stringValue ?? "" }
  }

  let environment: [String: String]
  let directory: TemporaryDirectory
  private let server: HTTP2Server
  private let received: Arrivals

  /// - Parameter grants: answers the request for an access token of this number; `token-0`, `token-1`, … unless given.
  init(
    grants: @escaping @Sendable (Int) -> HTTP2Response = { .grant("token-\($0)") }, script: @escaping Script
  ) async throws {
    let directory = try TemporaryDirectory()
    let loop = EventLoop(name: "fcm-fake")
    let received = Arrivals()
    server = try await HTTP2Server.fake(in: directory, loop: loop) { request, responder in
      if request.path == "/token" {
        responder.respond(grants(received.addGrant(String(decoding: request.body, as: UTF8.self))))
      } else {
        script(received.add(request, responder.connection.id, loop), responder)
      }
    }
    (self.received, self.directory) = (received, directory)
    let url = "https://127.0.0.1:\(server.endpoint.port)"
    try directory.write(TestServiceAccount.json(tokenURI: "\(url)/token"), to: "account.json")
    environment = [
      "FCM_SERVICE_ACCOUNT_PATH": "\(directory.path)/account.json", "FCM_URL": url,
      "FCM_CA_PATH": "\(directory.path)/ca.pem",
    ]
  }

  /// A fake that accepts everything.
  convenience init() async throws { try await self.init { $1.accept($0) } }

  /// Every message so far, in the order of arrival.
  var messages: [Received] { received.messages }
  /// The forms by which access tokens were asked for.
  var grants: [String] { received.grants }
  /// The connections that messages came by.
  var connections: Int { Set(messages.map(\.connection)).count }

  func setMaxConcurrentStreams(_ count: UInt32) async { await server.setMaxConcurrentStreams(count) }

  func stop() async { await server.stop(within: .zero) }

  var port: UInt16 { server.endpoint.port }

  var tokenURI: String { "https://127.0.0.1:\(server.endpoint.port)/token" }

  func sender(
    _ changes: [String: String] = [:], limits: FCMSender.Limits = .patient,
    now: (@Sendable () -> Date)? = nil, time: SenderTime = .machine
  ) throws -> FCMSender {
    let variables = environment.merging(changes) { $1 }
    guard let configuration = try FCMConfiguration(Environment(variables)) else {
      throw FunctionError(.failed, "None.")
    }
    return FCMSender(configuration, limits: limits, now: now ?? time.date, time: time)
  }

  func client(limits: FCMSender.Limits = FCMSender.Limits()) throws -> PushClient { .fcm(try sender(limits: limits)) }
}

/// The requests so far.
private final class Arrivals: Sendable {
  private let list = Mutex<(messages: [FCMFake.Received], grants: [String])>(([], []))

  var messages: [FCMFake.Received] { list.withLock(\.messages) }
  var grants: [String] { list.withLock(\.grants) }

  func addGrant(_ form: String) -> Int {
    list.withLock {
      $0.grants.append(form)
      return $0.grants.count - 1
    }
  }

  func add(_ request: HTTP2Request, _ connection: UInt64, _ loop: EventLoop) -> FCMFake.Received {
    list.withLock { list in
      let message = FCMFake.Received(
        path: request.path, authorization: request.headers["authorization"],
        body: (try? RawJSON(validating: request.body[...])) ?? RawJSON(object: []), connection: connection,
        number: list.messages.count, loop: loop)
      list.messages.append(message)
      return message
    }
  }
}

extension HTTP2Response {
  static func grant(_ token: String, expiresIn: Int = 3_600) -> HTTP2Response {
    HTTP2Response(
      status: 200, body: Array(#"{"access_token":"\#(token)","expires_in":\#(expiresIn),"token_type":"Bearer"}"#.utf8))
  }

  static func noGrant(_ status: Int, _ error: String) -> HTTP2Response {
    HTTP2Response(status: status, body: Array(#"{"error":"\#(error)","error_description":"Invalid JWT"}"#.utf8))
  }
}

extension HTTP2Responder {
  /// Takes a message as FCM does.
  func accept(_ message: FCMFake.Received) {
    respond(
      HTTP2Response(
        status: 200, body: Array(#"{"name":"projects/test-project/messages/0:\#(message.number)%31"}"#.utf8)))
  }

  /// Refuses a message as FCM does: with an `FcmError`, or with a `BadRequest` that blames a field.
  func refuse(
    _ status: Int, _ code: String? = nil, rpc: String = "STATUS", blames field: String? = nil, after: Int? = nil,
    text: String = "m"
  ) {
    var details: [String] = []
    if let code {
      details.append(#"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#)
    }
    if let field {
      details.append(
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#)
    }
    let body =
      #"{"error":{"code":\#(status),"message":"\#(text)","status":"\#(rpc)","#
      + #""details":[\#(details.joined(separator: ","))]}}"#
    respond(
      HTTP2Response(
        status: status, headers: after.map { [HTTP2Header("retry-after", String($0))] } ?? [], body: Array(body.utf8)))
  }
}

extension QueuedPush {
  /// A push to a device that is reached by FCM.
  static func fcm(
    _ token: String, app: String = "feedbackkit", payload: String = #"{"aps":{"alert":"Hi"},"type":"new_vote"}"#,
    attempts: Int = 0
  ) -> QueuedPush {
    let device = Device(id: UUID(), provider: .fcm, app: app, token: token, registeredAt: .now - 3_600)
    return QueuedPush(
      id: UUID(), device: device, payload: payload, badge: 3, collapseID: token, expiresAt: .now + 3_600,
      attempts: attempts)
  }
}
