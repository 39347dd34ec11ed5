import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// The owners of triggers, where several bundles or several versions of one share a database.
@Suite(.heavy)
struct TriggerOwnershipTests {
  private static let f = #""f": {"key": "id", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE"]}]}"#
  private static let g = #""g": {"triggers": [{"table": "t", "events": ["INSERT", "DELETE"]}, {"notify": "t"}]}"#
  private static let both = "\(f), \(g)"
  private static let table = "CREATE TABLE t (id int PRIMARY KEY, v text)"

  private func tell(_ database: CapturingDatabase) async throws -> [String] {
    try await database.connection.script("INSERT INTO t VALUES (1, 'a'); UPDATE t SET v = 'b'; DELETE FROM t")
    return try await database.events("function")
  }

  /// Changes the record of the triggers, as another version of the runner would have.
  private func pretend(_ change: String, _ database: CapturingDatabase) async throws {
    try await database.connection.script("UPDATE runner.triggers SET \(change)")
  }

  @Test func fewerFunctionsTakeNothingAwayFromTheOthers() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.both)

    let report = try await database.report(Self.f)

    #expect(report.triggers.isEmpty)
    #expect(
      report.notes == [
        "The trigger runner_insert on public.t makes events for g, too, which functions.json does not ask for: runner migrate --prune ends that.",
        "functions.json does not ask for the trigger runner_delete on public.t, which is for g: runner migrate --prune removes it.",
        "functions.json does not ask for the trigger runner_notify_g on public.t, which is for g: runner migrate --prune removes it.",
      ])
    #expect(try await tell(database) == ["DELETE g", "INSERT f", "INSERT g", "UPDATE f"])
  }

  /// Two versions that each bring something of their own agree on what the trigger is.
  @Test func versionsOfABundleDoNotTakeTurnsAtRenewing() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.f)

    #expect(try await database.migrate(Self.g).contains("renewed trigger runner_insert on public.t"))
    #expect(try await database.migrate(Self.f).isEmpty)
    #expect(try await database.migrate(Self.g).isEmpty)
    #expect(try await tell(database) == ["DELETE g", "INSERT f", "INSERT g", "UPDATE f"])
  }

  @Test func whatIsKeptFollowsATableThatIsMadeAnewOrRenamed() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.both)
    try await database.connection.script("DROP TABLE t; \(Self.table)")

    #expect(
      try await database.migrate(Self.f) == ["trigger runner_insert on public.t", "trigger runner_update on public.t"])
    #expect(try await tell(database) == ["INSERT f", "INSERT g", "UPDATE f"])

    try await database.connection.script("ALTER TABLE t RENAME TO t2; \(Self.table)")
    try await database.migrate(Self.f)
    #expect(try await tell(database) == ["INSERT f", "INSERT g", "UPDATE f"])
    try await database.connection.script("INSERT INTO t2 VALUES (1, 'a')")
    #expect(try await database.events("function").isEmpty)
  }

  @Test func whatIsKeptForAColumnThatIsGoneDoesNotKeepOthersFromMigrating() async throws {
    let filtered = #""h": {"triggers": [{"table": "t", "events": ["INSERT"], "where": {"v": "a"}}]}"#
    let database = try await CapturingDatabase(tables: Self.table, functions: "\(Self.f), \(filtered)")
    try await database.connection.script("ALTER TABLE t DROP v")

    let report = try await database.report(Self.f)

    #expect(report.triggers.contains("renewed trigger runner_insert on public.t"))
    #expect(report.notes.contains { $0.contains("h") && $0.contains("columns") })
    try await database.connection.script("INSERT INTO t VALUES (1)")
    #expect(try await database.events("function") == ["INSERT f"])
  }

  @Test func aBundleLeavesAnothersTriggersAlone() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.f)

    #expect(
      try await database.migrate(Self.g, #""bundle": "other","#) == [
        "trigger runner_delete_other on public.t", "trigger runner_insert_other on public.t",
        "trigger runner_notify_other_g on public.t",
      ])
    #expect(try await database.migrate(Self.f, prunes: true).isEmpty)
    #expect(try await tell(database) == ["DELETE g", "INSERT f", "INSERT g", "UPDATE f"])
    #expect(try await database.report("", #""bundle": "third","#, prunes: true).notes.isEmpty)
    #expect(try await database.migrate("", #""bundle": "other","#, prunes: true).count == 3)
    #expect(try await tell(database) == ["INSERT f", "UPDATE f"])
  }

  @Test func aFunctionIsInOneBundleOnly() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.f)

    let error = await #expect(throws: MigrationError.self) {
      try await database.migrate(Self.f, #""bundle": "other","#)
    }

    #expect(
      error?.description
        == "The function f is one of the bundle default in this database, too: events go by a function's name.")
  }

  @Test(arguments: ["generation = 999", "version = 3"])
  func whatALaterVersionMadeStaysAsItIs(_ change: String) async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.both)
    try await pretend(change, database)
    let other = Self.f.split(separator: #", "UPDATE""#).joined().split(separator: #""key": "id", "#).joined()

    let report = try await database.report(other, #""version": 2,"#, prunes: true)

    #expect(report.triggers.isEmpty)
    #expect(report.notes.count { $0.contains("stays as it is") } == 4)
    #expect(try await tell(database) == ["DELETE g", "INSERT f", "INSERT g", "UPDATE f"])
  }

  @Test func aLaterVersionsTriggerThatLacksAFunctionIsAMistake() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.f)
    try await pretend("version = 3", database)

    let error = await #expect(throws: MigrationError.self) { try await database.migrate(Self.both) }

    #expect(
      error?.description
        == "The trigger runner_insert on public.t is of version 3 of the bundle and makes no events for g: migrate with that version."
    )
    #expect(try await tell(database) == ["INSERT f", "UPDATE f"])
    #expect(try await database.migrate(Self.both, #""version": 3,"#).count == 3)
  }

  /// For triggers from before there were bundles, only the functions' names are known.
  @Test func whatAnEarlierRunnerMadeIsRenewedWithAllItsFunctionsOrNotAtAll() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.both)
    try await pretend("generation = 0, subscriptions = NULL", database)

    let error = await #expect(throws: MigrationError.self) { try await database.migrate(Self.f) }

    #expect(error?.description.contains("makes events for g, too") == true)
    #expect(try await tell(database) == ["DELETE g", "INSERT f", "INSERT g", "UPDATE f"])
    try await database.migrate(Self.both)
    #expect(try await database.migrate(Self.f).isEmpty)
    try await pretend("generation = 0, subscriptions = NULL", database)
    try await database.migrate(Self.f, prunes: true)
    #expect(try await tell(database) == ["INSERT f", "UPDATE f"])
  }

  @Test func whatWaitsForAFunctionThatIsGoneIsSaid() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.both)
    try await database.connection.script("INSERT INTO t VALUES (1, 'a'), (2, 'b')")

    let report = try await database.report(Self.f, prunes: true)

    #expect(report.notes == ["2 events wait for g, which functions.json does not have."])
    #expect(try await database.report(Self.g, #""bundle": "other","#, prunes: true).notes.isEmpty)
    #expect(try await database.report(Self.f).notes.isEmpty)
  }
}
