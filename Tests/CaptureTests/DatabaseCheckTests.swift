import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// The findings of `runner serve` about a database that it may not change.
@Suite(.heavy)
struct DatabaseCheckTests {
  private func database() async throws -> CapturingDatabase {
    try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v text)")
  }

  private func check(
    _ database: CapturingDatabase, _ functions: String = CapturingDatabase.everything, as url: String? = nil
  ) async throws -> (isBehind: Bool, notes: [String]) {
    let connection = Connection(url: url ?? database.url, applicationName: "check", statementTimeout: .seconds(120))
    let answer: Result<(isBehind: Bool, notes: [String]), any Error>
    do {
      let found = try await Migrator(database: connection).check(CapturingDatabase.manifest(functions))
      answer = .success((found.isBehind, found.notes))
    } catch {
      answer = .failure(error)
    }
    await connection.close()
    return try answer.get()
  }

  /// A role of the database's own that has no rights, and the URL for it.
  private func makeRole(_ database: CapturingDatabase) async throws -> (name: String, url: String) {
    let name = "check_\(try await database.connection.query("SELECT current_database() AS d").only()["d"] ?? "")"
    try await database.connection.script("CREATE ROLE \(name) LOGIN")
    return (name, database.url.replacing("user=postgres", with: "user=\(name)"))
  }

  @Test func aDatabaseThatIsUpToDateNeedsNothing() async throws {
    let database = try await database()
    let (isBehind, notes) = try await check(database)
    #expect(!isBehind && notes.isEmpty)
  }

  /// Each statement of the check would wait, and fail in the end.
  @Test func itWaitsForNoLock() async throws {
    let database = try await database()
    try await database.connection.transaction { transaction in
      try await transaction.script("LOCK TABLE t, runner.events")
      _ = try await transaction.query("SELECT pg_advisory_xact_lock(\(AdvisoryLock.change), 0)")
      #expect(try await check(database).notes.isEmpty)
    }
  }

  @Test func whatIsMissingIsNamedAndNothingIsMade() async throws {
    let database = try await database()
    let more = CapturingDatabase.everything + #", "g": {"triggers": [{"table": "t", "events": ["INSERT"]}]}"#

    let error = await #expect(throws: MigrationError.self) { try await check(database, more) }

    #expect(error?.description.hasPrefix("The database is not up to date") == true)
    #expect(error?.description.contains("The trigger runner_insert on public.t is not as functions.json says.") == true)
    try await database.connection.script("DROP TRIGGER runner_update ON t")
    let other = await #expect(throws: MigrationError.self) { try await check(database) }
    #expect(other?.description.contains("runner_update on public.t is missing") == true)
  }

  /// Its changes are captured all the same.
  @Test func aTableThatWasAlteredSinceCanBeServed() async throws {
    let database = try await database()
    try await database.connection.script("ALTER TABLE t ADD w text")
    #expect(try await check(database).isBehind)
  }

  @Test func anEmptyDatabaseIsToBeMigratedFirst() async throws {
    let connection = try await TemporaryPostgres.connection()
    let error = await #expect(throws: MigrationError.self) {
      try await Migrator(database: connection).check(CapturingDatabase.manifest(""))
    }
    #expect(error?.description.contains("runner migrate") == true)
    #expect(try await connection.query("SELECT FROM pg_namespace WHERE nspname = 'runner'").isEmpty)
  }

  @Test func aLaterMigrationSaysWhetherThisVersionMayGoOn() async throws {
    let database = try await database()
    try await database.connection.script(
      "INSERT INTO runner.migrations (name, breaks_older) VALUES ('runner/9998_later', false)")

    #expect(
      try await check(database).notes == [
        "The database is of a later version (runner/9998_later), beside which this one may go on."
      ])
    #expect(try await database.report().notes.count == 1)

    try await database.connection.script("INSERT INTO runner.migrations (name) VALUES ('runner/9999_later')")
    for work in [{ _ = try await check(database) }, { _ = try await database.migrate() }] as [() async throws -> Void] {
      let error = await #expect(throws: MigrationError.self) { try await work() }
      #expect(
        error?.description.hasPrefix("The database is of a later version (runner/9999_later)") == true)
    }
  }

  @Test(arguments: [("runner/1003_triggers", true), ("runner/9997_unknown", false)])
  func aLaterMigrationMayGetOnWithSomeVersions(_ since: String, _ isKnown: Bool) async throws {
    let database = try await database()
    try await database.connection.script(
      "INSERT INTO runner.migrations (name, compatible_since) VALUES ('runner/9998_narrower', '\(since)')")

    if isKnown {
      #expect(try await check(database).notes.count == 1)
    } else {
      await #expect(throws: MigrationError.self) { try await check(database) }
    }
  }

  /// The rights that the error asks for are the only ones that are missing.
  @Test func aRoleWithoutRightsIsToldWhichToAskFor() async throws {
    let database = try await database()
    let role = try await makeRole(database)
    let missing = await #expect(throws: FunctionError.self) { try await check(database, as: role.url) }
    #expect(missing?.code == .notPermitted)
    try await database.connection.script(String(missing?.message.split(separator: ", or: ").last ?? ""))
    #expect(try await check(database, as: role.url).notes.isEmpty)

    let connection = Connection(url: role.url, applicationName: "test")
    let refusal = await #expect(throws: FunctionError.self) {
      _ = try await Migrator(database: connection).migrate(
        CapturingDatabase.manifest(CapturingDatabase.everything), prunes: true)
      _ = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(""), prunes: true)
    }
    #expect(refusal?.code == .notPermitted)
    #expect(refusal?.message.contains("GRANT CREATE ON DATABASE") == true)
  }
}
