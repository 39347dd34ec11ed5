import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// A folder, and a database, that a runner does not have to itself.
@Suite(.heavy)
struct SharingTests {
  private static let echo = #"{"functions":{"echo":{}}}"#

  private func findings(_ runner: RunningRunner) async throws -> [RawJSON] {
    let outcome = try await runner.run(["doctor", "--json"])
    return try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
  }

  @Test func aSecondRunnerOfAFolderIsRefusedBeforeItTouchesAnything() async throws {
    let runner = try await RunningRunner(Self.echo)
    let served = try await runner.start()
    let empty = try await TemporaryPostgres.database()
    let file = "\(runner.project.path)/.runner/runner.json"
    let before = try String(contentsOfFile: file, encoding: .utf8)

    for command in [["serve"], ["serve", "--migrate"], ["up", "--database"]] {
      let functions = #"{"functions":{"echo":{}},"commands":{"demo":{"executable":"demo"}}}"#
      try runner.project.write(functions, to: "functions.json")
      let second = try await BuiltExecutables.run(
        "runner", command + ["--port", "0", "--project", runner.project.path],
        environment: ["DATABASE_URL": empty])
      #expect(second.exit == 75)
      #expect(second.stderr.contains("is already served at \(served.url) by process \(served.program.processID)"))
    }

    #expect(try String(contentsOfFile: file, encoding: .utf8) == before)
    let database = Connection(url: empty, applicationName: "test", statementTimeout: .seconds(300))
    #expect(try await database.query("SELECT FROM pg_namespace WHERE nspname = 'runner'").isEmpty)
    #expect(try await findings(runner).contains { $0["detail"]?.stringValue?.contains(served.url) == true })

    served.program.send(SIGKILL)
    try await served.program.exit()
    _ = try await runner.start()
    #expect(try String(contentsOfFile: file, encoding: .utf8) != before)
  }

  @Test func whatADeadRunnerLeftIsNotBelieved() async throws {
    let runner = try await RunningRunner(Self.echo)
    _ = try await runner.run(["migrate"])
    try FileManager.default.createDirectory(atPath: "\(runner.project.path)/.runner", withIntermediateDirectories: true)
    try runner.project.write("", to: ".runner/serving.lock")
    try runner.project.write(
      #"{"url":"http://127.0.0.1:1","pid":\#(getpid()),"environment":{}}"#, to: ".runner/runner.json")

    #expect(
      try await findings(runner).first { $0["check"]?.stringValue == "runner" }?["detail"]?.stringValue?
        .hasPrefix("not serving") == true)
  }

  @Test func aTakenPortNamesTheOption() async throws {
    let (first, second) = (try await RunningRunner(Self.echo), try await RunningRunner(Self.echo))
    let served = try await first.start()

    let port = served.url.split(separator: ":").last ?? ""
    let outcome = try await second.run(["serve", "--migrate", "--no-services", "--port", "\(port)"])

    #expect(outcome.exit != 0)
    #expect(outcome.stderr.contains("--port"))
  }

  @Test func aRoleThatMayNotCreateAnythingServes() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")])
    _ = try await runner.run(["migrate"])
    let role = "serve_\(try await runner.database.query("SELECT current_database() AS d").only()["d"] ?? "")"
    try await runner.database.script("CREATE ROLE \(role) LOGIN")
    let url = runner.databaseURL.replacing("user=postgres", with: "user=\(role)")

    let refused = try await BuiltExecutables.run(
      "runner", ["serve", "--port", "0", "--project", runner.project.path], environment: ["DATABASE_URL": url])
    #expect(refused.exit == 77)
    #expect(refused.stderr.contains("GRANT USAGE ON SCHEMA runner TO"))

    let planned = try await runner.run(["migrate", "--grant", role, "--plan"])
    #expect(planned.stdout.contains("GRANT USAGE ON SCHEMA runner TO \(role);"))
    #expect(try await runner.run(["migrate", "--grant", role]).exit == 0)
    #expect(try await runner.run(["migrate", "--grant", role, "--plan"]).stdout.contains("Nothing to do"))
    for migrates in [false, true] {
      let served = try await runner.start(migrates: migrates, environment: ["DATABASE_URL": url])
      try await runner.database.script("INSERT INTO entries VALUES (\(migrates ? 1 : 0), 'k')")
      try await runner.wait(for: "ledger") { $0.numbers.contains(migrates ? 1 : 0) }
      served.program.send(SIGTERM)
      #expect(try await served.program.exit() == 0)
      #expect(!served.program.lines.contains { $0.contains("42501") })
    }
  }

  /// Its events were made, and its history is kept, by the later version.
  @Test func anOldRunnerServesBesideAMigratedDatabaseWhereTheMigrationSaysSo() async throws {
    let runner = try await RunningRunner(Self.echo)
    _ = try await runner.run(["migrate"])
    try await runner.database.script(
      "INSERT INTO runner.migrations (name, breaks_older) VALUES ('runner/9999_later', false)")
    let served = try await runner.start(migrates: false)
    #expect(served.program.lines.contains { $0.contains("runner/9999_later") })
    let schema = try await findings(runner).first { $0["check"]?.stringValue == "schema" }
    #expect(schema?["detail"]?.stringValue?.contains("later version") == true)
    served.program.send(SIGTERM)
    try await served.program.exit()

    try await runner.database.script(
      "UPDATE runner.migrations SET breaks_older = true WHERE name = 'runner/9999_later'")
    for command in [["serve", "--port", "0"], ["serve", "--port", "0", "--migrate"], ["migrate"]] {
      let refused = try await runner.run(command)
      #expect(refused.exit == 78)
      #expect(refused.stderr.contains("The database is of a later version"))
    }
  }

  @Test func doctorComparesTheTriggersWithFunctionsJSON() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")])
    _ = try await runner.run(["migrate"])
    func detail(_ check: String) async throws -> String? {
      try await findings(runner).first { $0["check"]?.stringValue == check }?["detail"]?.stringValue
    }
    #expect(try await detail("triggers") == "1, as functions.json asks")

    try await runner.database.script("INSERT INTO entries VALUES (1, 'k'); DROP TRIGGER runner_insert ON entries")
    #expect(try await detail("trigger")?.contains("runner_insert on public.entries is missing") == true)

    _ = try await runner.run(["migrate"])
    try runner.project.write(Self.echo, to: "functions.json")
    #expect(try await detail("trigger")?.contains("functions.json does not ask for the trigger runner_insert") == true)
    #expect(
      try await findings(runner).contains {
        $0["detail"]?.stringValue == "1 event waits for ledger, which functions.json does not have."
      })
    let pruned = try await runner.run(["migrate", "--prune"])
    #expect(pruned.stdout.contains("removed trigger runner_insert from public.entries"))
  }
}
