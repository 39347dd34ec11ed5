import Foundation
import TestSupport
import Testing

/// The verdicts of `Tests/run` on tests that fail, with a `swift test` that says what a test wants.
struct VerdictTests {
  private static let ended = #"{"kind":"event","payload":{"kind":"runEnded","messages":[]},"version":0}"#

  private static func id(_ name: String) -> String { #"M.S\/\#(name)()\/S.swift:3:4"# }

  private static func started(_ name: String) -> String {
    #"{"kind":"event","payload":{"kind":"testStarted","messages":[],"testID":"\#(id(name))"},"version":0}"#
  }

  private static func passed(_ name: String) -> String {
    #"{"kind":"event","payload":{"kind":"testEnded","messages":[],"testID":"\#(id(name))"},"version":0}"#
  }

  private static func issue(_ name: String) -> String {
    #"{"kind":"event","payload":{"issue":{"isKnown":false},"kind":"issueRecorded","messages":[{"symbol":"fail","#
      + #""text":"\#(name)() said \"no\"\nto 1\/2"}],"testID":"\#(id(name))"},"version":0}"#
  }

  /// Runs the tests twice at most: each run writes these events, and fails if there is an issue or no end among them.
  private func verdict(_ runs: [[String]], _ words: String = "part tests run_tests || failed+=(tests)") async throws
    -> BuiltExecutables.Outcome
  {
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      #!/bin/sh
      cd '\(folder.path)'
      echo "$@" >> calls
      while [ "$1" != --event-stream-output-path ]; do shift; done
      run=$(wc -l < calls)
      cp "events-$run" "$2"
      grep -q runEnded "$2" && ! grep -q issueRecorded "$2"
      """, to: "swift", mode: 0o700)
    for (number, lines) in runs.enumerated() {
      try folder.write(lines.joined(separator: "\n") + "\n", to: "events-\(number + 1)")
    }
    let script = """
      set -euo pipefail
      source '\(House.root.path)/Tests/verdict'
      keep_logs '\(folder.path)/logs'
      cd '\(folder.path)'
      \(words)
      cat calls || true
      finish
      """
    return try await BuiltExecutables.run(
      "/bin/bash", ["-c", script], environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
  }

  @Test func whatPassesIsGreenAndSaysHowLongItTook() async throws {
    let outcome = try await verdict([[Self.started("a"), Self.passed("a"), Self.ended]])

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stdout.contains(/Seconds of each part:\n  \d+ tests\n$/))
    #expect(!outcome.stdout.contains("--filter"))
  }

  @Test func aRunOfNoTestIsRed() async throws {
    let outcome = try await verdict([[Self.ended]])

    #expect(outcome.exit == 1)
    #expect(outcome.stdout.hasPrefix("No test ran.\n"))
    #expect(outcome.stdout.contains("\nFailed: tests\n"))
  }

  @Test func whatCannotBeTestedIsSaidAtTheEnd() async throws {
    let outcome = try await verdict(
      [[Self.passed("a"), Self.ended]],
      "part tests run_tests; source '\(House.root.path)/Runner/install'; cannot_test 'There is no browser.' 2>/dev/null"
    )

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stdout.hasSuffix("\nNot tested:\n  There is no browser.\n"))
  }

  @Test func whatFailsOnceIsNamedAsUnsteady() async throws {
    let outcome = try await verdict([[Self.issue("a"), Self.issue("a"), Self.ended], [Self.passed("a"), Self.ended]])

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stdout.contains("--no-parallel --filter ^M\\.S/a\\(\\)\n"))
    let block = outcome.stdout.split(separator: "Unsteady:").last.map(String.init) ?? ""
    #expect(block.contains("  M.S/a()/S.swift:3:4\n    a() said \"no\" to 1/2\n"))
    #expect(block.contains("/logs/20"))
  }

  @Test func whatFailsTwiceIsRed() async throws {
    let outcome = try await verdict([
      [Self.issue("a"), Self.issue("b"), Self.ended],
      [Self.passed("a"), Self.issue("b"), Self.passed("b"), Self.ended],
    ])

    #expect(outcome.exit == 1)
    #expect(outcome.stdout.contains("--filter ^M\\.S/a\\(\\)|^M\\.S/b\\(\\)\n"))
    #expect(outcome.stdout.contains("Failed, and did not pass alone:\n  M.S/b()/S.swift:3:4\n"))
    let block = outcome.stdout.split(separator: "Unsteady:").last.map(String.init) ?? ""
    #expect(block.contains("M.S/a()") && !block.contains("M.S/b()"))
    #expect(outcome.stdout.contains("\nFailed: tests\nThe logs are in "))
  }

  @Test(arguments: [(2, 0), (3, 1)])
  func threeUnsteadyTestsAreTooMany(_ count: Int, _ exit: Int32) async throws {
    let names = ["a", "b", "c"].prefix(count)

    let outcome = try await verdict([names.map(Self.issue) + [Self.ended], names.map(Self.passed) + [Self.ended]])

    #expect(outcome.exit == exit)
    #expect(outcome.stdout.contains("more than two fail the run") == (exit == 1))
  }

  /// A run of no test ends well, and what is recorded when no test runs any more cannot be run again.
  @Test(arguments: [
    [[issue("a"), ended], [ended]],
    [[issue("a"), issue("a").replacing(/,"testID":"[^"]*"/, with: ""), ended], [passed("a"), ended]],
    [[issue("a").replacing(/,"testID":"[^"]*"/, with: ""), ended], [ended]],
  ])
  func whatIsNotSeenToPassIsRed(_ runs: [[String]]) async throws {
    let outcome = try await verdict(runs)

    #expect(outcome.exit == 1, "\(outcome.stdout)")
    #expect(outcome.stdout.contains("Failed, and did not pass alone:\n"))
    #expect(outcome.stdout.contains("a() said \"no\" to 1/2"))
  }

  /// A process that is gone says nothing of the tests that had not run.
  @Test func aRunWithoutAnEndIsRedAndIsNotRepeated() async throws {
    let outcome = try await verdict([[Self.started("b")], [Self.ended]])

    #expect(outcome.exit == 1)
    #expect(outcome.stdout.contains("did not come to their end. Still running:\n  M.S/b()/S.swift:3:4\n"))
    #expect(!outcome.stdout.contains("Failed until then") && !outcome.stdout.contains("--filter"))
    #expect(outcome.stdout.contains("\nFailed: tests\nThe logs are in "))
  }

  @Test func aRunWithoutAnEndNamesWhatHasFailedUntilThen() async throws {
    let outcome = try await verdict([
      [
        Self.started("a"), Self.issue("a"), Self.issue("a"), Self.passed("a"), Self.started("b"), Self.started("c"),
        Self.issue("c"),
      ], [Self.ended],
    ])

    #expect(outcome.exit == 1)
    let still = "Still running:\n  M.S/b()/S.swift:3:4\n  M.S/c()/S.swift:3:4\n"
    let said = ["a", "c"].map { "  M.S/\($0)()/S.swift:3:4\n    \($0)() said \"no\" to 1/2\n" }.joined()
    #expect(outcome.stdout.contains("\(still)Failed until then:\n\(said)"), "\(outcome.stdout)")
    #expect(!outcome.stdout.contains("--filter"))
    #expect(outcome.stdout.contains("\nFailed: tests\nThe logs are in "))
  }

  @Test(arguments: [("[[ -e tried ]] || ! touch tried", Int32(0)), ("false", 1)])
  func aCampaignHasASecondRunToo(_ command: String, _ exit: Int32) async throws {
    let outcome = try await verdict(
      [], "try() { echo trying; \(command); }; part chaos campaign chaos try || failed+=(chaos)")

    #expect(outcome.exit == exit, "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stdout.contains("trying\nchaos failed, and is run again.\ntrying\n"))
    #expect(outcome.stdout.contains("Unsteady:") == (exit == 0))
    #expect(outcome.stdout.contains("\nFailed: chaos\n") == (exit == 1))
  }
}
