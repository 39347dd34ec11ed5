import EventLoop
import HTTP2

/// A server on a free port with what its clients need; every request appears in `requests`.
struct TestServer: Sendable {
  let server: HTTP2Server
  let credentials: Credentials
  let loop: EventLoop
  let requests: Mailbox<Arrival>
  let disconnects: Mailbox<HTTP2ConnectionInfo>

  struct Arrival: Sendable {
    let request: HTTP2Request
    let responder: HTTP2Responder
  }

  func connect(
    host: String = "127.0.0.1", trust: Trust? = nil, timeout: Duration = .seconds(120), responseLimit: Int = 1_048_576
  ) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(
      to: Endpoint(host: host, port: server.endpoint.port), trust: trust ?? credentials.trust, connectTimeout: timeout,
      responseLimit: responseLimit, loop: loop)
  }
}

/// Runs a test with a server that keeps every request for the test to answer, unless `answer` answers it.
func withServer(
  hosts: [String] = ["localhost", "127.0.0.1", "::1"], credentials: Credentials? = nil,
  settings: HTTP2ServerSettings = HTTP2ServerSettings(),
  answer: (@Sendable (HTTP2Request) -> HTTP2Response)? = nil, _ body: (TestServer) async throws -> Void
) async throws {
  let credentials = try credentials ?? Credentials(hosts: hosts)
  let loop = EventLoop(name: "test")
  defer { loop.stop() }
  let requests = Mailbox<TestServer.Arrival>()
  let disconnects = Mailbox<HTTP2ConnectionInfo>()
  let server = try await HTTP2Server.start(
    on: Endpoint(host: "127.0.0.1", port: 0), certificateChain: credentials.certificatePath,
    privateKey: credentials.keyPath, settings: settings, loop: loop,
    onDisconnect: { disconnects.put($0) },
    handler: { request, responder in
      if let answer {
        responder.respond(answer(request))
      } else {
        requests.put(TestServer.Arrival(request: request, responder: responder))
      }
    })
  try await body(
    TestServer(
      server: server, credentials: credentials, loop: loop, requests: requests, disconnects: disconnects))
  await server.stop(within: .zero)
}

extension HTTP2Request {
  /// A small request to `/`.
  static func sample(_ path: String = "/", body: [UInt8] = []) -> HTTP2Request {
    HTTP2Request(path: path, authority: "localhost", body: body)
  }
}

extension HTTP2Response {
  static let ok = HTTP2Response(status: 200)
}

extension Result where Success == HTTP2Response, Failure == StreamFailure {
  var status: Int? { try? get().status }

  var failure: StreamFailure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}
