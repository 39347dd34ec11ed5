import FunctionKit
import Testing

@testable import CLI

/// A command as one value: what reads its words, what a wrong word may have meant, its page, and what shells offer.
struct CommandArgumentsTests {
  private static let function = Option.text("--function", "F", "of this function").offering(.functions)
  private static let count = Option.number("--count", "N", in: 1...9, "how many (5)")
  private static let only = Option.text("--only", "F").repeated
  private static let all = Flag("--all", "everything", alias: "-a")
  private static let id = Operand("ID", "which one")

  private static let list = CommandSpec("list", "the newest", [function, count, only, all]) { arguments in
    arguments[count].map(Int32.init) ?? 1
  }
  private static let show = CommandSpec("show", "one of them", [id.required, function], [all.required]) { _ in 20 }
  private static let tap = CommandSpec("tap", "tap it", [function.required, all]) { _ in 21 }
  private static let events = CommandSpec(
    "events", "what happened", verbs: [list, show, CommandSpec("why", "why so", [id]).hidden], notes: "exit: 0")

  @Test func theVerbIsTheFirstWordOnly() async throws {
    #expect(try await Self.events.run(["show", "list"]) == 20)
    #expect(try await Self.events.run(["list", "--count", "3"]) == 3)
    await #expect {
      _ = try await Self.events.run(["--all", "list"])
    } throws: {
      "\($0)" == "Say list or show. See runner events --help."
    }
  }

  @Test(arguments: [
    (["shwo"], "There is no command runner events shwo; did you mean show? see runner events --help."),
    (["list", "--fnction", "x"], "Unknown argument --fnction; did you mean --function? see runner events --help."),
    (["list", "x"], "Unknown argument x; see runner events --help."),
    (["show", "x", "y"], "Unknown argument y; see runner events --help."),
    (
      ["show", "--count", "3"], "--count is given twice, or does not go with the other words; see runner events --help."
    ),
    (
      ["show", "--function", "f", "--all"],
      "--all is given twice, or does not go with the other words; see runner events --help."
    ),
    (
      ["list", "--count", "3", "--count", "3"],
      "--count is given twice, or does not go with the other words; see runner events --help."
    ),
    (["list", "--count"], "--count takes a value."),
    (["list", "--count", "10"], "--count takes a number from 1 to 9."),
  ])
  func whatNoFormHasIsRefused(_ words: [String], _ complaint: String) async throws {
    await #expect {
      _ = try await Self.events.run(words)
    } throws: {
      ($0 as? FunctionError)?.code == .usage && "\($0)" == complaint
    }
  }

  @Test(arguments: [[], ["--all"], ["--function", ""]])
  func anOptionThatIsNeededHasToBeGiven(_ words: [String]) {
    #expect {
      try CommandArguments(words, of: Self.tap).required(Self.function)
    } throws: {
      "\($0)" == "--function is missing; see runner tap --help."
    }
  }

  @Test(arguments: [
    ("lsit", " did you mean list?"), ("purg", " did you mean purge?"), ("rerty", " did you mean retry?"),
    ("nonsense", ""), ("x", ""),
  ])
  func suggestsWhatIsNear(_ word: String, _ phrase: String) {
    #expect(Suggestion.phrase(for: word, among: ["list", "show", "purge", "retry"]) == phrase)
  }

  @Test func aValueMayLookLikeAnOptionAndAFlagHasTwoNames() throws {
    let arguments = try CommandArguments(["--only", "--all", "-a", "--only", "g", "-a"], of: Self.list)

    #expect(arguments.all(Self.only) == ["--all", "g"])
    #expect(arguments[Self.all] && arguments.operands.isEmpty)
    #expect(arguments[Self.function] == nil && arguments[Self.count] == nil)
  }

  @Test func behindTwoHyphensEverythingIsAnOperand() throws {
    let spec = CommandSpec("show", "them", [Self.id.repeated, Self.function, Self.all])
    let words = ["one", "--function", "f", "--", "--all", "-h", "--", "--function"]
    let arguments = try CommandArguments(words, of: spec)

    #expect(!arguments[Self.all] && !CommandSpec.isAskedForHelp(words))
    #expect(arguments[Self.function] == "f")
    #expect(arguments.operands == ["one", "--all", "-h", "--", "--function"])
    #expect(throws: FunctionError.self) { try CommandArguments(["--", "-x"], of: Self.list) }
  }

  @Test func anOpenCommandLeavesWhatItDoesNotKnowToAnother() throws {
    let spec = CommandSpec("why", "why so", [Self.function], isOpen: true)
    let arguments = try CommandArguments(["1.2", "--user", "ada", "--function", "f", "--", "--all"], of: spec)

    #expect(arguments[Self.function] == "f")
    #expect(arguments.rest == ["1.2", "--user", "ada", "--", "--all"])
  }

  @Test func thePageFollowsFromTheForms() {
    #expect(
      Self.events.adding([Flag("--project", "where").common]).page == """
        What happened.

        usage: runner events list [--function F] [--count N] [--only F] [--all]
               runner events show ID [--function F]
               runner events show --all

          list            the newest
          show            one of them
          ID              which one
          --function F    of this function
          --count N       how many (5)
          --all           everything
          --project       where
          --help          this page

        exit: 0

        """)
  }

  @Test func aPageHasShortLines() {
    let long = Flag("--with-a-long-name", String(repeating: "many words ", count: 9) + "end")
    let spec = CommandSpec("say", "say it", Form([long] + (1...9).map { Flag("--option-\($0)") }))
    let page = CommandSpec("more", "more", Form([Self.all], optionsOf: spec)).page
    let lines = spec.page.split(separator: "\n")

    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains("                  [--option-8] [--option-9]") && lines.contains("  --with-a-long-name"))
    #expect(page.contains("usage: runner more [--all] [options of say]\n") && !page.contains("--option-1"))
  }

  @Test(arguments: [
    ([], "", ["list", "show"]), (["list"], "--", ["--all", "--count", "--function", "--help", "--only"]),
    (["list", "--function"], "", ["echo"]), (["show"], "", ["--all", "--function", "--help"]),
  ])
  func shellsOfferWhatMayStandNext(_ words: [String], _ last: String, _ offered: [String]) {
    let found = Self.events.candidates(behind: words, isOption: last.hasPrefix("-")) { candidates in
      if case .functions = candidates { ["echo"] } else { [] }
    }
    #expect(found == offered)
  }
}
