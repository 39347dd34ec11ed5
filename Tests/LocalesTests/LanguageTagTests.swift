import Testing

@testable import Locales

struct LanguageTagTests {
  @Test(arguments: [
    ("de", "de"), ("DE_at", "de-AT"), ("de_AT.UTF-8", "de-AT"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"),
    ("ja-JP@calendar=japanese", "ja-JP"), ("de-CH-u-hc-h12", "de-CH"), ("SR-latn-rs", "sr-Latn-RS"),
  ])
  func aTagHasOneSpelling(written: String, tag: String) {
    #expect(LanguageTag(written)?.text == tag)
  }

  @Test(arguments: [
    "", "d", "*", "de-", "-de", "de--AT", "12", "deutschland", "de-Österreich", "de AT", "de\0",
    "de-1234567890", "de-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa",
  ])
  func whatIsNoTagIsRefused(written: String) {
    #expect(LanguageTag(written) == nil)
  }

  @Test(arguments: [
    ("de-AT-1996", "de-AT"), ("de-CH", "de"), ("de", "de"), ("zh-Hant-TW", "zh-Hant"), ("zh-Hans", nil), ("nl-BE", nil),
  ])
  func theNearestIsFoundByLeavingOutItsEnd(written: String, nearest: String?) throws {
    let known: Set = ["de", "de-AT", "zh-Hant"]

    let tag = try #require(LanguageTag(written))
    #expect(tag.nearest(where: known.contains) == nearest)
  }

  @Test func aFieldOfHTTPNamesTheMostWantedFirst() {
    let field = "nl;q=0.5, de-CH, *;q=0.1, fr;q=0, pt-br;q=0.9, x!, en;q=0.5"

    #expect(LanguageTag.accepted(field).map(\.text) == ["de-CH", "pt-BR", "nl", "en"])
    #expect(LanguageTag.accepted("").isEmpty)
  }

  @Test(arguments: [("ar-EG", true), ("he", true), ("az-Arab", true), ("ar-Latn", false), ("de", false)])
  func scriptsHaveDirections(written: String, isRightToLeft: Bool) {
    #expect(LanguageTag(written)?.isRightToLeft == isRightToLeft)
  }
}
