import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// Rows of a partitioned table are that table's, whichever partition they are in.
@Suite(.heavy)
struct CapturePartitionTests {
  private static let years = """
    CREATE TABLE t (id int, at date, v text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
    CREATE TABLE t_2025 PARTITION OF t FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
    CREATE TABLE t_2026 PARTITION OF t FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    """

  @Test func theirEventsAreThoseOfADatabaseWebhookButForTheTablesName() async throws {
    let database = try await CapturingDatabase(tables: Self.years)
    try await database.addReference()

    try await database.connection.script(
      """
      INSERT INTO t VALUES (1, '2025-05-05', 'a'), (2, '2026-05-05', 'b');
      INSERT INTO t_2026 VALUES (3, '2026-05-06', 'c');
      CREATE TABLE t_2027 PARTITION OF t FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');
      INSERT INTO t VALUES (4, '2027-05-05', 'd');
      UPDATE t SET v = v || '!' WHERE id < 3;
      UPDATE t SET at = at + 365 WHERE id = 1;
      UPDATE t_2026 SET id = 5 WHERE id = 3;
      DELETE FROM t;
      """)

    let bodies = try await database.bodies()
    #expect(bodies.count { $0.contains(#"{"type": "UPDATE""#) } == 3)
    #expect(bodies.count { $0.contains(#"{"type": "DELETE""#) } == 5)
    #expect(bodies.count == 13)
    let expected = try await database.references().map { body in
      let place = ["t_2025", "t_2026", "t_2027"].first { body.contains(#""table": "\#($0)""#) } ?? "none"
      return String(body.dropLast()).replacing(#""table": "\#(place)""#, with: #""table": "t""#)
        + #", "partition": {"table": "\#(place)", "schema": "public"}}"#
    }
    #expect(bodies == expected.sorted())
  }

  /// A table, what is done to it once it is captured, and the partitions that its events name.
  private static let layouts: [(table: String, later: String, partitions: [String])] = [
    (
      "CREATE TABLE t (id int, v text) PARTITION BY LIST (v); CREATE TABLE a PARTITION OF t FOR VALUES IN ('a')",
      "INSERT INTO t VALUES (1, 'a')", ["public.a"]
    ),
    (
      """
      CREATE TABLE t (id int, v text) PARTITION BY LIST (v);
      CREATE TABLE a PARTITION OF t FOR VALUES IN ('a') PARTITION BY HASH (id);
      CREATE TABLE a0 PARTITION OF a FOR VALUES WITH (MODULUS 1, REMAINDER 0)
      """, "INSERT INTO t VALUES (1, 'a'); INSERT INTO a VALUES (2, 'a'); INSERT INTO a0 VALUES (3, 'a')",
      ["public.a0", "public.a0", "public.a0"]
    ),
    (
      """
      CREATE SCHEMA parts; CREATE TABLE t (id int, v text) PARTITION BY LIST (v);
      CREATE TABLE parts.t PARTITION OF t DEFAULT
      """,
      "INSERT INTO t VALUES (1, 'a')", ["parts.t"]
    ),
    (
      "CREATE TABLE t (id int, v text) PARTITION BY LIST (v)",
      "CREATE TABLE a PARTITION OF t DEFAULT; INSERT INTO t VALUES (1, 'a')", ["public.a"]
    ),
    // With its columns in another order.
    (
      "CREATE TABLE t (id int, v text) PARTITION BY LIST (v)",
      """
      CREATE TABLE "A b" (v text, gone int, id int); ALTER TABLE "A b" DROP gone; INSERT INTO "A b" VALUES ('a', 0);
      ALTER TABLE t ATTACH PARTITION "A b" FOR VALUES IN ('a'); INSERT INTO t VALUES (1, 'a')
      """, ["public.A b"]
    ),
    (
      "CREATE TABLE t (id int, v text) PARTITION BY LIST (v); CREATE TABLE a PARTITION OF t FOR VALUES IN ('a')",
      """
      INSERT INTO t VALUES (1, 'a'); ALTER TABLE t DETACH PARTITION a; INSERT INTO a VALUES (2, 'a');
      ALTER TABLE t ATTACH PARTITION a DEFAULT; INSERT INTO t VALUES (3, 'a')
      """, ["public.a", "public.a"]
    ),
  ]

  @Test(arguments: layouts.indices)
  func theNameIsTheOneThatFunctionsJSONAsksFor(_ index: Int) async throws {
    let (table, later, partitions) = Self.layouts[index]
    let database = try await CapturingDatabase(tables: table)

    try await database.connection.script(later)

    let changes = try await database.bodies().map { try RawJSON(validating: Array($0.utf8)[...]) }
    #expect(changes.map { Self.name($0) } == partitions.map { _ in "public.t" })
    #expect(changes.map { Self.name($0["partition"]) } == partitions)
    #expect(changes.allSatisfy { $0["record"]?["v"]?.stringValue == "a" })
    #expect(try await database.migrate().isEmpty, "a new partition changes nothing for the runner")
  }

  private static func name(_ place: RawJSON?) -> String {
    "\(place?["schema"]?.stringValue ?? "-").\(place?["table"]?.stringValue ?? "-")"
  }

  /// A row that moves is deleted in one partition and inserted in another, as PostgreSQL's replication has it.
  @Test func aRowThatMovesIsOfTheTableOnBothSides() async throws {
    let database = try await CapturingDatabase(tables: Self.years)

    try await database.connection.script(
      "INSERT INTO t VALUES (1, '2025-05-05', 'a'); DELETE FROM runner.events; UPDATE t SET at = '2026-05-05'")

    #expect(
      try await database.events("table_name || ' ' || (data -> 'partition' ->> 'table')") == [
        "DELETE t t_2025", "INSERT t t_2026",
      ])
  }

  @Test func aPartitionThatFunctionsJSONNamesItselfHasItsOwnName() async throws {
    let database = try await CapturingDatabase(
      tables: Self.years, functions: #""f": {"triggers": [{"table": "t_2026", "events": ["INSERT"]}]}"#)

    try await database.connection.script("INSERT INTO t VALUES (1, '2025-05-05', 'a'), (2, '2026-05-05', 'b')")

    #expect(try await database.events("table_name || coalesce(data::text, '')") == ["INSERT t_2026"])
  }
}
