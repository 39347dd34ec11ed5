import EventLoop
import Formats
import FoundationEssentials
import FunctionKit
import HTTP2
import Postgres
import Signing
import Synchronization
import TestSupport

/// A configuration, a migrated database, and a server that takes the place of Apple's and Google's.
final class DoctorScene: Sendable {
  typealias Script = @Sendable (_ request: HTTP2Request, _ responder: HTTP2Responder) -> Void

  let directory: TemporaryDirectory
  let database: Connection
  let environment: [String: String]
  private let server: HTTP2Server
  private let asked: Paths

  /// - Parameter script: answers every request; as APNs and Google do unless another is given.
  init(script: @escaping Script = DoctorScene.asTheyDo) async throws {
    let directory = try TemporaryDirectory()
    let url = try await TemporaryPostgres.database(
      migrated: { url in
        let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
        for migration in Schema.migrations { try await connection.script(migration.sql) }
        await connection.close()
      }, named: "doctor")
    database = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    let authority = try CertificateAuthority.make(named: "Test CA")
    try directory.write(authority.certificatePEM, to: "ca.pem")
    let certificate = try authority.issue(for: ["localhost", "127.0.0.1", "::1", "push.example"])
    try directory.write(certificate.certificatePEM, to: "server.pem")
    try directory.write(certificate.keyPEM, to: "server.key")
    let asked = Paths()
    server = try await HTTP2Server.start(
      on: Endpoint(host: "127.0.0.1", port: 0), certificateChain: "\(directory.path)/server.pem",
      privateKey: "\(directory.path)/server.key", loop: EventLoop(name: "doctor-scene")
    ) { request, responder in
      asked.add(request)
      script(request, responder)
    }
    let host = "https://127.0.0.1:\(server.endpoint.port)"
    try directory.write(try SigningKey.generate().privatePEM(), to: "AuthKey_ABC123DEFG.p8")
    try directory.write(TestServiceAccount.json(tokenURI: "\(host)/token"), to: "account.json")
    (self.directory, self.asked) = (directory, asked)
    environment = [
      "DATABASE_URL": url, "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ",
      "APNS_BUNDLE_ID": "com.example.app", "APNS_KEY_PATH": "\(directory.path)/AuthKey_ABC123DEFG.p8",
      "APNS_PRODUCTION": "false", "APNS_URL": host, "APNS_CA_PATH": "\(directory.path)/ca.pem",
      "FCM_SERVICE_ACCOUNT_PATH": "\(directory.path)/account.json", "FCM_URL": host,
      "FCM_CA_PATH": "\(directory.path)/ca.pem",
    ]
  }

  /// The variables for the same server under a name that has no address: only a proxy reaches it.
  func behind(_ proxy: String) throws -> [String: String] {
    let host = "https://push.example:\(server.endpoint.port)"
    let account = try directory.write(TestServiceAccount.json(tokenURI: "\(host)/token"), to: "far.json")
    return ["APNS_URL": host, "FCM_URL": host, "FCM_SERVICE_ACCOUNT_PATH": account, "HTTPS_PROXY": proxy]
  }

  var port: UInt16 { server.endpoint.port }

  /// Every request so far, the bodies behind the paths.
  var requests: [HTTP2Request] { asked.all }

  func examine(_ words: [String] = [], _ changes: [String: String] = [:]) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("push", ["doctor"] + words, environment: environment.merging(changes) { $1 })
  }

  /// The findings, as the lines `grade check: detail`.
  func findings(_ words: [String] = [], _ changes: [String: String] = [:]) async throws -> [String] {
    let outcome = try await examine(words + ["--json"], changes)
    let json = try RawJSON(validating: Array(outcome.stdout.utf8)[...])
    return (json.elements ?? []).map { finding in
      let grade =
        finding["ok"] == RawJSON(false) ? "MISSING" : finding["warning"] == RawJSON(true) ? "warning" : "ok"
      return "\(grade) \(finding["check"]?.stringValue ?? ""): \(finding["detail"]?.stringValue ?? "")"
    }
  }

  /// As Apple, Google and their clocks would.
  static let asTheyDo: Script = { request, responder in
    responder.respond(answer(to: request, at: .now))
  }

  static func answer(to request: HTTP2Request, at date: Date) -> HTTP2Response {
    let headers = [HTTP2Header("date", httpDate(date))]
    if request.path == "/token" {
      return HTTP2Response(
        status: 200, headers: headers, body: Array(#"{"access_token":"t","expires_in":3600}"#.utf8))
    }
    if request.path.hasPrefix("/v1/projects/") {
      return HTTP2Response(status: 400, body: Array(#"{"error":{"status":"INVALID_ARGUMENT"}}"#.utf8))
    }
    let isBare = request.headers["authorization"] == nil
    let reason = isBare ? "MissingProviderToken" : "InvalidProviderToken"
    return HTTP2Response(status: 403, headers: headers, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
  }

  private static func httpDate(_ date: Date) -> String {
    var dates = HTTPDate()
    return dates.text(at: Int(date.timeIntervalSince1970))
  }
}

private final class Paths: Sendable {
  private let list = Mutex<[HTTP2Request]>([])

  var all: [HTTP2Request] { list.withLock(\.self) }

  func add(_ request: HTTP2Request) { list.withLock { $0.append(request) } }
}
