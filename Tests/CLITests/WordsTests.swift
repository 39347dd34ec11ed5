import FunctionKit
import Testing

@testable import CLI

/// The words of a command line, and what may be meant by wrong ones.
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

  @Test func anUnknownOptionIsRefusedAndTheNearestIsNamed() {
    let words = Words(["--fnction", "echo"], of: "events", options: ["--function", "--count"])

    #expect {
      try words.finish()
    } throws: {
      "\($0)" == "Unknown argument --fnction; did you mean --function? see runner events --help."
    }
  }
}
