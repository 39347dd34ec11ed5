import PushPayload
import TestSupport
import Testing

/// Texts that others can make as long as they like: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: [
    "a", "é", "👩‍👩‍👧", "e\u{301}", "\u{202A}", "\u{2066}", "\u{202A}\u{2069}", "\u{2066}\u{202C}",
    "\u{2067}\u{202E}\u{2069}", "עמר\n",
    "\u{202E}a\u{202C}", "\u{2069}",
  ])
  func noTextCostsTheSquareOfItsLength(_ part: String) throws {
    let list = LongList(part) { count in
      let text = String(repeating: part, count: count)
      return { Self.use(text) }
    }
    #expect(try list.growth() < 3)
  }

  /// All of one kind come before those that would close them.
  @Test(arguments: [
    ("\u{202A}", "\u{2069}"), ("\u{2066}", "\u{202C}"), ("\u{2066}", "\u{2069}"), ("\u{202A}", "\u{202C}"),
  ])
  func noOpeningIsSearchedForAgain(_ opening: String, _ closing: String) throws {
    let list = LongList("openings") { count in
      let text = String(repeating: opening, count: count) + String(repeating: closing, count: count)
      return { Self.use(text) }
    }
    #expect(try list.growth() < 3)
  }

  @Test func noPayloadCostsTheSquareOfItsValues() throws {
    let list = LongList("values") { count in
      let values = (0..<count).map { ("n\($0)", PushPayload.Value.string("text")) }
      let payload = PushPayload(values: Dictionary(uniqueKeysWithValues: values))
      return { _ = payload.encodedValues }
    }
    #expect(try list.growth() < 3)
  }

  private static func use(_ text: String) {
    _ = (text.isBlank, text.closed, text.isolated, text.shortened(toScalars: 100))
  }
}
