import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// A table that is altered after `runner migrate`: writers never notice, and no event is missing.
///
/// One connection does all of it, so that the plans made before have to give way.
@Suite(.heavy)
struct CaptureAlterationTests {
  private static let functions = #"""
    "f": {"key": "topic", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"], "columns": ["v"]}]}
    """#

  private static let said: SQL = "concat(key, ' ', old_record, '>', record)"

  private func database(partitioned: Bool) async throws -> CapturingDatabase {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, topic text, v text, w text)"
        + (partitioned ? " PARTITION BY RANGE (id); CREATE TABLE t1 PARTITION OF t DEFAULT" : ""),
      functions: Self.functions)
    try await database.connection.script(
      "INSERT INTO t VALUES (1, 'swift', 'a', 'b'); UPDATE t SET v = 'A'; UPDATE t SET w = 'B'; DELETE FROM runner.events"
    )
    return database
  }

  @Test(arguments: [false, true]) func anAddedColumnIsInTheNextEvent(_ partitioned: Bool) async throws {
    let database = try await database(partitioned: partitioned)

    try await database.connection.script("ALTER TABLE t ADD COLUMN x int")
    try await database.connection.script("UPDATE t SET v = 'AA', x = 5; DELETE FROM t")

    #expect(
      try await database.events(Self.said) == [
        #"DELETE swift {"v": "AA", "w": "B", "x": 5, "id": 1, "topic": "swift"}>"#,
        #"UPDATE swift {"v": "A", "w": "B", "x": null, "id": 1, "topic": "swift"}>"#
          + #"{"v": "AA", "w": "B", "x": 5, "id": 1, "topic": "swift"}"#,
      ])
    #expect(try await database.migrate(Self.functions).isEmpty)
  }

  @Test(arguments: [false, true]) func aDroppedColumnIsGoneFromTheNextEvent(_ partitioned: Bool) async throws {
    let database = try await database(partitioned: partitioned)

    try await database.connection.script("ALTER TABLE t DROP COLUMN w")
    try await database.connection.script("UPDATE t SET v = 'AA'; UPDATE t SET topic = 'sql'")

    #expect(
      try await database.events(Self.said) == [
        #"UPDATE swift {"v": "A", "id": 1, "topic": "swift"}>{"v": "AA", "id": 1, "topic": "swift"}"#
      ])
    #expect(try await database.migrate(Self.functions) == ["INSERT", "UPDATE", "DELETE"].sorted().map { renewed($0) })
  }

  private func renewed(_ operation: String) -> String {
    "renewed trigger runner_\(operation.lowercased()) on public.t"
  }

  @Test(arguments: [false, true])
  func aColumnThatIsComparedAndGoneCountsAsChanged(_ partitioned: Bool) async throws {
    let database = try await database(partitioned: partitioned)

    try await database.connection.script("ALTER TABLE t RENAME COLUMN v TO value")
    try await database.connection.script("UPDATE t SET w = 'C'")

    #expect(
      try await database.events(Self.said) == [
        #"UPDATE swift {"w": "B", "id": 1, "topic": "swift", "value": "A"}>"#
          + #"{"w": "C", "id": 1, "topic": "swift", "value": "A"}"#
      ])
  }

  @Test(arguments: [false, true]) func aKeyThatIsGoneGivesNoOrder(_ partitioned: Bool) async throws {
    let database = try await database(partitioned: partitioned)

    try await database.connection.script("ALTER TABLE t DROP COLUMN topic")
    try await database.connection.script("INSERT INTO t VALUES (2, 'v', 'w')")

    #expect(try await database.events(Self.said) == [#"INSERT  >{"v": "v", "w": "w", "id": 2}"#])
  }

  @Test func migrateNamesTheColumnThatIsGoneAndMendsWhatFunctionsSayThen() async throws {
    let database = try await database(partitioned: false)
    try await database.connection.script("ALTER TABLE t RENAME COLUMN v TO value; ALTER TABLE t RENAME id TO number")

    let error = await #expect(throws: MigrationError.self) { try await database.migrate(Self.functions) }
    #expect(error?.description == "public.t has no column v, which functions.json names for f.")
    let renamed = Self.functions.split(separator: #"["v"]"#).joined(separator: #"["value"]"#)
    #expect(try await database.migrate(renamed).count == 3)
    try await database.connection.script("UPDATE t SET w = 'C'; UPDATE t SET value = 'AA'")

    #expect(try await database.events("record ->> 'value'") == ["UPDATE AA"])
  }

  @Test(arguments: ["integer USING 7", "jsonb USING to_jsonb(v)", "bytea USING 'x'", "text[] USING ARRAY[v]"])
  func aColumnMayBecomeOfAnotherType(_ type: String) async throws {
    let database = try await database(partitioned: false)

    try await database.connection.script("ALTER TABLE t ALTER v TYPE \(type)")
    try await database.connection.script("UPDATE t SET v = NULL; UPDATE t SET w = 'C'")

    #expect(try await database.events("coalesce(record ->> 'v', 'null')") == ["UPDATE null"])
  }

  @Test func aTableThatIsDroppedAndMadeAnewIsCapturedAfterMigrate() async throws {
    let database = try await database(partitioned: false)
    try await database.connection.script(
      "DROP TABLE t; CREATE TABLE t (topic text, v int); INSERT INTO t VALUES ('swift', 1)")
    #expect(try await database.events().isEmpty)

    #expect(try await database.migrate(Self.functions).count == 3)
    #expect(try await database.migrate(Self.functions).isEmpty)
    try await database.connection.script("INSERT INTO t VALUES ('swift', 2)")

    #expect(try await database.events() == ["INSERT ->2"])
  }

  @Test func aTableThatIsRenamedLosesItsTriggersToTheNewNames() async throws {
    let database = try await database(partitioned: false)
    try await database.connection.script("ALTER TABLE t RENAME TO t2; INSERT INTO t2 VALUES (2, 'swift', 'b')")
    #expect(try await database.events("table_name") == ["INSERT t"])

    let functions = Self.functions.split(separator: #""t""#).joined(separator: #""t2""#)
    try await database.migrate(functions)
    try await database.connection.script("INSERT INTO t2 VALUES (3, 'swift', 'c')")

    #expect(try await database.events("table_name") == ["INSERT t2"])
    #expect(try await database.migrate(functions).isEmpty)
    let left = try await database.connection.query(
      "SELECT FROM pg_proc WHERE pronamespace = 'runner'::regnamespace AND proname LIKE 'public.t.%'")
    #expect(left.isEmpty)
  }
}
