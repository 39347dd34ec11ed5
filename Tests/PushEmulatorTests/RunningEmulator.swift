import CLI
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
  private let token: String

  /// Starts one; in the directory of an earlier one, if given.
  static func start(in directory: TemporaryDirectory? = nil, _ arguments: [String] = []) async throws -> RunningEmulator
  {
    let directory = try directory ?? TemporaryDirectory()
    try Files.makeDirectory("\(directory.path)/emulator")
    try directory.write(accountFile, to: "emulator/service-account-push-emulator.json", mode: 0o600)
    let words = ["--directory", "\(directory.path)/emulator"] + arguments
    let options = try ServeOptions(CommandArguments(words, of: ServeCommand.spec))
    return try RunningEmulator(directory, try await EmulatorServer.start(options, log: Log(write: { _ in })))
  }

  /// One key for all: making one takes longer than most tests.
  private static let accountFile: String = {
    let file = try? ServiceAccount(projectID: "push-emulator", key: .generate()).file(tokenURL: "")
    guard let file else { preconditionFailure("OpenSSL makes no key") }
    return file
  }()

  private init(_ directory: TemporaryDirectory, _ server: EmulatorServer) throws {
    self.directory = directory
    self.server = server
    environment = server.environment
    client = HTTPClient(trust: .certificateAuthority(path: environment["APNS_CA_PATH"]?.stringValue ?? ""))
    let pem = try Files.contentsIfThere(of: environment["APNS_KEY_PATH"]?.stringValue ?? "") ?? []
    signer = try SigningKey(pem: String(decoding: pem, as: UTF8.self))
    let now = Int(Date.now.timeIntervalSince1970)
    token = try JWT.signed(with: signer, keyID: "LOCALKEY01", issuer: "LOCALTEAM1", issuedAt: now)
  }

  var url: String { environment["PUSH_EMULATOR_URL"]?.stringValue ?? "" }
  var authority: String { environment["APNS_CA_PATH"]?.stringValue ?? "" }
  var endpoint: Endpoint { endpoint("PUSH_EMULATOR_URL") }

  /// The endpoint that a variable of the environment names.
  func endpoint(_ name: String) -> Endpoint {
    let url = environment[name]?.stringValue ?? ""
    return Endpoint(host: "127.0.0.1", port: UInt16(url.split(separator: ":").last ?? "") ?? 0)
  }

  func stop() async {
    await server.stop()
  }

  /// The provider token that was made at the start; or another, made `age` seconds ago.
  func authorization(age: Int? = nil) throws -> String {
    guard let age else { return "bearer \(token)" }
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

  /// A question to the control API, for a client of the caller.
  func question(_ path: String) -> HTTP2Request {
    HTTP2Request(method: "GET", path: path, authority: endpoint.description)
  }

  func connect(on loop: EventLoop, to name: String = "PUSH_EMULATOR_URL") async throws -> HTTP2Client {
    try await HTTP2Client.connect(to: endpoint(name), trust: .certificateAuthority(path: authority), loop: loop)
  }

  /// Asks the control API.
  func ask(_ path: String, _ method: HTTPCall.Method = .get, body: String = "") async throws -> HTTPAnswer {
    try await client.send(HTTPCall(method, url + path, body: Array(body.utf8)))
  }

  /// Sends a push that is refused.
  func pushWithoutToken() async throws {
    _ = try await ask("/3/device/\(Samples.token)", .post, body: "{}")
  }

  /// Asks the control API for JSON.
  func json(_ path: String, _ method: HTTPCall.Method = .get, body: String = "") async throws -> RawJSON {
    try RawJSON(validating: try await ask(path, method, body: body).body[...])
  }

  /// Scripts something; this has to succeed.
  func script(_ path: String, _ body: String = "", _ method: HTTPCall.Method = .post) async throws {
    let answer = try await ask(path, method, body: body)
    guard (200..<300).contains(answer.status) else { throw ScriptError(sentence: answer.text) }
  }

  struct ScriptError: Error { let sentence: String }

  /// The pushes that a query gives.
  func pushes(_ query: String = "") async throws -> [RawJSON] {
    let answer = try await ask("/pushes?\(query)")
    return try RawJSON(validating: answer.body[...])["pushes"]?.elements ?? []
  }
}

/// Runs with an emulator and a connection to it.
func withEmulator(_ arguments: [String] = [], _ body: (RunningEmulator, HTTP2Client) async throws -> Void) async throws
{
  let emulator = try await RunningEmulator.start(arguments)
  do {
    try await withClient(emulator) { try await body(emulator, $0) }
  } catch {
    await emulator.stop()
    throw error
  }
  await emulator.stop()
}

/// Runs with a connection to one of an emulator's faces.
func withClient<Answer>(
  _ emulator: RunningEmulator, to name: String = "PUSH_EMULATOR_URL", _ body: (HTTP2Client) async throws -> Answer
) async throws -> Answer {
  let loop = EventLoop(name: "client")
  defer { loop.stop() }
  let client = try await emulator.connect(on: loop, to: name)
  let answer = try await body(client)
  await client.close()
  return answer
}

extension HTTP2Client {
  /// Sends pushes at once; their statuses, 0 without one, in the pushes' order.
  func statuses(of pushes: [HTTP2Request]) async -> [Int] {
    await withTaskGroup(of: (Int, Int).self) { group in
      for (place, push) in pushes.enumerated() {
        group.addTask { (place, (try? await self.answer(to: push).status) ?? 0) }
      }
      var statuses = Array(repeating: 0, count: pushes.count)
      for await (place, status) in group { statuses[place] = status }
      return statuses
    }
  }

  /// The answer to a push.
  func answer(to push: HTTP2Request) async throws -> HTTP2Response {
    try await send(push, timeout: .seconds(120)).get()
  }
}

extension HTTP2Response {
  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}
