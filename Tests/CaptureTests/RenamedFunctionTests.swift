import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// What waits in a database by a name that a function had before.
@Suite(.heavy)
struct RenamedFunctionTests {
  private static let table = "CREATE TABLE t (id int PRIMARY KEY)"
  private static let former = #""old": {"triggers": [{"table": "t", "events": ["INSERT"]}, {"notify": "t"}]}"#
  private static let present =
    #""new": {"formerly": ["old"], "triggers": [{"table": "t", "events": ["INSERT"]}, {"notify": "t"}]}"#

  private func functions(_ database: CapturingDatabase, _ table: SQL, _ column: SQL = "function") async throws
    -> [String]
  {
    try await database.connection.query("SELECT \(column) AS said FROM runner.\(table) ORDER BY 1").decode("said")
  }

  @Test func isTheRenamedFunctionsAfterMigrating() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.former)
    try await database.connection.script(
      """
      INSERT INTO t VALUES (1), (2), (3);
      INSERT INTO runner.dead_letters (partition, id, function, key, at, op, table_schema, table_name, record, attempts,
        crashes, code, error, died_at)
      SELECT partition, id, function, key, at, op, table_schema, table_name, record, 1, 0, 'X', 'x', at
      FROM runner.events WHERE record ->> 'id' = '1';
      DELETE FROM runner.events WHERE record ->> 'id' = '1';
      INSERT INTO runner.wakeups VALUES ('old', now()), ('other', now());
      INSERT INTO runner.schedules (name, function, expression, timezone, since, last_scheduled_time)
      VALUES ('old-2', 'old', '0 0 * * *', 'UTC', '2026-01-01', '2026-02-02'),
        ('other', 'other', '0 0 * * *', 'UTC', '2026-01-01', NULL);
      """)

    try await database.migrate(Self.present)

    #expect(try await functions(database, "events") == ["new", "new"])
    #expect(try await functions(database, "dead_letters") == ["new"])
    #expect(try await functions(database, "wakeups") == ["other"], "it says itself when it wants to be run")
    let schedules: SQL = "name || ' ' || function || coalesce(' ' || last_scheduled_time::date, '')"
    #expect(try await functions(database, "schedules", schedules) == ["new-2 new 2026-02-02", "other other"])
  }

  @Test(arguments: [
    (
      "runner.schedules (name, function, expression, timezone, since, bundle) VALUES ('o', 'old', '* * * * *', 'UTC', now(), 'b')",
      "old"
    ),
    (
      "runner.triggers SELECT (jsonb_populate_record(t, '{\"bundle\":\"b\",\"name\":\"b\"}')).* FROM runner.triggers AS t LIMIT 1",
      "old"
    ),
    ("runner.runners VALUES (gen_random_uuid(), 1, 'r', clock_timestamp() + '1 hour', 'g', '{old}')", "old"),
    ("runner.runners VALUES (gen_random_uuid(), 1, 'r', clock_timestamp() - '1 hour'::interval, 'g', '{old}')", "new"),
  ])
  func isLeftToOtherBundlesAndLivingRunners(row: String, function: String) async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.former)
    try await database.connection.script("INSERT INTO t VALUES (1); INSERT INTO \(row)")

    try await database.migrate(Self.present)

    #expect(try await functions(database, "events") == [function])
  }

  @Test func doesNotReplaceWhatTheNewNameHas() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.former)
    try await database.connection.script(
      """
      INSERT INTO runner.schedules (name, function, expression, timezone, since)
      VALUES ('old', 'old', '0 0 * * *', 'UTC', '2026-01-01'), ('new', 'new', '0 1 * * *', 'UTC', '2026-01-01')
      """)

    try await database.migrate(Self.present)

    #expect(try await functions(database, "schedules", "name || expression") == ["new0 1 * * *"])
  }

  @Test func aRunnerThatMayMigrateSeesIt() async throws {
    let database = try await CapturingDatabase(tables: Self.table, functions: Self.present)
    let (migrator, manifest) = (
      Migrator(database: database.connection), try CapturingDatabase.manifest(Self.present)
    )
    let before = try await migrator.check(manifest).isBehind
    try await database.connection.script("INSERT INTO runner.wakeups VALUES ('old', now())")

    let renamed = try await migrator.check(manifest).isBehind
    let plan = try await migrator.plan(manifest, prunes: false)
    try await database.migrate(Self.present)
    let after = try await migrator.check(manifest).isBehind

    #expect([before, renamed, after] == [false, true, false])
    #expect(plan.map(\.name) == ["what waits by a function's former name"])
    #expect(plan.first?.sql.contains("DELETE FROM runner.wakeups WHERE function = 'old';") == true)
  }
}
