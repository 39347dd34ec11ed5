import FunctionKit
import Glibc
import Postgres
import TestSupport
import Testing

/// `runner up`, as somebody types it in whose shell DATABASE_URL is set.
@Suite(.heavy)
struct UpTests {
  private func bundle() async throws -> RunningRunner {
    try await RunningRunner(try House.text("functions.json"), isMigrated: false)
  }

  /// Runs words on a terminal of 60 columns; what appears on it.
  private func onTerminal(
    _ words: [String], of runner: RunningRunner, typing text: String = "", environment: [String: String] = [:]
  ) async throws -> BuiltExecutables.Outcome {
    let line = ([BuiltExecutables.path(of: "runner")] + words + ["--project", runner.project.path])
      .map { "'\($0)'" }.joined(separator: " ")
    let own = ["DATABASE_URL": runner.databaseURL, "COLUMNS": "60", "TERM": "xterm", "SHELL": "/bin/sh"]
    return try await BuiltExecutables.run(
      "/usr/bin/script", ["-qec", line, "/dev/null"], stdin: text, environment: own.merging(environment) { $1 },
      timeout: .seconds(240))
  }

  private func expectUntouched(_ runner: RunningRunner) async throws {
    #expect(try await runner.database.query("SELECT FROM pg_namespace WHERE nspname = 'runner'").isEmpty)
  }

  @Test func withoutATerminalADatabaseThatIsNotItsOwnMustBeMeant() async throws {
    let runner = try await bundle()

    let outcome = try await runner.run(["up", "--port", "0"])

    #expect(outcome.exit == 64)
    #expect(outcome.stderr.contains("DATABASE_URL is set") && outcome.stderr.contains("--database"))
    try await expectUntouched(runner)
  }

  @Test func onATerminalItAsks() async throws {
    let runner = try await bundle()

    let outcome = try await onTerminal(["up", "--port", "0"], of: runner, typing: "n\n")

    #expect(outcome.exit == 0, "\(outcome.stdout)")
    #expect(outcome.stdout.contains("Is it meant? [y/N]") && outcome.stdout.contains("Nothing was done"))
    try await expectUntouched(runner)
  }

  @Test func withoutTheEmulatorItServesWithoutTheStoryAndSaysByWhichPathToGoOn() async throws {
    let runner = try await bundle()
    for (path, name) in [
      ("/usr/bin:/bin", "\(BuiltExecutables.directory)/runner"), ("\(BuiltExecutables.directory):/bin", "runner"),
    ] {
      let program = try RunningProgram(
        "runner", ["up", "--database", "--port", "0", "--project", runner.project.path],
        environment: ["DATABASE_URL": runner.databaseURL, "PATH": path])

      let line = try await program.line(within: .seconds(120)) { $0.contains("Serving at http") }

      #expect(line.contains("/_/console/") && line.hasSuffix("Try: \(name) pushes, or see README.md."))
      #expect(
        program.lines.contains { $0.hasPrefix("The story was not played: it needs the services of functions.json") })
      program.send(SIGTERM)
      #expect(try await program.exit(within: .seconds(120)) == 0)
    }
    #expect(try await runner.run(["up", "--database", "--demo"]).exit == 64)
    #expect(try await runner.database.query("SELECT FROM users").isEmpty)
  }

  @Test func demoPeopleAreNeverPutAmongOthers() async throws {
    let runner = try await bundle()
    _ = try await runner.run(["migrate"], timeout: .seconds(120))
    _ = try await runner.database.query(
      "INSERT INTO users (email, name, password_hash) VALUES ('real@example.com', 'Real', '')")

    let outcome = try await runner.run(
      ["up", "--database", "--emulator", "--demo", "--port", "0"], timeout: .seconds(240))

    #expect(outcome.exit == 78 && outcome.stderr.contains("demo: The database has people of its own"))
    #expect(try await runner.database.query("SELECT FROM users").count == 1)
  }

  @Test func onATerminalTheStoryIsNotMixedWithTheLogWhoseLinesAreShort() async throws {
    let runner = try await bundle()

    let outcome = try await onTerminal(
      ["up", "--database", "--emulator", "--demo", "--port", "0"], of: runner, environment: ["NO_COLOR": "1"])

    let lines = outcome.stdout.split(separator: "\r\n").map(String.init)
    let began = try #require(lines.firstIndex { $0.hasPrefix("1  Grace sends") }, "\(outcome.stdout)")
    let ended = try #require(lines.lastIndex { $0.contains("not told: ") })
    let isLog: (String) -> Bool = { line in line.prefixMatch(of: /[0-9]{2}:[0-9]{2}:[0-9]{2}\s/) != nil }
    // Trouble, which a busy machine may have, is said at once and in full.
    let isNews: (String) -> Bool = { isLog($0) && !$0.contains(#/(warning|error): /#) }
    #expect(!lines.contains { $0.hasPrefix("{") || $0.contains("\u{1B}") })
    #expect(lines[..<began].contains { isLog($0) && $0.contains("Serving") })
    #expect(lines[began...ended].filter { isNews($0) } == [])
    #expect(lines.filter { isNews($0) && $0.count > 60 } == [])
  }
}
