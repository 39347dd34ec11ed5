import Foundation
import TestSupport
import Testing

@testable import System

/// Answers of functions that cannot be sent as they are.
@Suite(.heavy)
struct FunctionAnswerTests {
  private static let long = String(repeating: "a", count: 17_000)

  @RunnerLoop
  @Test(arguments: [
    (#"{"statusCode":200,"headers":{"X-A":"\#(long)"}}"#, "header fields are larger"),
    (#"{"statusCode":200,"headers":{"X-A":"a\r\nB: c"}}"#, "malformed header field"),
    (#"{"statusCode":200,"headers":{"X-A":"a\u0000"}}"#, "malformed header field"),
    (#"{"statusCode":200,"headers":{"X A":"a"}}"#, "malformed header field"),
    (#"{"statusCode":200,"headers":{"":"a"}}"#, "malformed header field"),
    (#"{"statusCode":200,"headers":{"X-A":1}}"#, "not of their types"),
    (#"{"statusCode":200,"body":{}}"#, "not of their types"),
    (#"{"statusCode":200,"body":"no base64!","isBase64Encoded":true}"#, "not Base64"),
    (#"{"statusCode":503,"headers":{"retry-after":"-5"}}"#, "Retry-After"),
  ])
  func areReplacedAndLogged(_ result: String, _ problem: String) async throws {
    try await withGateway(["f": "cat > read\ncat <<'END'\n\(result)\nEND"]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", body: "{}"))

      let answer = try await connection.read(until: "\"}")

      #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("INVALID_OUTPUT") && answer.contains(problem))
      #expect(!answer.contains("B: c") && answer.contains("X-Call-Id: "))
      #expect(served.lines.all.contains { $0.contains(problem) && $0.contains(#""function.name":"f""#) })
    }
  }

  @RunnerLoop
  @Test(arguments: [("-5", 502), ("\"soon\"", 502), ("1.5", 502), ("0", 503), ("7", 503), ("null", 503)])
  func theTimeToTryAgainIsANumberOfSeconds(_ time: String, _ status: Int) async throws {
    let error = #"{"error":{"code":"X","message":"Later.","retryAfter":\#(time)}}"#
    let script = "cat > read; echo '\(error)'; exit 75"
    try await withGateway(["f": script]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", body: "{}"))

      let answer = try await connection.read(until: "\"}")

      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(answer.contains("Retry-After: \(time == "null" ? "1" : time)\r\n") == (status == 503))
    }
  }

  @RunnerLoop
  @Test func anAnswerWithoutABodyHasNone() async throws {
    let result = #"{"statusCode":204,"headers":{"X-A":"é"},"body":"HTTP/1.1 200 OK"}"#
    try await withGateway(["f": "cat > read\ncat <<'END'\n\(result)\nEND"]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", body: "{}") + request("GET /_/health", "Connection: close"))

      let answers = try await connection.readToEnd()

      #expect(answers.hasPrefix("HTTP/1.1 204 No Content\r\n") && answers.contains("X-A: é\r\n"))
      #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 3 && answers.hasSuffix("OK\n"))
    }
  }
}
