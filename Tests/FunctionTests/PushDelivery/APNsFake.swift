import EventLoop
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import PushLive
import Signing
import Synchronization
import TestSupport

/// An HTTP/2 server over TLS that answers pushes as a script says and remembers them.
final class APNsFake: Sendable {
  typealias Script = @Sendable (_ push: Received, _ responder: HTTP2Responder) -> Void

  /// A request as it arrived.
  struct Received: Sendable {
    let method: String
    let path: String
    let connection: UInt64
    let headers: [HTTP2Header]
    let body: String
    /// How many requests arrived before.
    let number: Int
    /// The server's loop, on which the script runs.
    let loop: EventLoop

    /// The end of the path of a push to a device.
    var token: String { String(path.dropFirst("/3/device/".count)) }
    var collapseID: String? { headers["apns-collapse-id"] }
    var topic: String? { headers["apns-topic"] }
    var authorization: String { headers["authorization"] ?? "" }
    /// The provider token.
    var jwt: JWT? { try? JWT(parsing: String(authorization.dropFirst("bearer ".count))) }
  }

  let environment: [String: String]
  let key: SigningKey
  private let server: HTTP2Server
  let directory: TemporaryDirectory
  private let received: Arrivals

  init(script: @escaping Script) async throws {
    let directory = try TemporaryDirectory()
    key = try SigningKey.generate()
    try directory.write(try key.privatePEM(), to: "AuthKey.p8")
    let loop = EventLoop(name: "apns-fake")
    let received = Arrivals(loop: loop)
    server = try await HTTP2Server.fake(in: directory, loop: loop) { request, responder in
      script(received.add(request, responder.connection.id), responder)
    }
    self.received = received
    self.directory = directory
    environment = [
      "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ", "APNS_BUNDLE_ID": "com.example.app",
      "APNS_TOPICS": "lockitin=com.example.lockit",
      "APNS_KEY_PATH": "\(directory.path)/AuthKey.p8", "APNS_PRODUCTION": "false",
      "APNS_URL": "https://127.0.0.1:\(server.endpoint.port)", "APNS_CA_PATH": "\(directory.path)/ca.pem",
    ]
  }

  /// A fake that gives every push the same answer.
  convenience init(_ status: Int = 200, _ reason: String? = nil, timestamp: Date? = nil) async throws {
    try await self.init { _, responder in responder.answer(status, reason, timestamp: timestamp) }
  }

  /// Every push so far, in the order of arrival.
  var pushes: [Received] { received.all }

  var port: UInt16 { server.endpoint.port }

  /// The connections that pushes came by.
  var connections: Int { Set(pushes.map(\.connection)).count }

  func setMaxConcurrentStreams(_ count: UInt32) async { await server.setMaxConcurrentStreams(count) }

  func stop() async { await server.stop(within: .zero) }

  /// A sender of its own that knows this server.
  ///
  /// - Parameter changes: to the environment.
  func sender(
    _ changes: [String: String] = [:], limits: APNsSender.Limits = APNsSender.Limits(),
    tokens: ProviderTokenStore = .ofThisProcess(), log: Log = Log(write: { _ in }),
    now: (@Sendable () -> Date)? = nil, time: SenderTime = .machine
  ) throws -> APNsSender {
    let configuration = try APNsConfiguration(Environment(environment.merging(changes) { $1 }))
    return APNsSender(
      configuration, limits: limits, tokens: tokens, log: log, now: now ?? time.date, time: time)
  }

  func client(
    limits: APNsSender.Limits = APNsSender.Limits(), time: SenderTime = .machine
  ) throws -> PushClient {
    .apns(try sender(limits: limits, time: time))
  }

  /// Writes a file of keys, each with a new key, and gives the environment for it, which has no other key.
  func keys(_ list: [KeyEntry]) throws -> [String: String] {
    let entries = try list.map { entry in
      let path = "\(entry.keyID).p8"
      try directory.write(try (entry.key ?? SigningKey.generate()).privatePEM(), to: path)
      var members = [("keyId", RawJSON(entry.keyID)), ("teamId", RawJSON(entry.teamID)), ("path", RawJSON(path))]
      if let names = entry.environments { members.append(("environments", RawJSON(array: names.map { RawJSON($0) }))) }
      if let topics = entry.topics { members.append(("topics", RawJSON(array: topics.map { RawJSON($0) }))) }
      return RawJSON(object: members)
    }
    let text = String(decoding: RawJSON(object: [("keys", RawJSON(array: entries))]).bytes, as: UTF8.self)
    let path = try directory.write(text, to: "keys.json")
    return ["APNS_KEYS_PATH": path, "APNS_KEY_ID": "", "APNS_TEAM_ID": "", "APNS_KEY_PATH": ""]
  }

  /// A line of a file of keys.
  struct KeyEntry {
    var keyID = "ABC123DEFG"
    var teamID = "DEF123GHIJ"
    var environments: [String]?
    var topics: [String]?
    var key: SigningKey?
  }
}

/// The requests so far.
private final class Arrivals: Sendable {
  private let list = Mutex<[APNsFake.Received]>([])
  private let loop: EventLoop

  init(loop: EventLoop) {
    self.loop = loop
  }

  var all: [APNsFake.Received] { list.withLock(\.self) }

  func add(_ request: HTTP2Request, _ connection: UInt64) -> APNsFake.Received {
    list.withLock { list in
      let received = APNsFake.Received(
        method: request.method, path: request.path, connection: connection, headers: request.headers,
        body: String(decoding: request.body, as: UTF8.self), number: list.count, loop: loop)
      list.append(received)
      return received
    }
  }
}

extension HTTP2Server {
  /// A server whose certificate is of an authority of its own: `ca.pem` in the folder.
  static func fake(
    in directory: TemporaryDirectory, loop: EventLoop, handler: @escaping Handler
  ) async throws -> HTTP2Server {
    let authority = try CertificateAuthority.make(named: "Test CA")
    try directory.write(authority.certificatePEM, to: "ca.pem")
    let certificate = try authority.issue(for: ["localhost", "127.0.0.1", "::1", "push.example"])
    return try await start(
      on: Endpoint(host: "127.0.0.1", port: 0),
      certificateChain: directory.write(certificate.certificatePEM, to: "server.pem"),
      privateKey: directory.write(certificate.keyPEM, to: "server.key"), loop: loop, handler: handler)
  }
}

extension HTTP2Responder {
  /// Answers as APNs does.
  func answer(_ status: Int, _ reason: String? = nil, timestamp: Date? = nil) {
    var members: [(String, RawJSON)] = []
    if let reason { members.append(("reason", RawJSON(reason))) }
    if let timestamp { members.append(("timestamp", RawJSON(Int(timestamp.timeIntervalSince1970 * 1_000)))) }
    respond(HTTP2Response(status: status, body: members.isEmpty ? [] : Array(RawJSON(object: members).bytes)))
  }
}
