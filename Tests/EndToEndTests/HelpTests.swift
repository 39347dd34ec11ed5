import TestSupport
import Testing

/// Every page of help has the same form, and fits a narrow terminal.
@Suite(.startsProcesses)
struct HelpTests {
  @Test(arguments: [
    ["push-emulator"], ["push-emulator", "serve"], ["push-emulator", "pushes"], ["push-emulator", "token"],
    ["push-doctor"], ["push-token"], ["push-explain", "explain"], ["push-explain", "why"], ["unsubscribe-link"],
    ["demo"], ["runner"], ["runner", "status"], ["runner", "serve"], ["echo"], ["vote-cast"],
  ])
  func aPageHasTheForm(_ words: [String]) async throws {
    let outcome = try await BuiltExecutables.run(words[0], words.dropFirst() + ["--help"])

    let lines = outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(outcome.exit == 0)
    #expect(lines.filter { $0.count > 80 } == [])
    #expect(lines.contains { $0.hasPrefix("usage: ") } && outcome.stdout.hasSuffix("\n"))
  }

  @Test func theEmulatorsPagesAreTheirCommands() async throws {
    let pushes = try await BuiltExecutables.run("push-emulator", ["pushes", "--help"])
    let overview = try await BuiltExecutables.run("push-emulator", ["--help"])

    #expect(pushes.stdout.contains("usage: runner pushes") && !pushes.stdout.contains("--max-streams"))
    #expect(overview.stdout.contains("  token  ") && !overview.stdout.contains("--max-streams"))
  }
}
