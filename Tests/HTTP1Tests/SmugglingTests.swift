import HTTP1
import Testing

/// Requests that a proxy in front could read in another way.
///
/// Each is refused, once, and its connection ends, so that nothing of its body is taken for a request.
struct SmugglingTests {
  private static let hidden = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// However it is cut into pieces.
  private func expectRefusal(of text: String, _ status: Int = 400) {
    for size in [1, 5, 64, Int.max] {
      var served = ServedText()
      served.receive(text, by: size)
      #expect(served.statuses == [status] && served.requests == [], "\(served.output)")
      #expect(served.connection.phase == .leaving && served.output.contains("Connection: close\r\n"))
    }
  }

  /// A body of two bytes, and one that is right as chunks: whichever field a server believes, it would find a request.
  private static let bodies = ["{}", "2\r\n{}\r\n0\r\n\r\n"]

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
  func fieldsThatMayMeanSomethingElseAreRefused(_ fields: String, _ body: String) {
    expectRefusal(of: "POST /f HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)\(Self.hidden)")
  }

  @Test(arguments: [
    "", "Host: [::1].evil.com", "Host: localhost:evil", "Host: a@localhost", "Host: localhost/x",
    "Host: localhost:99999",
  ])
  func aRequestNamesOneHost(_ field: String) {
    expectRefusal(of: "GET /f HTTP/1.1\r\n\(field)\(field.isEmpty ? "" : "\r\n")\r\n\(Self.hidden)")
  }

  @Test(arguments: [
    ("GET /f", 400), ("GET  /f HTTP/1.1", 400), ("GET /f  HTTP/1.1", 400), ("GET /f HTTP/1.1 ", 400),
    (" GET /f HTTP/1.1", 400), ("GET\t/f HTTP/1.1", 400), ("GET /f HTTP/1.", 400), ("GET /f http/1.1", 400),
    ("GET /f HTTP/1.10", 400), ("GET /f HTTP/2.0", 505), ("G@T /f HTTP/1.1", 400), ("GET f HTTP/1.1", 400),
    ("GET * HTTP/1.1", 400), ("GET /a\u{7F} HTTP/1.1", 400), ("GET /\u{E9} HTTP/1.1", 400),
    ("GET /a#b HTTP/1.1", 400), ("GET ftp://localhost/ HTTP/1.1", 400), ("GET http:///f HTTP/1.1", 400),
    ("GET http://a@localhost/f HTTP/1.1", 400), ("CONNECT localhost:80 HTTP/1.1", 400), ("\u{16}\u{3}\u{1}", 400),
  ])
  func theFirstLineIsAsItShouldBe(_ line: String, _ status: Int) {
    expectRefusal(of: "\(line)\r\nHost: localhost\r\n\r\n\(Self.hidden)", status)
  }

  @Test(arguments: [
    "GET /f HTTP/1.1\nHost: localhost\n\n", "GET /f HTTP/1.1\r\nHost: localhost\r\n\n",
    "GET /f HTTP/1.1\rHost: localhost\r\n\r\n",
    "POST /f HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  ])
  func linesEndAsTheyShouldAndOldClientsSendNoChunks(_ text: String) {
    expectRefusal(of: text + Self.hidden)
  }

  @Test(arguments: [
    "2;\n\r\n{}\r\n0\r\n\r\n", "2\n{}\r\n0\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n", "+2\r\n{}\r\n0\r\n\r\n",
    "0x2\r\n{}\r\n0\r\n\r\n", "\r\n2\r\n{}\r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n", "2\r\n{}\n0\r\n\r\n", "2\r\n{}\r\n0\n\n",
    "2\r\n{}\r\n0\r\nX: a\n\r\n", "2\r\n{}\r\n0\r\n X: a\r\n\r\n", "2\r\n{}\r\n0\r\nX : a\r\n\r\n",
    "2;a=\0\r\n{}\r\n0\r\n\r\n", "0000000000000002\r\n{}\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n",
    "g\r\n{}\r\n0\r\n\r\n",
  ])
  func chunksAreAsTheyShouldBe(_ body: String) {
    expectRefusal(of: "POST /f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\(body)\(Self.hidden)")
  }

  @Test func otherCodingsAreNotSpokenHere() {
    expectRefusal(
      of: "POST /f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(Self.hidden)", 501)
  }

  @Test(arguments: ["2;a=LONG\r\n{}\r\n0\r\n\r\n", "2\r\n{}\r\n0\r\nX-A: LONG\r\n\r\n"])
  func whatStandsBesideABodyHasALimit(_ body: String) {
    let text = body.replacing("LONG", with: String(repeating: "a", count: 20_000))
    expectRefusal(of: "POST /f HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\(text)", 431)
  }

  @Test(arguments: [
    ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: localhost\r\nX-A: \(String(repeating: "a", count: 20_000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X-A: b\r\n", count: 3_000))\r\n", 431),
    (String(repeating: "\r\n", count: 9_000), 400),
  ])
  func headsHaveALimit(_ text: String, _ status: Int) {
    expectRefusal(of: text, status)
  }
}
