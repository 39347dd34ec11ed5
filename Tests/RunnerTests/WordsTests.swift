import FoundationEssentials
import FunctionKit
import Testing

@testable import Runner

/// The command line, its help and its suggestions.
struct WordsTests {
  @Test(arguments: [("90s", 90.0), ("5m", 300), ("1h", 3_600), ("30d", 2_592_000), ("2w", 1_209_600)])
  func lengthsOfTimeHaveAUnit(_ text: String, _ seconds: Double) throws {
    var words = Words(["--since", text])

    #expect(try words.seconds("--since") == seconds)
  }

  @Test(arguments: ["", "5", "h", "-1h", "0s", "1.5h", "1y", "1hh"])
  func otherLengthsAreRefused(_ text: String) {
    #expect(throws: FunctionError.self) {
      var words = Words(["--since", text])
      _ = try words.seconds("--since")
    }
  }

  @Test func theVerbIsTheFirstWordOnly() {
    var words = Words(["--project", "x"])

    #expect(words.verb() == nil)
  }

  @Test(arguments: [
    ("lsit", " did you mean list?"), ("purg", " did you mean purge?"), ("repaly", " did you mean replay?"),
    ("nonsense", ""), ("x", ""),
  ])
  func suggestsWhatIsNear(_ word: String, _ phrase: String) {
    #expect(Suggestion.phrase(for: word, among: ["list", "show", "purge", "replay"]) == phrase)
  }

  @Test func everyCommandHasItsPage() {
    let overview = Help.overview([])

    #expect(Help.all.count >= 12)
    for help in Help.all {
      #expect(overview.contains("\n  \(help.command.padding()) \(help.summary)\n"), "\(help.command)")
      #expect(help.page.contains("usage: runner \(help.command)"), "\(help.command)")
      #expect(help.page.split(separator: "\n").allSatisfy { $0.count <= 120 }, "\(help.command)")
    }
    #expect(Help.of("events")?.options.contains("--older-than") == true)
  }

  @Test(arguments: [
    (0.25, "250 ms"), (-3, "0 ms"), (12.4, "12 s"), (200, "3 min 20 s"), (3_600, "1 h"), (18_120, "5 h 2 min"),
    (702_000, "8 d 3 h"),
  ])
  func lengthsOfTimeAreReadable(_ seconds: Double, _ text: String) {
    #expect(TimeText.length(seconds) == text)
  }

  @Test func aNarrowColumnLeavesOutTheYearThatItIs() {
    let date = Date(timeIntervalSince1970: 1_785_600_000)

    #expect(TimeText.brief(date, now: date + 86_400) == "08-01 16:00:00")
    #expect(TimeText.brief(date, now: date + 86_400 * 200) == "2026-08-01 16:00:00")
  }

  @Test func prettyJSONKeepsOrderAndDigits() throws {
    let json = try RawJSON(validating: Array(#"{"b":[1,{"x":9007199254740993}],"a":{},"c":[],"d":"é\n"}"#.utf8)[...])

    #expect(
      json.pretty == """
        {
          "b": [
            1,
            {
              "x": 9007199254740993
            }
          ],
          "a": {},
          "c": [],
          "d": "é\\n"
        }
        """)
  }
}

extension String {
  fileprivate func padding() -> String { self + String(repeating: " ", count: max(0, 9 - count)) }
}
