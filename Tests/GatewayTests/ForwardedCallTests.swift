import TestSupport
import Testing

@testable import Manifest
@testable import System

/// Calls that a proxy on this machine forwards to a gateway without a key: it may have got them from anybody.
@Suite(.heavy)
struct ForwardedCallTests {
  private static let fields = [
    "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-For:",
    "x-forwarded-host: push.example.com", "X-Forwarded-Proto: https", "Forwarded: for=192.0.2.1",
    "X-Real-IP: 192.0.2.1", "Via: 1.1 proxy",
  ]

  @RunnerLoop
  private func answer(_ line: String, _ field: String, from served: ServedGateway) async throws -> String {
    let connection = try RawConnection(port: served.port)
    connection.send(request(line, field, "Connection: close", body: line.hasPrefix("POST") ? "{}" : ""))
    return try await connection.readToEnd()
  }

  @RunnerLoop
  @Test(arguments: fields)
  func isRefusedWhereTheKeyWouldBeAskedFor(_ field: String) async throws {
    try await withGateway(triggers: [.http(HTTPTrigger(auth: .key))]) { served in
      for line in ["POST /functions/v1/f", "GET /_/state", "GET /metrics"] {
        let refusal = try await answer(line, field, from: served)
        #expect(refusal.hasPrefix("HTTP/1.1 401 ") && refusal.contains("set RUNNER_KEY"), "\(line): \(refusal)")
        #expect(try await answer(line, "X-Other: 1", from: served).hasPrefix("HTTP/1.1 200 "))
      }
      #expect(try await answer("GET /_/health", field, from: served).hasPrefix("HTTP/1.1 200 "))
      let page = try await answer("GET /", field, from: served)
      #expect(page.hasPrefix("HTTP/1.1 200 ") && !page.contains("Functions:"))
    }
  }

  @RunnerLoop
  @Test(arguments: fields)
  func reachesAFunctionThatChecksItsCallers(_ field: String) async throws {
    try await withGateway(
      ["f": "cat > read; echo '{\"statusCode\":200}'"], triggers: [.http(HTTPTrigger(auth: .function))]
    ) { served in
      let taken = try await answer("POST /functions/v1/f", field, from: served)
      #expect(taken.hasPrefix("HTTP/1.1 200 "), "\(taken)")
    }
  }
}
