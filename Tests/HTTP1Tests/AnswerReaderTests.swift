import Testing

@testable import HTTP1

struct AnswerReaderTests {
  /// The answer that is read from pieces of this size, and then the end of the connection.
  private func answer(_ text: String, piece: Int, most: Int = 100) throws -> HTTP1Answer? {
    var reader = AnswerReader(most: most)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      if let answer = try reader.take(Array(rest.prefix(piece)), isEnd: false) { return answer }
      rest = rest.dropFirst(piece)
    }
    return try reader.take([], isEnd: true)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b \r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nx-a: b\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\nX-A: b\n\nhello",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello",
  ])
  func anAnswerIsReadInAnyPieces(_ text: String) throws {
    for piece in [1, 2, 7, 1_000] {
      let answer = try answer(text, piece: piece)
      #expect((answer?.status, answer?["x-a"]) == (200, "b"))
      #expect(answer.map { String(decoding: $0.body, as: UTF8.self) } == "hello")
    }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "SSH-2.0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
  ])
  func anAnswerThatIsNoneIsAFailure(_ text: String) {
    #expect(throws: HTTP1Call.Failure.self) { try answer(text, piece: 3) }
  }

  @Test(arguments: ["Content-Length: 101\r\n", "", "Transfer-Encoding: chunked\r\n"])
  func aLargeBodyIsNotKept(head: String) {
    let body = String(repeating: "x", count: 101)
    let sent = head.hasPrefix("T") ? "65\r\n\(body)\r\n0\r\n\r\n" : body
    #expect {
      try answer("HTTP/1.1 200 OK\r\nX-A: b\r\n\(head)\r\n\(sent)", piece: 1_000)
    } throws: { error in
      guard case HTTP1Call.Failure.tooLarge(let answer) = error else { return false }
      return answer["x-a"] == "b"
    }
  }
}
