import FunctionKit
import Testing

struct RawJSONTests {
  private func text(_ json: RawJSON) -> String { String(decoding: json.bytes, as: UTF8.self) }

  @Test(arguments: [
    "{}", "[]", "null", "true", "false", "0", "-0", "12.50", "-1e9", "1E+2", "\"\"", "\"ü\\u00fc\\n\"",
    "{\"a\":[1,{\"b\":null}],\"c\":\"d\"}", " [ 1 , 2 ] ",
  ])
  func takesWellFormedDocuments(_ document: String) throws {
    let json = try RawJSON(validating: Array(document.utf8)[...])

    #expect(text(json) == document.trimmingSpaces)
  }

  /// Windows' editors and .NET write it.
  @Test func aByteOrderMarkBeforeADocumentIsIgnored() throws {
    let marked = Array("\u{FEFF} {\"a\":\"\u{FEFF}\"}".utf8)[...]

    #expect(try text(RawJSON(validating: marked)) == "{\"a\":\"\u{FEFF}\"}")
    #expect(try RawJSON.members(validating: marked).map(\.name) == ["a"])
    for wrong in ["\u{FEFF}\u{FEFF}1", "[\u{FEFF}]", "1\u{FEFF}"] {
      #expect(throws: RawJSON.Malformed.self) { try RawJSON(validating: Array(wrong.utf8)[...]) }
    }
    #expect { try RawJSON(validating: Array("\u{FEFF}x".utf8)[...]) } throws: {
      ($0 as? RawJSON.Malformed)?.offset == 3
    }
  }

  @Test(arguments: [
    ("", "ends too early"), ("{", "member name"), ("{\"a\"}", "colon"), ("{\"a\":1,}", "member name"),
    ("[1,]", "value"),
    ("[1 2]", "comma"), ("01", "follows"), ("1.", "value"), ("+1", "value"), ("tru", "unknown word"),
    ("\"a", "does not end"), ("\"\\x\"", "unknown escape"), ("\"\\u12g4\"", "four digits"), ("\"\u{01}\"", "control"),
    ("{} {}", "follows"), ("{'a':1}", "member name"), ("NaN", "value"),
  ])
  func refusesOthersSayingWhy(_ document: String, _ problem: String) {
    #expect { try RawJSON(validating: Array(document.utf8)[...]) } throws: {
      ($0 as? RawJSON.Malformed)?.problem.contains(problem) == true
    }
  }

  @Test func refusesStringsThatAreNotUTF8() {
    #expect(throws: RawJSON.Malformed.self) { try RawJSON(validating: [0x22, 0xFF, 0x22]) }
  }

  /// As the README says: what holds a value counts, whichever way the event comes.
  @Test(arguments: [
    ("", "", 64), (#"{"specversion":"1.0","id":"1","source":"s","type":"t","data":"#, "}", 63),
    (#"{"id":"1","data":{"type":"INSERT","table":"t","schema":"s","record":{"a":"#, #"},"old_record":null}}"#, 61),
  ])
  func documentsMayBeNestedThisDeep(_ start: String, _ end: String, _ most: Int) throws {
    let document = { (depth: Int) in
      let (open, close) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
      return Array((start + open + "1" + close + end).utf8)
    }

    #expect(throws: Never.self) { try RawJSON(validating: document(most)[...]) }
    #expect(throws: RawJSON.Malformed.self) { try RawJSON(validating: document(most + 1)[...]) }
  }

  @Test func refusesDocumentsNestedTooDeeplyInsteadOfCrashing() {
    let deep = String(repeating: "[", count: 100_000)

    #expect { try RawJSON(validating: Array(deep.utf8)[...]) } throws: {
      ($0 as? RawJSON.Malformed)?.problem == "nested too deeply"
    }
  }

  @Test func keepsTheDigitsOfNumbers() throws {
    let json = try RawJSON(validating: Array(#"{"id":9007199254740993,"price":1.50}"#.utf8)[...])

    #expect(json["id"].map(text) == "9007199254740993")
    #expect(json["price"].map(text) == "1.50")
  }

  @Test func resolvesEscapesInNamesAndStrings() throws {
    let json = try RawJSON(validating: Array(#"{"a\u0062":"\ud83d\ude00\t\"\\/"}"#.utf8)[...])

    #expect(json["ab"]?.stringValue == "😀\t\"\\/")
  }

  /// Strings are read and written in words of eight bytes.
  @Test(arguments: [
    ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1}", #"\u0001"#), ("\u{7F}", "\u{7F}"), ("ü", "ü"),
    ("\"\\\"", #"\"\\\""#),
  ])
  func eachCharacterIsFoundAtEachPlace(_ character: String, _ written: String) throws {
    for (before, after) in (0..<18).flatMap({ before in (0..<18).map { (before, $0) } }) {
      let (start, end) = (String(repeating: "a", count: before), String(repeating: "b", count: after))
      let json = RawJSON(start + character + end)

      #expect(text(json) == "\"" + start + written + end + "\"")
      #expect(try RawJSON(validating: json.bytes).stringValue == start + character + end)
    }
  }

  @Test(arguments: [(#"\/"#, "/"), (#"\t"#, "\t"), (#"\ud83d\ude00"#, "😀"), (#"\u00fc\\"#, "ü\\")])
  func eachEscapeIsReadAtEachPlace(_ escape: String, _ character: String) throws {
    for (before, after) in (0..<18).flatMap({ before in (0..<18).map { (before, $0) } }) {
      let (start, end) = (String(repeating: "a", count: before), String(repeating: "b", count: after))
      let json = try RawJSON(validating: Array(#"{"some":"x","a":"\#(start + escape + end)"}"#.utf8)[...])

      #expect(json["a"]?.stringValue == start + character + end)
    }
  }

  @Test(arguments: [UInt8(0), 0x1F, 0xFF, 0x80])
  func eachPlaceIsLookedAtForWhatNoStringHas(_ byte: UInt8) {
    for (before, after) in (0..<18).flatMap({ before in (0..<18).map { (before, $0) } }) {
      let inner = [UInt8](repeating: 0x61, count: before) + [byte] + [UInt8](repeating: 0x62, count: after)

      #expect(throws: RawJSON.Malformed.self) { try RawJSON(validating: ([0x22] + inner + [0x22])[...]) }
    }
  }

  @Test(arguments: ["plain", "a \"quoted\" \\ path", "line\nend\r\t\u{1}", "😀 ü"])
  func stringsSurviveQuoting(_ string: String) throws {
    let quoted = RawJSON(string)

    #expect(try RawJSON(validating: quoted.bytes).stringValue == string)
  }

  @Test func findsTheFirstOfSeveralMembersOfOneName() throws {
    let json = try RawJSON(validating: Array(#"{"a":{"b":1},"b":2,"b":3}"#.utf8)[...])

    #expect(json["b"]?.intValue == 2)
    #expect(json["c"] == nil)
    #expect(RawJSON("b")["b"] == nil)
  }

  @Test func checksAndReadsAnObjectInOnePass() throws {
    let members = try RawJSON.members(validating: Array(#" {"a":1,"b":[2]} "#.utf8)[...])

    #expect(members.map(\.name) == ["a", "b"])
    #expect(members.map { text($0.value) } == ["1", "[2]"])
  }

  @Test(arguments: ["", "[]", "1", "{\"a\":1} x", "{\"a\":}", "{\"a\":1"])
  func readsNoMembersOfAnythingElse(_ document: String) {
    #expect(throws: RawJSON.Malformed.self) { try RawJSON.members(validating: Array(document.utf8)[...]) }
  }

  @Test func endsItsLineOnce() throws {
    let json = try RawJSON(validating: Array("{\n\"a\":1}".utf8)[...])

    #expect(String(decoding: json.line, as: UTF8.self) == "{ \"a\":1}\n")
  }

  @Test func liesOnOneLine() throws {
    let json = try RawJSON(validating: Array("{\n \"a\":\r\n 1 }".utf8)[...])

    #expect(!json.onOneLine.bytes.contains(0x0A))
    #expect(try RawJSON(validating: json.onOneLine.bytes)["a"]?.intValue == 1)
  }

  @Test func listsTheElementsOfArraysOnly() throws {
    let json = try RawJSON(validating: Array("[1, [2], \"3\"]".utf8)[...])

    #expect(json.elements?.map(text) == ["1", "[2]", "\"3\""])
    #expect(RawJSON("x").elements == nil)
  }
}

extension String {
  fileprivate var trimmingSpaces: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }

  /// U+0301 stands behind U+0316 in Unicode's order; U+0F73 is two marks.
  @Test(arguments: [
    (["\u{301}\u{316}"], 500, true), (["\u{301}\u{316}"], 501, false), (["\u{F73}"], 1_001, false),
    (["\u{301}"], 100_000, true), (["\u{316}\u{316}", "\u{301}"], 10_000, false),
    (["e\u{301}\u{316}"], 10_000, true), (["\u{316}", "\u{301}", "é"], 10_000, true), (["é"], 10_000, true),
  ])
  func aStringThatTakesLongToCompareIsRefusedFromOutside(
    _ parts: [String], _ count: Int, _ isTaken: Bool
  ) throws {
    let string = String(repeating: parts.joined(), count: count)
    let escaped = string.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
    for text in ["{\"a\":[\"\(string)\"]}", "{\"\(escaped)\":1}"] {
      let bytes = Array(text.utf8)[...]
      #expect(((try? RawJSON(validating: bytes, isFromOutside: true)) != nil) == isTaken)
      #expect(try RawJSON(validating: bytes).bytes == bytes)
    }
  }
}
