import Foundation
import TestSupport
import Testing

@testable import System

/// Requests that a proxy in front could read in another way.
///
/// Each is refused, once, and its connection ends, so that nothing of its body is taken for a request.
@Suite(.heavy)
struct MalformedRequestTests {
  private static let hidden = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @RunnerLoop
  private func answers(to text: String) async throws -> String {
    var answers = ""
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send(text)
      answers = try await connection.readToEnd()
    }
    return answers
  }

  private func expectRefusal(_ answers: String, _ status: Int = 400) {
    #expect(answers.hasPrefix("HTTP/1.1 \(status) "), "\(answers)")
    #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answers)")
    #expect(answers.contains("Connection: close\r\n") && answers.contains("Content-Type: application/json\r\n"))
    #expect(answers.contains(#"{"code":""#) && answers.contains(#""message":""#))
    #expect(!answers.contains("/smuggled"))
  }

  /// A body of two bytes, and one that is right as chunks: whichever field a server believes, it would find a request.
  private static let bodies = ["{}", "2\r\n{}\r\n0\r\n\r\n"]

  @RunnerLoop
  @Test(
    arguments: [
      "Content-Length: 2\r\nContent-Length: 60", "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2",
      "Content-Length: 2, 60", "Content-Length: +2", "Content-Length: -2", "Content-Length: 0x2", "Content-Length: 2 2",
      "Content-Length: ", "Content-Length: 2\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nContent-Length: 2", "Content-Length : 2", "Content-Length\t: 2",
      "Content-Length:\r\n 2", "Transfer-Encoding:\r\n chunked", "X-A: b\r\n c", "X-A: b\r\n\tContent-Length: 2",
      "Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: chunked, chunked",
      "Transfer-Encoding: chun\u{212A}ed",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: xchunked",
      "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: ", "Transfer-Encoding : chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "X-A: b\0Content-Length: 2",
      "X-A: b\rContent-Length: 2",
      "X-A: b\nContent-Length: 2", "X\0A: b", ": b", "No colon", "X(A: b", "X-A: b\u{7F}", "Host: localhost",
      "Host: other", "Authorization: Bearer a\r\nAuthorization: Bearer b",
    ], bodies)
  func fieldsThatMayMeanSomethingElseAreRefused(_ fields: String, _ body: String) async throws {
    let answers = try await answers(
      to: "POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)\(Self.hidden)")

    expectRefusal(answers)
  }

  @RunnerLoop
  @Test(arguments: [
    "", "Host: [::1].evil.com", "Host: localhost:evil", "Host: a@localhost", "Host: localhost/x",
    "Host: localhost:99999",
  ])
  func aRequestNamesOneHost(_ field: String) async throws {
    expectRefusal(
      try await answers(to: "GET /_/health HTTP/1.1\r\n\(field)\(field.isEmpty ? "" : "\r\n")\r\n"))
  }

  @RunnerLoop
  @Test(arguments: [
    ("GET /_/health", 400), ("GET  /_/health HTTP/1.1", 400), ("GET /_/health  HTTP/1.1", 400),
    ("GET /_/health HTTP/1.1 ", 400), (" GET /_/health HTTP/1.1", 400), ("GET\t/_/health HTTP/1.1", 400),
    ("GET /_/health HTTP/1.", 400), ("GET /_/health http/1.1", 400), ("GET /_/health HTTP/1.10", 400),
    ("GET /_/health HTTP/2.0", 505), ("G@T /_/health HTTP/1.1", 400), ("GET _/health HTTP/1.1", 400),
    ("GET * HTTP/1.1", 400), ("GET /a\u{7F} HTTP/1.1", 400), ("GET /\u{E9} HTTP/1.1", 400),
    ("GET /a#b HTTP/1.1", 400), ("GET ftp://localhost/ HTTP/1.1", 400), ("GET http:///_/health HTTP/1.1", 400),
    ("GET http://a@localhost/_/health HTTP/1.1", 400), ("CONNECT localhost:80 HTTP/1.1", 400),
    ("\u{16}\u{3}\u{1}", 400),
  ])
  func theFirstLineIsAsItShouldBe(_ line: String, _ status: Int) async throws {
    expectRefusal(try await answers(to: "\(line)\r\nHost: localhost\r\n\r\n\(Self.hidden)"), status)
  }

  @RunnerLoop
  @Test(arguments: [
    "GET /_/health HTTP/1.1\nHost: localhost\n\n", "GET /_/health HTTP/1.1\r\nHost: localhost\r\n\n",
    "GET /_/health HTTP/1.1\rHost: localhost\r\n\r\n",
    "POST /functions/v1/f HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  ])
  func linesEndAsTheyShouldAndOldClientsSendNoChunks(_ text: String) async throws {
    expectRefusal(try await answers(to: text + Self.hidden))
  }

  @RunnerLoop
  @Test(arguments: [
    "2;\n\r\n{}\r\n0\r\n\r\n", "2\n{}\r\n0\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n", "+2\r\n{}\r\n0\r\n\r\n",
    "0x2\r\n{}\r\n0\r\n\r\n", "\r\n2\r\n{}\r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n", "2\r\n{}\n0\r\n\r\n", "2\r\n{}\r\n0\n\n",
    "2\r\n{}\r\n0\r\nX: a\n\r\n", "2\r\n{}\r\n0\r\n X: a\r\n\r\n", "2\r\n{}\r\n0\r\nX : a\r\n\r\n",
    "2;a=\0\r\n{}\r\n0\r\n\r\n", "0000000000000002\r\n{}\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n",
    "g\r\n{}\r\n0\r\n\r\n",
  ])
  func chunksAreAsTheyShouldBe(_ body: String) async throws {
    let head = "POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"

    expectRefusal(try await answers(to: head + body + Self.hidden))
  }

  @RunnerLoop
  @Test func otherCodingsAreNotSpokenHere() async throws {
    let answers = try await answers(
      to: "POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(Self.hidden)")

    expectRefusal(answers, 501)
  }

  @RunnerLoop
  @Test(arguments: [
    ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nX-A: \(String(repeating: "a", count: 20_000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X-A: b\r\n", count: 3_000))\r\n", 431),
    (String(repeating: "\r\n", count: 9_000), 400),
  ])
  func headsHaveALimit(_ text: String, _ status: Int) async throws {
    expectRefusal(try await answers(to: text), status)
  }

  /// Bytes that come one by one are read like bytes that come at once.
  @RunnerLoop
  @Test func piecesMakeNoDifference() async throws {
    try await withGateway { served in
      let text =
        "\r\n" + request("POST /functions/v1/f", "Transfer-Encoding: chunked")
        + "2;a=\"b\"\r\n{\"\r\n004\r\na\":1\r\n1 ;x\r\n}\r\n000\r\nX-After: a\r\n\r\n"
        + request("POST /functions/v1/f", body: #"{"b":2}"#) + request("GET /_/health", "Connection: close")
      let connection = try RawConnection(port: served.port)
      for byte in text.utf8 { connection.send(String(UnicodeScalar(byte))) }

      let answers = try await connection.readToEnd()

      #expect(answers.components(separatedBy: "HTTP/1.1 200 OK").count == 4, "\(answers)")
      #expect(answers.contains(#"{"a":1}"#) && answers.contains(#"{"b":2}"#))
    }
  }

  /// The target says which host is meant, no matter what the field says (RFC 9112 §3.2.2).
  @RunnerLoop
  @Test(arguments: [
    ("http://localhost/_/health", "localhost", 200), ("HTTP://LOCALHOST:80/_/health?a", "localhost", 200),
    ("http://evil.example/_/health", "localhost", 403), ("http://localhost/_/health", "evil.example", 200),
    ("http://localhost?a", "localhost", 200), ("http://localhost/none", "localhost", 404),
  ])
  func aWholeURLNamesTheHostItself(_ target: String, _ host: String, _ status: Int) async throws {
    let answers = try await answers(to: request("GET \(target)", "Connection: close", host: host))

    #expect(answers.hasPrefix("HTTP/1.1 \(status) "), "\(answers)")
  }

  @RunnerLoop
  @Test func oldClientsAreServed() async throws {
    try await withGateway { served in
      let connection = try RawConnection(port: served.port)
      connection.send("GET /_/health HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
      #expect(try await connection.read(until: "OK\n").contains("Connection: keep-alive\r\n"))
      connection.send("GET /_/health HTTP/1.0\r\n\r\n")
      #expect(try await connection.readToEnd().contains("Connection: close\r\n"))
    }
  }
}
