import FunctionKit
import Terminal
import Testing

/// Text from outside commands no terminal.
struct PrintableTests {
  private static let controls = (0...0x9F).filter { $0 < 0x20 || $0 > 0x7E } + [0x2028, 0x2029]
  private static let marks = [0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069)

  private static func text(_ value: Int) -> String {
    "a" + String(Unicode.Scalar(UInt32(value)).map(Character.init) ?? "?") + "b"
  }

  @Test(arguments: controls) func aControlCharacterBecomesASpace(_ value: Int) {
    let text = Self.text(value)

    #expect(text.onOneCleanLine == "a b")
    #expect(text.printable == (value == 0x0A ? text : "a b"))
  }

  @Test(arguments: marks) func aMarkOfDirectionIsLeftOut(_ value: Int) {
    #expect(Self.text(value).onOneCleanLine == "ab" && Self.text(value).printable == "ab")
  }

  @Test(arguments: controls + marks) func aJSONDocumentMeansTheSame(_ value: Int) throws {
    let document = RawJSON(object: [(Self.text(value), RawJSON(array: [RawJSON(Self.text(value))]))])

    for shown in [document.printable, document.pretty] {
      let again = try RawJSON(validating: Array(shown.utf8)[...])
      #expect(again.members.first?.name == Self.text(value))
      #expect(again.members.first?.value.elements?.first?.stringValue == Self.text(value))
      #expect(shown.printable == shown)
    }
  }

  @Test func spaceBetweenTokensStaysSpace() throws {
    let document = try RawJSON(validating: Array("{\"a\":\t1,\r\n\"b\":\t[ ]}".utf8)[...])

    #expect(try RawJSON(validating: Array(document.printable.utf8)[...]).members.map(\.name) == ["a", "b"])
  }

  @Test(arguments: ["", "plain", "日本語 👩‍👩‍👧 é \u{301}", "two\nlines"])
  func otherTextStaysAsItIs(_ text: String) {
    #expect(text.printable == text && text.escapedInJSON == text)
  }

  @Test func ownColoursTakeEffectAndOthersDoNot() {
    let style = Style(isColourful: true)

    #expect((style.bad("no") + "\u{1B}[31mno\u{1B}[0m").printable == "\u{1B}[31mno\u{1B}[0m [31mno [0m")
    #expect("\u{1B}0[31m".printable == " 0[31m")
    #expect(Style.emptyLine.printable == "\u{1B}[G\u{1B}[K")
  }
}
