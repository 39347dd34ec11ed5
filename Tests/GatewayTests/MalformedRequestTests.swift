import Foundation
import TestSupport
import Testing

@testable import System

/// Requests that no proxy in front may read in another way, over a socket; `SmugglingTests` has every form of them.
@Suite(.heavy)
struct MalformedRequestTests {
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

  @RunnerLoop
  @Test(arguments: [
    ("POST /functions/v1/f HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400),
    ("POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n", 400),
    ("POST /functions/v1/f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("GET /_/health HTTP/2.0\r\nHost: localhost\r\n\r\n", 505), ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
    ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
  ])
  func isRefusedOnceAndNothingBehindItIsRead(_ text: String, _ status: Int) async throws {
    let answers = try await answers(to: "\(text)GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n")

    #expect(answers.hasPrefix("HTTP/1.1 \(status) "), "\(answers)")
    #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answers)")
    #expect(answers.contains("Connection: close\r\n") && answers.contains("Content-Type: application/json\r\n"))
    #expect(answers.contains(#"{"code":""#) && answers.contains(#""message":""#))
    #expect(!answers.contains("/smuggled"))
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
