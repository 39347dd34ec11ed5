import Foundation
import HTTP1
import Testing

/// One connection, byte for byte, without a socket.
struct HTTP1ConnectionTests {
  private static let get = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private func post(_ path: String, _ body: String, _ fields: String...) -> String {
    let fields = ["Host: localhost", "Content-Length: \(body.utf8.count)"] + fields
    return "POST \(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)"
  }

  private func chunked(_ path: String, _ chunks: String, _ fields: String...) -> String {
    let fields = ["Host: localhost", "Transfer-Encoding: chunked"] + fields
    return "POST \(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(chunks)"
  }

  /// Bytes that come one by one are read like bytes that come at once.
  @Test(arguments: [1, 2, 3, 7, 50, Int.max]) func piecesMakeNoDifference(_ size: Int) {
    var served = ServedText()
    served.receive(
      "\r\n" + chunked("/a", "2;a=\"b\"\r\n{\"\r\n004\r\na\":1\r\n1 ;x\r\n}\r\n000\r\nX-After: a\r\n\r\n")
        + post("/b", "{}") + Self.get + post("/no", "body") + post("/c", "", "Connection: close"), by: size)

    #expect(served.requests == ["POST /a {\"a\":1}", "POST /b {}", "GET /a ", "POST /c "])
    #expect(served.statuses == [200, 200, 200, 404, 200] && served.connection.phase == .leaving)
  }

  @Test func aRequestWaitsForTheAnswerOfTheOneBefore() {
    var served = ServedText()
    served.answers = false
    served.receive(post("/a", "1") + post("/b", "2"))
    served.receive(post("/c", "3"))
    #expect(served.requests == ["POST /a 1"] && served.connection.phase == .working)

    served.answer("first")
    #expect(served.requests == ["POST /a 1", "POST /b 2"] && served.output.hasSuffix("first"))
    served.answer("second")
    #expect(served.requests.last == "POST /c 3" && served.output.hasSuffix("second"))
    served.answer("third")
    #expect(served.connection.phase == .idle && served.statuses == [200, 200, 200])
  }

  @Test func aClientMayReadItsAnswerInPieces() {
    var (whole, slow) = (ServedText(), ServedText())
    slow.window = 3
    for text in [post("/a", "1"), Self.get] {
      whole.receive(text)
      slow.receive(text)
    }

    #expect(slow.output == whole.output && slow.connection.phase == .idle)
  }

  @Test func theMemoryOfABodyIsHeldUntilTheAnswer() {
    var served = ServedText()
    served.answers = false
    let body = String(repeating: "a", count: 90)
    served.receive(String(post("/a", body).dropLast(40)))
    #expect(served.connection.memory >= 50 && served.connection.phase == .receiving)
    served.receive(String(body.suffix(40)))
    #expect(served.connection.memory >= 90 && served.connection.phase == .working)
    served.answer()
    #expect(served.connection.memory == 0)
  }

  @Test func aBodyIsAskedForOnlyWhereItIsTaken() {
    var asking = ServedText()
    asking.receive("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(asking.invitations == 1 && asking.output == "")
    asking.receive("{}")
    #expect(asking.requests == ["POST /a {}"] && asking.invitations == 1)
    asking.receive(post("/a", "{}", "Expect: 100-continue"))
    #expect(asking.requests.count == 2 && asking.invitations == 1)

    for (line, status) in [("POST /no", 404), ("POST /a", 413)] {
      var refused = ServedText()
      refused.receive("\(line) HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n")
      #expect(refused.invitations == 0 && refused.statuses == [status] && refused.connection.phase == .leaving)
      refused.receive(Self.get)
      #expect(refused.statuses == [status])
    }
  }

  @Test(arguments: [false, true]) func aBodyThatIsTooLargeIsReadAndRefused(_ isChunked: Bool) {
    var served = ServedText()
    let body = String(repeating: "a", count: 0x100)
    served.receive(isChunked ? chunked("/a", "100\r\n\(body)\r\n0\r\n\r\n") : post("/a", body), by: 60)
    #expect(served.statuses == [413] && served.output.hasSuffix("too large") && served.requests == [])
    #expect(served.connection.phase == .idle)
    served.receive(Self.get)
    #expect(served.statuses == [413, 200])
  }

  @Test(arguments: [false, true]) func aBodyWithoutAnEndIsNotRead(_ isChunked: Bool) {
    var served = ServedText()
    let body = String(repeating: "a", count: 0x1000)
    served.receive(isChunked ? chunked("/a", "1000\r\n\(body)") : post("/a", body))
    #expect(served.statuses == [413] && served.connection.phase == .leaving)
    #expect(served.output.contains("Connection: close\r\n"))
  }

  @Test func whoDrainsClosesAfterTheAnswer() {
    var served = ServedText()
    served.receive(Self.get)
    served.isDraining = true
    served.receive(Self.get + Self.get)
    #expect(served.statuses == [200, 200] && served.connection.phase == .leaving)
    #expect(served.output.components(separatedBy: "Connection: close\r\n").count == 2)
  }

  @Test(arguments: [
    ("GET /a HTTP/1.0\r\n\r\n", "Connection: close\r\n", HTTP1Connection.Phase.leaving),
    ("GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "Connection: keep-alive\r\n", .idle),
    ("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n", "Content-Length: 10\r\n", .idle),
    ("GET /a HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n", "Connection: close\r\n", .leaving),
    ("GET http://localhost?a HTTP/1.1\r\nHost: h\r\n\r\n", "<GET / >", .idle),
  ])
  func everyClientGetsWhatItAsksFor(_ text: String, _ part: String, _ phase: HTTP1Connection.Phase) {
    var served = ServedText()
    served.receive(text)
    #expect(served.statuses == [200] && served.output.contains(part), "\(served.output)")
    #expect(served.connection.phase == phase)
    #expect(!text.hasPrefix("HEAD") || served.output.hasSuffix("\r\n\r\n"))
  }

  @Test func anAnswerWithoutAnEndHasOneAtLast() {
    var served = ServedText()
    served.answers = false
    served.receive(Self.get)
    served.stream()
    served.add("one ")
    #expect(served.connection.phase == .streaming && served.connection.unsent > 0)
    served.receive(Self.get)
    served.add("two")
    served.endStream()

    #expect(served.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(served.output.hasSuffix("Connection: close\r\n\r\none two"))
    #expect(served.connection.phase == .leaving && served.requests.count == 1)
  }

  @Test func nothingIsTakenOrSentAfterTheEnd() {
    var connection = HTTP1Connection()
    connection.close()
    let event = Array(Self.get.utf8).withUnsafeBytes { connection.receive($0) }

    #expect(event == nil && connection.next() == nil && connection.take() == nil)
    #expect(connection.phase == .closed && connection.unsent == 0 && connection.memory == 0)
  }

  @Test func aRequestThatWasRefusedIsNotHandedOver() {
    var connection = HTTP1Connection()
    let event = Array(Self.get.utf8).withUnsafeBytes { connection.receive($0) }
    guard case .head? = event else {
      Issue.record()
      return
    }
    connection.refuse(HTTP1Answer(status: 403))
    connection.refuse(HTTP1Answer(status: 404))
    guard case .complete? = connection.next() else {
      Issue.record()
      return
    }

    #expect(connection.take() == nil && connection.refusal?.status == 403)
  }
}
