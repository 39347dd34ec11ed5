import TestSupport
import Testing

@testable import HTTP1

/// Lists that a client can make as long as it likes: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: heads + bodies) func noListCostsTheSquareOfItsLength(_ list: LongList) throws {
    #expect(try list.growth() < 3)
  }

  /// Gives pieces of a text to a reader.
  private static func feed(_ text: String, by size: Int, to take: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    let bytes = Array(text.utf8)
    try bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: size) {
        try take(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)]))
      }
    }
  }

  private static func head(
    _ description: String, by size: Int, _ text: @escaping @Sendable (Int) -> String
  ) -> LongList {
    LongList(description, most: 1_600) { count in
      let text = text(count)
      return {
        var reader = HeadReader()
        try feed(text, by: size) { _ = try reader.take($0) }
      }
    }
  }

  private static func get(_ fields: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

  private static let heads = [
    head("header fields", by: 16_384) { count in get((0..<count).map { "a\($0):\r\n" }.joined()) },
    head("header fields, byte by byte", by: 1) { count in get((0..<count).map { "a\($0):\r\n" }.joined()) },
    head("header fields of one name", by: 1_000) { count in
      get(String(repeating: "cookie: a=b\r\n", count: count / 2))
    },
    head("cookies", by: 1_000) { count in get("cookie: \(String(repeating: "a=b; ", count: count))\r\n") },
    head("spaces around a value", by: 1_000) { count in
      let spaces = String(repeating: "    ", count: count)
      return get("a: \(spaces)b\(spaces)\r\n")
    },
    head("words of Connection", by: 1_000) { count in get("connection: \(String(repeating: "a,", count: count))\r\n") },
    head("parts of a path", by: 1) { count in
      "GET \(String(repeating: "/a", count: count)) HTTP/1.1\r\nHost: a\r\n\r\n"
    },
    head("empty lines before a request", by: 1) { count in String(repeating: "\r\n", count: count) + get("") },
  ]

  private static func body(
    _ description: String, by size: Int, _ text: @escaping @Sendable (Int) -> String
  ) -> LongList {
    LongList(description) { count in
      let text = text(count)
      return {
        var body = RequestBody(.chunked)
        try feed(text, by: size) { _ = try body.take($0) }
        _ = body.release()
      }
    }
  }

  private static func chunks(_ count: Int) -> String { String(repeating: "1\r\na\r\n", count: count) + "0\r\n\r\n" }

  private static let bodies = [
    body("chunks", by: 16_384, chunks), body("chunks, byte by byte", by: 1, chunks),
    body("bytes of a chunk, one by one", by: 1) { count in
      "\(String(count, radix: 16))\r\n\(String(repeating: "a", count: count))\r\n0\r\n\r\n"
    },
    LongList("bytes of a length, one by one") { count in
      let text = String(repeating: "a", count: count)
      return {
        var body = RequestBody(.length(count))
        try feed(text, by: 1) { _ = try body.take($0) }
        _ = body.release()
      }
    },
  ]
}
