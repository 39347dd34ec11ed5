import Testing

@testable import HTTP1

struct HeadReaderTests {
  @Test(arguments: [HeadReader.largest - 1, HeadReader.largest])
  func noByteOfALargeHeadIsLostBehindAnEmptyLine(_ size: Int) throws {
    let (beginning, end) = ("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ", "\r\n\r\n")
    let value = String(repeating: "x", count: size - beginning.utf8.count - end.utf8.count)
    let head = Array((beginning + value + end).utf8)
    var reader = HeadReader()
    var found: RequestHead?

    for piece in [
      Array("\r".utf8), Array("\n".utf8) + head[..<(HeadReader.largest - 1)], Array(head[(HeadReader.largest - 1)...]),
    ] {
      var rest = piece[...]
      while !rest.isEmpty {
        let (head, used) = try rest.withUnsafeBytes { bytes throws(MalformedRequest) in try reader.take(bytes) }
        found = head ?? found
        rest = rest.dropFirst(used)
      }
    }

    #expect(found?.request.headers["x-long"] == value)
  }
}
