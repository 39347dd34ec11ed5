import PushPayload
import TestSupport
import Testing

/// Texts in another direction, and what opens or closes one.
struct DirectionTests {
  @Test(arguments: [
    "", "Ada", "Zoë Ünal", "Ольга", "Ελένη", "山田", "👩‍👩‍👧 family", "e\u{301}", "a\nb", "50 % • 3 € — “x”", "\u{FEFF}x",
    "नमस्ते", "ไทย",
  ])
  func plainTextsStayByteForByte(text: String) {
    #expect(Array(text.isolated.utf8) == Array(text.utf8) && Array(text.closed.utf8) == Array(text.utf8))
  }

  @Test(arguments: [
    // Letters: Hebrew, Arabic, Syriac, Thaana, NKo, presentation forms, Adlam, Old South Arabian, Rohingya.
    ("מצב כהה", "\u{2068}מצב כהה\u{2069}"), ("عمر", "\u{2068}عمر\u{2069}"), ("ܐܒ", "\u{2068}ܐܒ\u{2069}"),
    ("ދި", "\u{2068}ދި\u{2069}"), ("ߒߞ", "\u{2068}ߒߞ\u{2069}"), ("\u{FB2A}", "\u{2068}\u{FB2A}\u{2069}"),
    ("\u{FEFC}", "\u{2068}\u{FEFC}\u{2069}"), ("𞤀𞤣", "\u{2068}𞤀𞤣\u{2069}"), ("\u{10A60}", "\u{2068}\u{10A60}\u{2069}"),
    ("\u{10D00}", "\u{2068}\u{10D00}\u{2069}"), ("Ada and عمر", "\u{2068}Ada and عمر\u{2069}"),
    // Marks have nothing to close.
    ("Ada\u{200F}", "\u{2068}Ada\u{200F}\u{2069}"), ("\u{61C}Ada", "\u{2068}\u{61C}Ada\u{2069}"),
    // What is opened and closed stays; what is left open, or closes something else, goes.
    ("a\u{202E}b\u{202C}c", "\u{2068}a\u{202E}b\u{202C}c\u{2069}"), ("Mallory\u{202E}", "\u{2068}Mallory\u{2069}"),
    ("\u{202D}a\u{202B}b\u{202A}c", "\u{2068}abc\u{2069}"), ("\u{2066}a\u{2067}b\u{2068}c", "\u{2068}abc\u{2069}"),
    ("a\u{2069}b", "\u{2068}ab\u{2069}"), ("a\u{202C}b", "\u{2068}ab\u{2069}"),
    ("\u{2067}a\u{202E}b\u{2069}c", "\u{2068}\u{2067}ab\u{2069}c\u{2069}"),
    ("\u{202E}a\u{2067}b\u{202C}c\u{2069}d", "\u{2068}a\u{2067}bc\u{2069}d\u{2069}"),
    ("\u{202E}a\u{2067}b\u{2069}c\u{202C}", "\u{2068}\u{202E}a\u{2067}b\u{2069}c\u{202C}\u{2069}"),
    // A paragraph ends what is open in it.
    ("עמר\nאבג", "\u{2068}עמר\u{2069}\n\u{2068}אבג\u{2069}"),
    ("\u{202E}a\nb\u{202C}", "\u{2068}a\u{2069}\n\u{2068}b\u{2069}"),
    ("\n\u{202E}\n", "\n\n"), ("\u{202E}", ""),
  ])
  func othersAreIsolatedAndClosed(text: String, expected: String) {
    #expect(Array(text.isolated.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(expected.closed == expected && expected.isolated.closed == expected.isolated)
  }

  @Test(arguments: 0..<200) func aCutLeavesNothingOpen(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let pieces = ["a", "ب", "\u{202E}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{202C}", "👩‍👩‍👧", "e\u{301}", "\"", " "]
    let text = (0..<60).map { _ in pieces.randomElement(using: &random) ?? "" }.joined().isolated
    #expect(text.closed == text)

    for limit in 1..<text.unicodeScalars.count {
      let cut = text.shortened(toScalars: limit)
      #expect(cut.closed == cut && cut.unicodeScalars.count <= limit && cut.contains("…"))
      var encoded = text
      encoded.shorten(byEncoded: limit)
      #expect(encoded.closed == encoded)
    }
  }

  @Test(arguments: [
    ("\u{2068}עומר\u{2069} asks", 6, "\u{2068}עומ…\u{2069}"),
    ("\u{2068}עומר\u{2069} asks", 8, "\u{2068}עומר\u{2069} …"),
    ("\u{2068}עומר\u{2069} asks", 2, "…"),
  ])
  func anIsolateIsClosedWhereItIsCut(text: String, limit: Int, expected: String) {
    #expect(Array(text.shortened(toScalars: limit).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test(arguments: ["e", "👩"]) func aGiantCharacterIsCutBetweenItsScalars(base: String) throws {
    let giant = base + String(repeating: "\u{200D}\u{301}", count: 4_000)
    #expect(giant.count == 1)

    let text = try PushPayload(
      alert: .init(title: giant, body: giant), values: ["title": .string(giant), "type": "t"]
    ).encoded()

    #expect(text.utf8.count <= PushPayload.maximumSize)
    let received = try #require(PushPayload(json: text.utf8))
    let title = try #require(received.alert?.title).unicodeScalars
    #expect(title.first == base.unicodeScalars.first && title.last == "…" && title.count > 30)
    #expect(giant.shortened(toScalars: 255).unicodeScalars.count == 255)
  }

  @Test(arguments: [
    ("", true), (" ", true), ("\t\n", true), ("\u{3000}", true), ("\u{200B}", true), ("\u{200D}\u{FE0F}", true),
    ("\u{FEFF}", true), ("\u{AD}", true), ("\u{2800}", true), ("\u{3164}", true), ("\u{115F}", true),
    ("\u{202E}", true),
    ("\u{7}", true), ("\u{A0}\u{2028}", true), ("a", false), (" . ", false), ("\u{301}", false), ("👍", false),
    ("山", false),
  ])
  func aTextThatShowsNothingIsBlank(text: String, isBlank: Bool) {
    #expect(text.isBlank == isBlank && (text.unlessBlank == nil) == isBlank)
  }
}
