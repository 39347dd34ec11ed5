import TestSupport
import Testing

@testable import FunctionKit

/// Lists that others can make as long as they like, in events and requests: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: documents + events + requests) func noListCostsTheSquareOfItsLength(
    _ list: LongList
  ) throws {
    #expect(try list.growth() < 3)
  }

  private static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

  /// `before`, and as many parts as wanted with commas between them, and `after`.
  private static func text(
    _ before: String, _ count: Int, _ after: String, part: (Int) -> String
  ) -> ArraySlice<UInt8> {
    bytes(before + (0..<count).map(part).joined(separator: ",") + after)
  }

  private static func object(_ count: Int, part: (Int) -> String = { #""n\#($0)":{"a":[\#($0)]}"# }) -> RawJSON {
    RawJSON(trusted: text("{", count, "}", part: part))
  }

  private static let documents = [
    LongList("members") { count in
      let text = object(count).bytes
      return { _ = try RawJSON(validating: text, isFromOutside: true).members }
    },
    LongList("members of one name") { count in
      let text = object(count) { #""n":\#($0)"# }.bytes
      return { _ = try RawJSON(validating: text)["n"] }
    },
    LongList("elements") { count in
      let text = text("[", count, "]") { "\($0)" }
      return { _ = try RawJSON(validating: text).elements }
    },
    LongList("levels", most: 64) { count in
      let text = bytes(String(repeating: "[", count: count) + String(repeating: "]", count: count))
      return { _ = try RawJSON(validating: text) }
    },
    LongList("escapes") { count in
      let text = bytes("\"\(String(repeating: #"\n\u00e9\ud83d\ude00\""#, count: count))\"")
      return { _ = try RawJSON(validating: text, isFromOutside: true).stringValue }
    },
    LongList("characters to escape") { count in
      let text = String(repeating: "\n\"\u{1}é", count: count)
      return { _ = RawJSON(text) }
    },
    LongList("lines") { count in
      let document = object(count)
      return { _ = document.pretty }
    },
    LongList("values to decode") { count in
      let document = object(count) { #""n\#($0)":"\#($0)""# }
      return { _ = try JSONCoding.decode([String: String].self, from: document) }
    },
    LongList("digits") { count in
      let document = RawJSON(trusted: bytes(String(repeating: "9", count: count)))
      return { _ = try RawJSON(validating: document.bytes).intValue }
    },
    LongList("bytes to hash") { count in
      let text = [UInt8](repeating: 7, count: count)
      return { _ = SHA256.hex(text) }
    },
  ]

  private static let events = [
    LongList("extensions") { count in
      let text = object(count + 4) { number in
        let required = [#""specversion":"1.0""#, #""id":"1""#, #""source":"/s""#, #""type":"t""#]
        return number < 4 ? required[number] : #""e\#(number)":"v""#
      }.bytes
      return {
        let envelope = try Envelope(RawJSON(validating: text, isFromOutside: true))
        _ = envelope.with([("now", RawJSON("x"))]).adding("a", .null).document
      }
    },
    // What is refused, and what is just not.
    LongList("combining marks in a name") { count in
      let marks = String(repeating: "\u{301}\u{316}", count: count)
      let text = bytes(#"{"e\#(marks)":1,"type":"INSERT"}"#)
      return { _ = try? Envelope(RawJSON(validating: text, isFromOutside: true)) }
    },
    LongList("escaped combining marks in a name") { count in
      let marks = String(repeating: #"\u0301\u0316"#, count: count)
      let text = bytes(#"{"e\#(marks)":1,"type":"INSERT"}"#)
      return { _ = try? Envelope(RawJSON(validating: text, isFromOutside: true)) }
    },
    LongList("characters with many combining marks in a name", from: 1) { count in
      let marks = String(repeating: "e" + String(repeating: "\u{301}\u{316}", count: 500), count: count)
      let text = bytes(#"{"\#(marks)":1,"type":"INSERT"}"#)
      return { _ = try Envelope(RawJSON(validating: text, isFromOutside: true)).document }
    },
  ]

  private static let requests = [
    LongList("headers for a function") { count in
      let headers = object(count) { #""h\#($0)":"v""# }
      let data = RawJSON(object: [
        ("rawPath", RawJSON("/")), ("headers", headers), ("queryStringParameters", headers),
        ("requestContext", RawJSON(trusted: bytes(#"{"http":{"method":"GET"}}"#))),
      ])
      return { _ = try HTTPRequest(data) }
    }
  ]
}
