import FunctionKit
import TestSupport
import Testing

/// Every page of help has the same form, and fits a narrow terminal.
@Suite(.heavy)
struct HelpTests {
  @Test(arguments: [
    ["push-emulator"], ["push-emulator", "serve"], ["push-emulator", "pushes"], ["push-emulator", "token"],
    ["push"], ["push", "doctor"], ["push", "token"], ["push", "why"],
    ["push", "unsubscribe-link"], ["push", "words"],
    ["demo"], ["runner"], ["runner", "status"], ["runner", "serve"], ["echo"], ["vote-cast"],
  ])
  func aPageHasTheForm(_ words: [String]) async throws {
    let outcome = try await BuiltExecutables.run(words[0], words.dropFirst() + ["--help"])

    let lines = outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(outcome.exit == 0)
    #expect(lines.filter { $0.count > 80 } == [])
    #expect(lines.contains { $0.hasPrefix("usage: ") } && outcome.stdout.hasSuffix("\n"))
  }

  @Test func everyFunctionIsBuiltAndHelps() async throws {
    let manifest = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    for name in try #require(manifest["functions"]?.members).map(\.name) {
      let outcome = try await BuiltExecutables.run(name, ["--help"])
      #expect(outcome.exit == 0, "\(name)")
      #expect(outcome.stdout.contains("usage: \(name) "), "\(name)")
    }
  }

  @Test func theEmulatorsPagesAreTheirCommands() async throws {
    let pushes = try await BuiltExecutables.run("push-emulator", ["pushes", "--help"])
    let overview = try await BuiltExecutables.run("push-emulator", ["--help"])

    #expect(pushes.stdout.contains("usage: runner pushes") && !pushes.stdout.contains("--max-streams"))
    #expect(overview.stdout.contains("  token  ") && !overview.stdout.contains("--max-streams"))
  }

  /// `runner --help` reads `functions.json` alone: it starts no program.
  @Test func functionsJSONSaysTheSameOfACommandAsItsProgram() async throws {
    let manifest = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])

    for command in manifest["commands"]?.members ?? [] {
      let program = try #require(command.value["executable"]?.stringValue)
      let words = command.value["arguments"]?.elements?.compactMap(\.stringValue) ?? []
      let page = try await BuiltExecutables.run(program, words + ["--help"])
      // A command's earlier name has none.
      guard let summary = command.value["summary"]?.stringValue else { continue }

      #expect(page.stdout.hasPrefix("\(summary.prefix(1).uppercased())\(summary.dropFirst()).\n"), "\(command.name)")
      #expect(page.stdout.contains("usage: runner \(command.name)"), "\(command.name)")
      guard let word = words.first else { continue }
      let overview = try await BuiltExecutables.run(program, ["--help"])
      #expect(overview.stdout.contains("  \(word) ") && overview.stdout.contains(" \(summary)\n"), "\(command.name)")
    }
  }

  @Test(arguments: [
    (["push", "wyh"], "push: There is no command wyh; did you mean why? see push --help.\n"),
    (
      ["push", "why", "ada@example.com", "--sinse", "1d"],
      "push: Unknown argument --sinse; did you mean --since? see runner why --help.\n"
    ),
    (
      ["push", "doctor", "--prodution", "--live"],
      "push: Unknown argument --prodution; did you mean --production? see runner doctor push --help.\n"
    ),
    (
      ["push-emulator", "serve", "--directory", "d", "--prot", "1"],
      "push-emulator: Unknown argument --prot; did you mean --port? see push-emulator serve --help.\n"
    ),
    (["demo", "--jsno"], "demo: Unknown argument --jsno; did you mean --json? see runner demo --help.\n"),
    (
      ["runner", "serve", "--prot"], "runner: Unknown argument --prot; did you mean --port? see runner serve --help.\n"
    ),
  ])
  func everyProgramSaysWhatMayHaveBeenMeant(_ words: [String], _ complaint: String) async throws {
    let outcome = try await BuiltExecutables.run(words[0], Array(words.dropFirst()))

    #expect(outcome.exit == 64 && outcome.stdout.isEmpty)
    #expect(outcome.stderr == complaint)
  }

  @Test(arguments: ["push", "push-emulator", "runner"])
  func aProgramWithoutWordsShowsItsCommands(_ program: String) async throws {
    let bare = try await BuiltExecutables.run(program, [])

    #expect(bare.exit == 64 && bare.stdout.isEmpty)
    #expect(bare.stderr == (try await BuiltExecutables.run(program, ["--help"]).stdout))
  }
}
