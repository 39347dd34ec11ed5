import Foundation
import TestSupport
import Testing

@testable import Manifest
@testable import System

/// HTTP/1.1 as clients speak it, byte for byte.
@Suite(.heavy)
struct HTTPServerTests {
  @RunnerLoop
  @Test func aConnectionTakesOneRequestAfterTheOther() async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      for number in 1...3 {
        connection.send(request("POST /functions/v1/f", body: "{\"n\":\(number)}"))
        let answer = try await connection.read(until: "\"n\":\(number)}")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(!answer.contains("Connection: close"))
      }
    }
  }

  @RunnerLoop
  @Test func requestsSentTogetherAreAnsweredInOrder() async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(
        (1...3).map { request("POST /functions/v1/f", body: "{\"n\":\($0)}") }.joined()
          + request("GET /_/health", "Connection: close"))

      let answers = try await connection.readToEnd()

      #expect(answers.components(separatedBy: "200 OK").count == 5)
      let places = (1...3).map { answers.range(of: "\"n\":\($0)}")?.lowerBound }
      #expect(places.allSatisfy { $0 != nil } && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    }
  }

  @RunnerLoop
  @Test func aBodyMayComeInChunks() async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send("POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.send("4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n")

      _ = try await connection.read(until: "{\"a\":1}")
    }
  }

  @RunnerLoop
  @Test func aBodyIsAskedForOnlyWhereItIsTaken() async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      let expecting = "Expect: 100-continue"
      connection.send(request("POST /functions/v1/f", expecting, "Content-Length: 7"))
      #expect(try await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      connection.send("{\"a\":1}")
      _ = try await connection.read(until: "{\"a\":1}")

      connection.send(request("POST /functions/v1/f", expecting, "Content-Length: 2000000"))
      let refusal = try await connection.readToEnd()

      #expect(refusal.hasPrefix("HTTP/1.1 413 "))
      #expect(refusal.contains("TOO_LARGE"))
    }
  }

  @RunnerLoop
  @Test(arguments: ["Content-Length: 1200013", "Transfer-Encoding: chunked"])
  func aBodyThatIsTooLargeIsReadAndRefused(_ framing: String) async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", framing))
      if framing.contains("chunked") { connection.send("124F8D\r\n") }
      let piece = String(repeating: " ", count: 1_200)
      for _ in 0..<1_000 { connection.send(piece) }
      connection.send("             ")
      if framing.contains("chunked") { connection.send("\r\n0\r\n\r\n") }

      #expect(try await connection.read(until: "TOO_LARGE").hasPrefix("HTTP/1.1 413 "))
      connection.send(request("GET /_/health"))
      _ = try await connection.read(until: "200 OK")
    }
  }

  @RunnerLoop
  @Test(
    arguments: [
      ("gzip", 415), ("GZIP", 415), ("deflate", 415), ("identity, gzip", 415), ("br", 415), ("x", 415),
      ("identity", 200), ("", 200),
    ], [HTTPTrigger.Auth.key, .function])
  func anEncodedBodyIsRefusedWithWhatIsAccepted(_ coding: (String, Int), _ auth: HTTPTrigger.Auth) async throws {
    try await withGateway(triggers: [.http(HTTPTrigger(auth: auth))]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", "Content-Encoding: \(coding.0)", "Connection: close", body: "{}"))

      let answer = try await connection.readToEnd()

      #expect(answer.hasPrefix("HTTP/1.1 \(coding.1) "))
      #expect(answer.contains("Accept-Encoding: identity\r\n") == (coding.1 == 415))
    }
  }

  @RunnerLoop
  @Test func aClientMayAskForTheHeadOnly() async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("HEAD /_/health", "Connection: close"))

      let answer = try await connection.readToEnd()

      #expect(answer.contains("200 OK") && answer.hasSuffix("\r\n\r\n"))
    }
  }

  @RunnerLoop
  @Test(arguments: [
    ("OPTIONS /functions/v1/f", "204 No Content", "POST, OPTIONS"),
    ("GET /functions/v1/f", "405 Method Not Allowed", "POST, OPTIONS"),
    ("HEAD /functions/v1/f", "405 Method Not Allowed", "POST, OPTIONS"),
    ("OPTIONS /_/health", "204 No Content", "GET, HEAD, OPTIONS"),
    ("POST /_/ready", "405 Method Not Allowed", "GET, HEAD, OPTIONS"),
  ])
  func tellsWhichMethodsThereAre(_ line: String, _ status: String, _ allowed: String) async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request(line))

      let answer = try await connection.read(until: "\r\n\r\n")

      #expect(answer.contains(status))
      #expect(answer.contains("Allow: \(allowed)\r\n"))
    }
  }

  @RunnerLoop
  @Test(arguments: [
    "/functions/v1/f", "/functions/v1/f/", "/functions/v1/%66", "/%66unctions/v1/f/", "/f%75nctions/v1/f",
  ])
  func aFunctionIsThereHoweverItsPathIsWritten(_ path: String) async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST \(path)", body: "{}"))

      #expect(try await connection.read(until: "\r\n").hasPrefix("HTTP/1.1 200 "))
    }
  }

  @RunnerLoop
  @Test(arguments: [
    "/functions%2Fv1/f", "/functions/v1%2ff", "/functions/v1/f%2F", "/functions/v1/f//", "/functions/v1//f",
    "/none", "/functions/v1/", "/functions/v1/f/x", "/functions/v1/g", "/_/", "/_/state/x",
  ])
  func whatIsNotThereIsNotFound(_ path: String) async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST \(path)", body: "{}"))

      #expect(try await connection.read(until: "NOT_FOUND").hasPrefix("HTTP/1.1 404 "))
    }
  }

  @RunnerLoop
  @Test func aFunctionThatIsFullSaysWhenToComeBack() async throws {
    try await withGateway(["f": ServedGateway.waiting], mostWaiting: 1) { served in
      let connections = try (0..<3).map { _ in try RawConnection(port: served.port) }
      connections[0].send(request("POST /functions/v1/f", body: "{}"))
      try await served.untilStarted()
      connections[1].send(request("POST /functions/v1/f", body: "{}"))
      while served.waiting(for: "f") < 1 { await Task.yield() }
      connections[2].send(request("POST /functions/v1/f", body: "{}"))

      let refusal = try await connections[2].read(until: "TOO_MANY_REQUESTS")

      #expect(refusal.hasPrefix("HTTP/1.1 429 ") && refusal.contains("Retry-After: 1\r\n"))
      try served.release()
      for connection in connections.prefix(2) { _ = try await connection.read(until: "done") }
    }
  }

  @RunnerLoop
  @Test func aFunctionThatChecksItsCallersGetsAnyMethodAndPathBelow() async throws {
    try await withGateway(triggers: [.http(HTTPTrigger(auth: .function))]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("DELETE /functions/v1/f/items/1%202?a=b", "Authorization: Bearer t"))

      let answer = try await connection.read(until: "\"source\"")

      #expect(answer.contains(#""rawPath":"/functions/v1/f/items/1%202""#))
      #expect(answer.contains(#""method":"DELETE""#))
      #expect(answer.contains(#""authorization":"Bearer t""#))
    }
  }

  @RunnerLoop
  @Test func aFunctionCannotBreakTheConnection() async throws {
    let fields =
      #"{"X-Ok":"1","Content-Length":"1","Transfer-Encoding":"chunked","Connection":"upgrade"}"#
    let result = "{\"statusCode\":201,\"headers\":\(fields),\"body\":\"/wAh\",\"isBase64Encoded\":true}"
    try await withGateway(["f": "cat > read\ncat <<'END'\n\(result)\nEND"]) { served in
      let connection = try RawConnection(port: served.port)
      connection.send(request("POST /functions/v1/f", body: "{}"))

      let answer = try await connection.read(until: "!")

      #expect(answer.hasPrefix("HTTP/1.1 201 ") && answer.contains("X-Ok: 1\r\n"))
      #expect(answer.contains("Content-Length: 3\r\n"))
      #expect(!answer.contains("chunked") && !answer.contains("upgrade"))
    }
  }
}
