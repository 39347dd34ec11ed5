import EventLoop
import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import Signing
import TestSupport

@testable import PushEmulator

/// An emulator in this process with a directory of its own, and clients for it.
struct RunningEmulator: Sendable {
  let directory: TemporaryDirectory
  let environment: RawJSON
  let client: HTTPClient
  private let server: EmulatorServer
  private let signer: SigningKey

  /// Starts one; in the directory of an earlier one, if given.
  static func start(in directory: TemporaryDirectory? = nil, _ words: [String] = []) async throws -> RunningEmulator {
    let directory = try directory ?? TemporaryDirectory()
    let options = try ServeOptions(["--directory", "\(directory.path)/emulator"] + words)
    return try RunningEmulator(directory, try await EmulatorServer.start(options, log: Log(write: { _ in })))
  }

  private init(_ directory: TemporaryDirectory, _ server: EmulatorServer) throws {
    self.directory = directory
    self.server = server
    environment = server.environment
    client = HTTPClient(trust: .certificateAuthority(path: environment["APNS_CA_PATH"]?.stringValue ?? ""))
    let pem = try Files.contentsIfThere(of: environment["APNS_KEY_PATH"]?.stringValue ?? "") ?? []
    signer = try SigningKey(pem: String(decoding: pem, as: UTF8.self))
  }

  var url: String { environment["PUSH_EMULATOR_URL"]?.stringValue ?? "" }
  var authority: String { environment["APNS_CA_PATH"]?.stringValue ?? "" }
  var endpoint: Endpoint { Endpoint(host: "127.0.0.1", port: UInt16(url.split(separator: ":").last ?? "") ?? 0) }

  func stop() async {
    await server.stop()
  }

  /// A provider token made now.
  func authorization(age: Int = 0) throws -> String {
    let now = Int(Date.now.timeIntervalSince1970)
    return "bearer "
      + (try JWT.signed(with: signer, keyID: "LOCALKEY01", issuer: "LOCALTEAM1", issuedAt: now - age))
  }

  /// A request that is accepted.
  func push(_ body: String = #"{"aps":{"alert":"Hi"}}"#, to token: String = Samples.token) throws -> HTTP2Request {
    HTTP2Request(
      path: "/3/device/\(token)", authority: endpoint.description,
      headers: [
        HTTP2Header("authorization", try authorization()), HTTP2Header("apns-topic", Samples.topic),
        HTTP2Header("apns-push-type", "alert"),
      ], body: Array(body.utf8))
  }

  /// A question to the control API for a client of its own.
  func question(_ path: String) -> HTTP2Request {
    HTTP2Request(method: "GET", path: path, authority: endpoint.description)
  }

  func connect(on loop: EventLoop) async throws -> HTTP2Client {
    try await HTTP2Client.connect(to: endpoint, trust: .certificateAuthority(path: authority), loop: loop)
  }

  /// Asks the control API.
  func ask(_ path: String, _ method: HTTPCall.Method = .get, body: String = "") async throws -> HTTPAnswer {
    try await client.send(HTTPCall(method, url + path, body: Array(body.utf8)))
  }

  /// Sends a push that is refused.
  func pushWithoutToken() async throws {
    _ = try await ask("/3/device/\(Samples.token)", .post, body: "{}")
  }

  /// The pushes that a query gives.
  func pushes(_ query: String = "") async throws -> [RawJSON] {
    let answer = try await ask("/pushes?\(query)")
    return try RawJSON(validating: answer.body[...])["pushes"]?.elements ?? []
  }
}
