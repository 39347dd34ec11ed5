import Testing

@testable import Locales

/// CLDR's data, as ICU has it.
struct LocaleFormatsTests {
  /// Monday, 2026-06-15, 14:05.
  private static let moment: Int64 = 1_781_532_300

  @Test(arguments: [
    ("de", "Montag", "14:05"), ("en-GB", "Monday", "14:05"), ("en-AU", "Monday", "2:05\u{202F}pm"),
    ("fr", "lundi", "14:05"), ("ja", "月曜日", "14:05"), ("ar", "الاثنين", "٢:٠٥\u{202F}م"),
  ])
  func timesFollowLanguageAndRegion(tag: String, weekday: String, time: String) throws {
    let formats = try formats(tag)

    #expect(formats.text(.moment(Self.moment, fields: "EEEE")) == weekday)
    #expect(formats.text(.moment(Self.moment, fields: "jmm"))?.spaced == time.spaced)
  }

  @Test(arguments: [("de", "12.345"), ("de-AT", "12\u{A0}345"), ("en-GB", "12,345"), ("ar-EG", "١٢٬٣٤٥")])
  func numbersFollowTheRegion(tag: String, number: String) throws {
    #expect(try formats(tag).text(.number(12_345)) == number)
  }

  @Test(arguments: [
    ("de", "in 2 Stunden", "2 Stunden"), ("fr", "dans 2 heures", "2 heures"), ("ja", "2 時間後", "2 時間"),
    ("ar", "خلال ساعتين", "ساعتان"),
  ])
  func hoursAreSaidInTheirCases(tag: String, away: String, amount: String) throws {
    #expect(try formats(tag).text(.away(2, .hour)) == away)
    #expect(try formats(tag).text(.amount(2, .hour))?.spaced == amount.spaced)
  }

  @Test(arguments: [
    ("en-US", "now", "2m ago", "5h ago"), ("de", "jetzt", "vor 2 m", "vor 5 Std."), ("ja", "今", "2分前", "5時間前"),
  ])
  func whatHasBeenIsSaidInFewLetters(tag: String, now: String, minutes: String, hours: String) throws {
    #expect(try formats(tag).text(.since(0, .second)) == now)
    #expect(try formats(tag).text(.since(2, .minute))?.spaced == minutes)
    #expect(try formats(tag).text(.since(5, .hour))?.spaced == hours)
    #expect(try formats(tag).text(.away(2, .hour)) != hours, "the others stay long")
  }

  @Test(arguments: [("de", "Ada, 山 und Bo"), ("ja", "Ada、山、Bo"), ("en-GB", "Ada, 山 and Bo")])
  func listsHaveTheirLastWord(tag: String, list: String) throws {
    #expect(try formats(tag).text(.list(["Ada", "山", "Bo"])) == list)
    #expect(try formats(tag).text(.list(["Ada"])) == "Ada")
    #expect(try formats(tag).text(.list([])) == "")
    let long = String(repeating: "é", count: 5_000)
    #expect(try formats(tag).text(.list([long, long]))?.hasPrefix(long) == true)
  }

  @Test func pluralsHaveTheirCategories() throws {
    let (arabic, french) = (try formats("ar"), try formats("fr"))
    #expect(
      [0, 1, 2, 3, 11, 100].map { arabic.text(.category($0)) } == ["zero", "one", "two", "few", "many", "other"])
    #expect([0, 1, 2].map { french.text(.category($0)) } == ["one", "one", "other"])
    #expect(try formats("ja").text(.category(1)) == "other")
  }

  private func formats(_ tag: String) throws -> LocaleFormats {
    let language = try #require(LanguageTag(tag))
    return try #require(LocaleFormats.of(language))
  }
}

extension String {
  /// The text with the same space everywhere: releases of CLDR differ in its width.
  fileprivate var spaced: String { String(map { $0.isWhitespace ? " " : $0 }) }
}
