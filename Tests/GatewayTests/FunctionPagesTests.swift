import Foundation
import FunctionKit
import TestSupport
import Testing

@testable import Manifest
@testable import System

/// The rights of functions' answers in a browser, to which the console has the same address.
@Suite(.heavy)
struct FunctionPagesTests {
  /// The answers that a function prints.
  private static let answers = [
    #"{"statusCode":200,"headers":{"Content-Type":"text/html"},"body":"<script>1</script>"}"#,
    #"{"statusCode":200,"headers":{"content-type":"image/svg+xml"},"body":"PHN2Zz4=","isBase64Encoded":true}"#,
    #"{"statusCode":200,"headers":{"Content-Type":"text/html","X-Content-Type-Options":"no"},"body":"<p>"}"#,
    #"{"statusCode":200,"headers":{"Content-Type":"text/html","Content-Security-Policy":"script-src *"},"body":""}"#,
    #"{"statusCode":404,"body":"no type"}"#, #"{"statusCode":303,"headers":{"Location":"/_/console/"}}"#,
    #"{"statusCode":204}"#, #"{"told":[]}"#, "no JSON", "",
  ]

  @RunnerLoop
  @Test(arguments: answers, HTTPTrigger.Pages.allCases)
  func areConfinedUnlessTheEntrySaysOtherwise(_ output: String, _ pages: HTTPTrigger.Pages) async throws {
    let trigger = HTTPTrigger(auth: .function, pages: pages)
    try await withGateway(
      ["f": "cat > read\nprintf '%s' '\(output)'"], triggers: [.http(trigger)]
    ) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("GET /functions/v1/f", "Connection: close"))
      let head = try await connection.readToEnd().components(separatedBy: "\r\n\r\n")[0]
      let lines = head.components(separatedBy: "\r\n").map { $0.lowercased() }

      let own = output.contains("script-src *") ? ["content-security-policy: script-src *"] : []
      let policies = lines.filter { $0.hasPrefix("content-security-policy:") }
      let types = lines.filter { $0.hasPrefix("x-content-type-options:") }
      switch pages {
      case .still: #expect(policies == own + ["content-security-policy: sandbox"])
      case .forms: #expect(policies == own + ["content-security-policy: sandbox allow-forms allow-same-origin"])
      case .trusted: #expect(policies == own)
      }
      let given = output.contains(#"Options":"no""#) ? ["x-content-type-options: no"] : []
      #expect(types == (pages == .trusted ? given : ["x-content-type-options: nosniff"]))
    }
  }

  @RunnerLoop
  @Test(arguments: ["exit 65", "exit 78", "kill -9 $$"])
  func failuresAreConfined(_ script: String) async throws {
    try await withGateway(
      ["f": "cat > read\necho '<script>' >&2\n\(script)"], triggers: [.http(HTTPTrigger(auth: .function))]
    ) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("GET /functions/v1/f", "Connection: close"))
      let head = try await connection.readToEnd().components(separatedBy: "\r\n\r\n")[0]
      #expect(head.contains("\r\nContent-Security-Policy: sandbox\r\n"))
    }
  }
}
