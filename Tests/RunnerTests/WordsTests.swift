import FunctionKit
import Testing

@testable import Runner

/// The command line, its help and its suggestions.
struct WordsTests {
  private enum Verb: String, CaseIterable { case list, show }

  @Test func theVerbIsTheFirstWordOnly() throws {
    var (first, later) = (Words(["show", "list"]), Words(["--project", "list"]))

    #expect(try first.verb() == Verb.show)
    #expect(try later.verb() == Verb?.none)
  }

  @Test func anUnknownVerbIsRefused() {
    var words = Words(["shwo"], of: "events")

    #expect {
      _ = try words.verb(as: Verb.self)
    } throws: {
      "\($0)" == "There is no command events shwo; did you mean show? see runner events --help."
    }
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
      #expect(help.page().contains("usage: runner \(help.command)"), "\(help.command)")
      #expect(help.page().split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(help.command)")
    }
    #expect(overview.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(Help.of("events")?.options.contains("--older-than") == true)
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
  fileprivate func padding() -> String { self + String(repeating: " ", count: max(0, 11 - count)) }
}
