import FunctionKit
import Postgres
import TestSupport
import Testing

/// The runner's command line, as its users type it.
@Suite(.heavy)
struct CommandTests {
  private static let echo = #"{"functions":{"echo":{"sample":"sample.json"}}}"#

  private func project(_ manifest: String = echo) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(manifest, to: "functions.json")
    try directory.write(#"{"hello":"sample"}"#, to: "sample.json")
    return directory
  }

  private func run(_ arguments: String..., in directory: TemporaryDirectory, stdin: String = "") async throws
    -> BuiltExecutables.Outcome
  {
    try await BuiltExecutables.run("runner", arguments + ["--project", directory.path], stdin: stdin)
  }

  @Test func itsVersionNamesTheCommitThatItWasBuiltFrom() async throws {
    let outcome = try await BuiltExecutables.run("runner", ["--version"])

    // Tests/run says which commit it has built.
    if let commit = Environment.current()["PUSH_FUNCTIONS_COMMIT"], !commit.isEmpty {
      #expect(outcome.stdout == "runner \(bundleVersion) (\(commit))\n")
    } else {
      #expect(outcome.stdout.wholeMatch(of: /runner [\d.]+( \([0-9a-f]{12}\+?\))?\n/) != nil)
    }
  }

  @Test func invokesWithTheSampleAFileOrStdin() async throws {
    let directory = try project()
    let file = try directory.write(#"{"hello":"file"}"#, to: "event.json")

    #expect(try await run("invoke", "echo", "--sample", in: directory).stdout.contains(#""hello":"sample""#))
    #expect(try await run("invoke", "echo", "--event", file, in: directory).stdout.contains(#""hello":"file""#))
    let piped = try await run("invoke", "echo", "--event", "-", in: directory, stdin: #"{"hello":"pipe"}"#)
    #expect(piped.stdout.contains(#""hello":"pipe""#))
    #expect(piped.exit == 0)
  }

  @Test func theBundlesCommandsSeeTheAppsOwnTexts() async throws {
    let directory = try project(
      #"""
      {"languages":".","functions":{"echo":{"url":"https://echo.example"}},
       "commands":{"words":{"executable":"push","arguments":["words"],"summary":"texts"}}}
      """#)
    try directory.write("feedbackkit.new_vote.title = Nieuwe stem\n", to: "nl.strings")

    let outcome = try await run("words", "--language", "nl", in: directory)

    #expect(outcome.stdout.contains("\nfeedbackkit.new_vote.title = Nieuwe stem\n"), "\(outcome)")
  }

  @Test func passesOnTheFunctionsExitStatus() async throws {
    let outcome = try await run("invoke", "echo", in: try project(), stdin: "{")

    #expect(outcome.exit == 65)
    #expect(outcome.stdout.contains("INVALID_EVENT"))
  }

  @Test(arguments: [
    (["invoke"], 64), (["invoke", "nobody"], 64), (["invoke", "echo", "--event", "/nowhere"], 66),
    (["invoke", "echo", "--sample", "--event", "x"], 64), (["serve", "--port", "x"], 64),
    (["serve", "--host", "0.0.0.0"], 64), (["list", "--nonsense"], 64), (["nonsense"], 64),
  ])
  func badUsageHasItsExitStatusAndASentence(_ arguments: [String], _ status: Int) async throws {
    let directory = try project()

    let outcome = try await BuiltExecutables.run("runner", arguments + ["--project", directory.path])

    #expect(Int(outcome.exit) == status)
    #expect(outcome.stderr.hasPrefix("runner: "))
  }

  @Test func withoutWordsItHelps() async throws {
    let outcome = try await BuiltExecutables.run("runner")

    #expect(outcome.exit == 64)
    #expect(outcome.stderr.contains("usage: runner COMMAND"))
  }

  @Test func namesMistakesInTheManifestWithTheirPlace() async throws {
    let directory = try project("{\n  \"functions\": {\n    \"echo\": { \"timeout\": 0 }\n  }\n}")

    let outcome = try await run("validate", in: directory)

    #expect(outcome.exit == 78)
    #expect(
      outcome.stderr
        == "runner: functions.json:3: functions.echo.timeout must be a whole number of seconds from 1 to 900\n")
  }

  @Test func migratingTwiceChangesNothingTheSecondTime() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"echo":{"triggers":[{"table":"votes","events":["INSERT"]}],"key":"feedback_id"}}}"#,
      isMigrated: false)

    let (first, second) = (try await runner.run(["migrate"]), try await runner.run(["migrate"]))

    #expect(first.stdout.contains("applied runner/1000_events"))
    #expect(first.stdout.contains("trigger runner_insert on public.votes"))
    #expect(second.stdout == "Nothing to do: the database is up to date.\n")
  }

  @Test func servingChangesNobodyElsesDatabaseUnasked() async throws {
    let runner = try await RunningRunner(Self.echo, isMigrated: false)

    let outcome = try await runner.run(["serve", "--port", "0"])

    #expect(outcome.exit == 78)
    #expect(outcome.stderr.contains("run \"runner migrate\" first"))
    let schemas = try await runner.database.query("SELECT 1 FROM pg_namespace WHERE nspname = 'runner'")
    #expect(schemas.isEmpty)
  }

  /// The way out that is said is gone through in `DevelopmentVersionTests`.
  @Test func aDatabaseOfAVersionBeforeOneIsRefusedWithAWayOut() async throws {
    let runner = try await RunningRunner(Self.echo)
    _ = try await runner.run(["migrate"])
    try await runner.database.script(
      "DELETE FROM runner.migrations; INSERT INTO runner.migrations (name) VALUES ('runner/0013_roles')")

    for command in [["migrate"], ["migrate", "--plan"], ["migrate", "--check"], ["serve", "--port", "0"]] {
      let refusal = try await runner.run(command)
      #expect(refusal.exit == 78)
      #expect(refusal.stderr.contains("The database is of a version from before 1.0 (runner/0013_roles)"))
      #expect(refusal.stderr.contains("\"runner migrate --remove\"") && refusal.stderr.contains("Nothing was changed."))
    }
    #expect(try await runner.run(["doctor"]).stdout.contains("of a version from before 1.0 (runner/0013_roles)"))
  }

  @Test func takesAwayTriggersThatAreNoLongerAskedFor() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"echo":{"triggers":[{"table":"votes","events":["INSERT"]}]}}}"#)
    _ = try await runner.run(["migrate"])

    try runner.project.write(Self.echo, to: "functions.json")
    let kept = try await runner.run(["migrate"])
    #expect(kept.stdout.contains("runner migrate --prune"))
    #expect(try await runner.database.query("SELECT 1 FROM pg_trigger WHERE tgname LIKE 'runner_%'").count == 1)
    let outcome = try await runner.run(["migrate", "--prune"])

    #expect(outcome.stdout.hasPrefix("removed trigger runner_insert from public.votes\n"))
    let left = try await runner.database.query("SELECT 1 FROM pg_trigger WHERE tgname LIKE 'runner_%'")
    #expect(left.isEmpty)
  }

  @Test func namesATableOrColumnThatIsNotThere() async throws {
    let table = try await RunningRunner(
      #"{"functions":{"echo":{"triggers":[{"table":"nowhere","events":["INSERT"]}]}}}"#)
    let column = try await RunningRunner(
      #"{"functions":{"echo":{"key":"nothing","triggers":[{"table":"votes","events":["INSERT"]}]}}}"#)

    let (first, second) = (try await table.run(["migrate"]), try await column.run(["migrate"]))

    #expect(first.exit == 78)
    #expect(first.stderr.contains("no table public.nowhere, which functions.json names for echo"))
    #expect(second.stderr.contains("public.votes has no column nothing, which functions.json names for echo"))
  }

  @Test func doctorFindsWhatIsMissing() async throws {
    let runner = try await RunningRunner(#"{"functions":{"gone":{}}}"#, isMigrated: false)

    let outcome = try await runner.run(["doctor", "--json"])

    #expect(outcome.exit == 78)
    let findings = try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
    #expect(findings.contains { $0["check"]?.stringValue == "executable" && $0["ok"]?.kind == .bool })
    #expect(findings.contains { $0["detail"]?.stringValue == "not there: runner migrate" })
  }

  @Test func doctorSaysWhichFunctionLacksWhichVariable() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"echo":{"environment":["DATABASE_URL","HERE","GONE"]}}}"#, environment: ["HERE": "yes"])
    _ = try await runner.run(["migrate"])

    let outcome = try await runner.run(["doctor"])

    #expect(outcome.exit == 0)
    #expect(outcome.stdout.contains("echo asks for GONE, not set here"))
  }

  @Test(arguments: [(0, false), (1, true)])
  func doctorWarnsOfMoreProcessesThanConnections(_ excess: Int, _ warns: Bool) async throws {
    let runner = try await RunningRunner(#"{"functions":{}}"#)
    _ = try await runner.run(["migrate"])
    let most = try await runner.database.query(
      "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS n"
    ).only().decode("n", as: Int.self)
    let function = #"{"concurrency":64,"environment":["DATABASE_URL"],"executable":"/bin/cat"}"#
    let functions = (0..<8).map { #""f\#($0)":\#(function)"# }
    try runner.project.write(
      #"{"concurrency":\#(most / 3 - 10 + excess),"functions":{\#(functions.joined(separator: ","))}}"#,
      to: "functions.json")

    let outcome = try await runner.run(["doctor", "--replicas", "3"])

    #expect(outcome.exit == 0)
    #expect(outcome.stdout.contains("3 runners take up to \(3 * (most / 3 + excess)) connections"))
    #expect(outcome.stdout.contains("but the database has \(most)") == warns)
  }

  @Test func doctorCountsTheConnectionsOfTheProcessesWithTheMost() async throws {
    func function(_ concurrency: Int, _ others: String) -> String {
      #"{"concurrency":\#(concurrency),"executable":"/bin/cat"\#(others)}"#
    }
    let database = #","environment":["DATABASE_URL"]"#
    let runner = try await RunningRunner(
      #"""
      {"concurrency":5,"functions":{"one":\#(function(3, database)),"three":\#(function(2, #","connections":3"# + database)),
        "two":\#(function(1, #","connections":2"# + database)),"none":\#(function(9, #","connections":9"#)),
        "elsewhere":{"url":"https://${DATABASE_URL}/"}}}
      """#)
    _ = try await runner.run(["migrate"])

    let outcome = try await runner.run(["doctor", "--replicas", "2"])

    // Five processes at once: twice three, two, and twice one.
    #expect(outcome.stdout.contains("2 runners take up to 40 connections (each 20: 10 of functions, 10 its own)"))
  }
}
