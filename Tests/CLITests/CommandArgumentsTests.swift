import FunctionKit
import Testing

@testable import CLI

/// The arguments of a command line, and what may be meant by wrong ones.
struct CommandArgumentsTests {
  private enum Verb: String, CaseIterable { case list, show }

  @Test func theVerbIsTheFirstWordOnly() throws {
    var (first, later) = (CommandArguments(["show", "list"]), CommandArguments(["--project", "list"]))

    #expect(try first.verb() == Verb.show)
    #expect(try later.verb() == Verb?.none)
  }

  @Test func anUnknownVerbIsRefused() {
    var arguments = CommandArguments(["shwo"], of: "runner events")

    #expect {
      _ = try arguments.verb(as: Verb.self)
    } throws: {
      "\($0)" == "There is no command runner events shwo; did you mean show? see runner events --help."
    }
  }

  @Test(arguments: [
    ("lsit", " did you mean list?"), ("purg", " did you mean purge?"), ("rerty", " did you mean retry?"),
    ("nonsense", ""), ("x", ""),
  ])
  func suggestsWhatIsNear(_ word: String, _ phrase: String) {
    #expect(Suggestion.phrase(for: word, among: ["list", "show", "purge", "retry"]) == phrase)
  }

  @Test func behindTwoHyphensEverythingIsAnOperand() throws {
    var arguments = CommandArguments(["one", "--function", "f", "--", "--all", "-h", "--", "--function"])

    #expect(!arguments.flag("--all") && !arguments.flag("-h"))
    #expect(try arguments.value("--function") == "f")
    var other = arguments
    #expect(arguments.operands() == ["one", "--all", "-h", "--", "--function"])
    try arguments.finish()
    #expect(other.operand() == "one" && other.all() == ["--", "--all", "-h", "--", "--function"])
    try other.finish()
    #expect(throws: FunctionError.self) { try CommandArguments(["--", "-x"]).finish() }
  }

  @Test func anUnknownOptionIsRefusedAndTheNearestIsNamed() {
    let arguments = CommandArguments(["--fnction", "echo"], of: "runner events", options: ["--function", "--count"])

    #expect {
      try arguments.finish()
    } throws: {
      "\($0)" == "Unknown argument --fnction; did you mean --function? see runner events --help."
    }
  }
}
