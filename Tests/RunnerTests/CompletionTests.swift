import FunctionKit
import TestSupport
import Testing

@testable import Manifest
@testable import Runner

/// The words that a shell offers while somebody types.
@Suite(.heavy)
struct CompletionTests {
  private static let manifest = Manifest(
    directory: "/", functions: [FunctionEntry(name: "vote-cast"), FunctionEntry(name: "comment-added")], services: [],
    commands: [
      CommandEntry(name: "doctor push", executable: "push"),
      CommandEntry(name: "why", executable: "push"),
    ])

  private func candidates(_ words: [String]) -> [String] {
    Completion(manifest: Self.manifest) { "usage: runner \($0.name)\n  --since LENGTH" }.candidates(words)
  }

  @Test(arguments: [
    (["sch"], ["schedules"]), (["w"], ["why"]), (["events", "r"], ["retry"]),
    (["events", "list", "--fu"], ["--function"]), (["events", "list", "--function", "vo"], ["vote-cast"]),
    (["events", "list", "--state", "re"], ["retrying"]), (["invoke", "c"], ["comment-added"]),
    (["doctor", "p"], ["push"]), (["doctor", "push", "--si"], ["--since"]),
    (["why", "--s"], ["--since", "--state-dir"]),
    (["clock", "adv"], ["advance"]), (["completions", "f"], ["fish"]), (["nonsense", ""], []),
  ])
  func offersWhatFits(_ words: [String], _ found: [String]) {
    #expect(candidates(words) == found)
  }

  @Test func bashCompletesWithTheScript() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"functions":{"vote-cast":{}}}"#, to: "functions.json")
    let typed = "COMP_WORDS=(runner logs vo); COMP_CWORD=2; _runner runner logs vo"

    let outcome = try await BuiltExecutables.run(
      "/bin/bash",
      ["-c", "cd '\(folder.path)'; source <(runner completions bash); \(typed); echo \"${COMPREPLY[@]}\""],
      environment: ["PATH": "\(BuiltExecutables.directory):/usr/bin:/bin"])

    #expect(outcome.stdout == "vote-cast\n", "\(outcome.stderr)")
  }

  @Test(arguments: [("zsh", "#compdef runner"), ("fish", "complete -c runner")])
  func otherShellsHaveScripts(_ shell: String, _ beginning: String) async throws {
    let outcome = try await BuiltExecutables.run("runner", ["completions", shell])

    #expect(outcome.exit == 0 && outcome.stdout.hasPrefix(beginning))
    #expect(try await BuiltExecutables.run("runner", ["completions", "tcsh"]).exit == 64)
  }
}
