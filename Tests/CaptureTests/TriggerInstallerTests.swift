import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The changes that `runner migrate` makes to a table's triggers, and its report of them.
@Suite(.heavy)
struct TriggerInstallerTests {
  private static let other = #""g": {"triggers": [{"table": "t", "events": ["INSERT"]}, {"notify": "t"}]}"#

  private func triggers(_ database: CapturingDatabase) async throws -> [String] {
    try await database.connection.query(
      """
      SELECT t.tgname || ' ' || p.proname AS it FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
      WHERE t.tgrelid = 't'::regclass ORDER BY 1
      """
    ).decode("it")
  }

  @Test func saysWhatItChangedAndNothingTheSecondTime() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)", functions: "")
    #expect(
      try await database.migrate() == [
        "trigger runner_delete on public.t", "trigger runner_insert on public.t", "trigger runner_update on public.t",
      ])
    #expect(try await database.migrate().isEmpty)
    #expect(
      try await database.migrate(CapturingDatabase.everything + ", " + Self.other) == [
        "renewed trigger runner_insert on public.t", "trigger runner_notify_g on public.t",
      ])
  }

  /// A trigger's text has the columns in the table's order.
  ///
  /// The server may read its catalog in another one at any time, as after an autovacuum: here neither the places of its
  /// rows nor the types are in that order.
  @Test func theOrderOfTheCatalogsRowsIsNoChange() async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, a varchar(9), b text, c jsonb, d int[], e bytea)")
    try await database.connection.script(
      """
      ALTER TABLE t ALTER a SET STATISTICS 7, ALTER c SET STATISTICS 7;
      SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
      """)
    for join in ["nestloop", "hashjoin", "mergejoin"] {
      try await database.connection.script("SET enable_\(join) = off")
      let name = TableName(schema: "public", table: "t")
      let table = try await TableShape(of: name, for: "f", database.connection).captured([:])

      #expect(table.textColumns == ["a", "b"] && table.sizedColumns == ["c", "d", "e"], "\(join): \(table)")
    }

    #expect(try await database.migrate().isEmpty)
  }

  @Test func pruningRemovesTheTriggersOfFunctionsThatAreGone() async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY)", functions: CapturingDatabase.everything + ", " + Self.other)
    #expect(
      try await database.migrate(Self.other, prunes: true) == [
        "renewed trigger runner_insert on public.t", "removed trigger runner_delete from public.t",
        "removed trigger runner_update from public.t",
      ])
    #expect(
      try await triggers(database) == ["runner_insert public.t.runner_insert", "runner_notify_g notify_trigger"])

    try await database.migrate("", prunes: true)
    #expect(try await triggers(database).isEmpty)
    try await database.connection.script("INSERT INTO t VALUES (1)")
    #expect(try await database.events().isEmpty)
    let left = try await database.connection.query(
      """
      SELECT name AS left FROM runner.triggers
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'runner'::regnamespace AND proname LIKE 'public.%'
      """)
    #expect(left.isEmpty)
  }

  @Test func mendsATriggerThatSomebodyDropped() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    try await database.connection.script("DROP TRIGGER runner_update ON t")
    #expect(try await database.migrate() == ["trigger runner_update on public.t"])
    #expect(try await triggers(database).count == 3)
  }

  @Test func longNamesAreToldApart() async throws {
    let long = String(repeating: "ä", count: 30)
    let tables = ["\(long)1", "\(long)2"]
    let functions = tables.map {
      #""f\#($0.suffix(1))": {"triggers": [{"table": "\#($0)", "events": ["INSERT", "DELETE"]}]}"#
    }
    let database = try await CapturingDatabase(
      tables: tables.map { "CREATE TABLE \"\($0)\" (v int);" }.joined(), functions: functions.joined(separator: ", "))

    try await database.connection.script(
      tables.map { "INSERT INTO \"\($0)\" VALUES (1); DELETE FROM \"\($0)\";" }.joined())

    #expect(
      try await database.events("function || ' ' || table_name")
        == ["DELETE", "INSERT"].flatMap { operation in tables.map { "\(operation) f\($0.suffix(1)) \($0)" } })
    #expect(try await database.migrate(functions.joined(separator: ", ")).isEmpty)
  }

  @Test(arguments: [
    ("gone", "There is no table public.gone, which functions.json names for f."),
    ("v", "public.v is a view and has no row events; functions.json names it for f."),
    ("mv", "public.mv is a materialized view and has no row events; functions.json names it for f."),
    ("ft", "public.ft is a foreign table and has no row events; functions.json names it for f."),
    ("s", "public.s is not a table and has no row events; functions.json names it for f."),
    ("runner.events", "runner.events is the runner's own; functions.json names it for f."),
  ])
  func refusesWhatIsNoTable(_ name: String, _ sentence: String) async throws {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id int PRIMARY KEY); CREATE VIEW v AS TABLE t; CREATE MATERIALIZED VIEW mv AS TABLE t;
        CREATE SEQUENCE s; CREATE FOREIGN DATA WRAPPER w; CREATE SERVER x FOREIGN DATA WRAPPER w;
        CREATE FOREIGN TABLE ft (id int) SERVER x;
        """, functions: "")
    for trigger in [#"{"table": "\#(name)", "events": ["INSERT"]}"#, #"{"notify": "\#(name)"}"#] {
      let error = await #expect(throws: MigrationError.self) {
        try await database.migrate(#""f": {"triggers": [\#(trigger)]}"#)
      }
      #expect(error?.description == sentence)
    }
  }
}
