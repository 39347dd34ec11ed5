import Manifest
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// The events that writers' statements make.
@Suite(.heavy)
struct CaptureTests {
  private static let table = "CREATE TABLE t (id int PRIMARY KEY, v text, w text)"

  private func database(_ tables: String = table) async throws -> CapturingDatabase {
    try await CapturingDatabase(tables: tables)
  }

  @Test func everyRowOfAStatementIsAnEvent() async throws {
    let database = try await database()
    _ = try await database.connection.copy(
      into: "t", columns: ["id", "v"], rows: (1...3).map { ["\($0)", "copied"] })
    #expect(try await database.events() == Array(repeating: "INSERT ->copied", count: 3))

    try await database.connection.script("UPDATE t SET v = id::text; DELETE FROM t WHERE id < 3")
    #expect(
      try await database.events() == [
        "DELETE 1>-", "DELETE 2>-", "UPDATE copied>1", "UPDATE copied>2", "UPDATE copied>3",
      ])
  }

  @Test func anUpsertMakesInsertsAndUpdates() async throws {
    let database = try await database()
    try await database.connection.script("INSERT INTO t VALUES (1, 'old')")
    _ = try await database.events()

    try await database.connection.script(
      """
      INSERT INTO t VALUES (1, 'a'), (2, 'b') ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v;
      INSERT INTO t VALUES (1, 'no'), (3, 'c') ON CONFLICT DO NOTHING;
      """)

    #expect(try await database.events() == ["INSERT ->b", "INSERT ->c", "UPDATE old>a"])
  }

  @Test func aMergeMakesWhatItDoes() async throws {
    let database = try await database()
    try await database.connection.script("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    _ = try await database.events()

    try await database.connection.script(
      """
      MERGE INTO t USING (VALUES (1, 'A'), (2, NULL), (3, 'C')) AS s (id, v) ON t.id = s.id
      WHEN MATCHED AND s.v IS NULL THEN DELETE
      WHEN MATCHED THEN UPDATE SET v = s.v
      WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
      """)

    #expect(try await database.events() == ["DELETE b>-", "INSERT ->C", "UPDATE a>A"])
  }

  @Test func truncateMakesNoEventAndSucceeds() async throws {
    let database = try await database()
    try await database.connection.script("INSERT INTO t VALUES (1, 'a')")
    _ = try await database.events()

    try await database.connection.script("TRUNCATE t")

    #expect(try await database.events().isEmpty)
    #expect(try await database.connection.query("SELECT FROM t").isEmpty)
  }

  @Test func whatIsRolledBackMakesNoEvent() async throws {
    let database = try await database()
    try await database.connection.script(
      """
      BEGIN; INSERT INTO t VALUES (1, 'gone'); ROLLBACK;
      BEGIN; INSERT INTO t VALUES (1, 'a'); SAVEPOINT s; UPDATE t SET v = 'gone'; ROLLBACK TO s;
      UPDATE t SET v = 'b'; COMMIT;
      """)

    #expect(try await database.events() == ["INSERT ->a", "UPDATE a>b"])
  }

  @Test func anUpdateThatChangesNothingMakesNoEvent() async throws {
    let database = try await database()
    try await database.connection.script("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    _ = try await database.events()

    try await database.connection.script("UPDATE t SET v = v, id = id; UPDATE t SET v = 'x' WHERE false")

    #expect(try await database.connection.query("SELECT FROM runner.events").isEmpty)
  }

  @Test(arguments: ["int", "text", "json", "jsonb", "point", "numeric", "text[]", "xml"])
  func onlyAChangeOfTheColumnsMakesAnUpdatesEvent(_ type: String) async throws {
    let (one, two) =
      switch type {
      case "int": ("1", "2")
      case "json", "jsonb": ("'{\"a\": 1}'", "'{\"a\": 2}'")
      case "point": ("'(1,2)'", "'(1,3)'")
      case "numeric": ("1.0", "1.00")
      case "text[]": ("'{a}'", "'{a,NULL}'")
      default: ("'a'", "'A'")
      }
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, v \(type), w text)",
      functions: #""f": {"triggers": [{"table": "t", "events": ["UPDATE"], "columns": ["id", "v"]}]}"#)

    try await database.connection.script(
      """
      INSERT INTO t VALUES (1, \(one), 'w'), (2, NULL, NULL), (3, \(one), 'w');
      UPDATE t SET w = w || '!';
      UPDATE t SET v = \(one), w = 'v' WHERE id = 1;
      UPDATE t SET v = \(two) WHERE id = 1;
      UPDATE t SET v = \(one) WHERE id = 2;
      UPDATE t SET v = NULL WHERE id = 3;
      """)

    #expect(
      try await database.events("record ->> 'id' || (record ->> 'v' IS NULL)::text") == [
        "UPDATE 1false", "UPDATE 2false", "UPDATE 3true",
      ])
  }

  @Test func onlyRowsWithTheValuesOfAFilterMakeEvents() async throws {
    let database = try await CapturingDatabase(
      tables: Self.table,
      functions: #"""
        "f": {"triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"], "where": {"v": "it's", "w": "a"}}]}
        """#)

    try await database.connection.script(
      """
      INSERT INTO t VALUES (1, 'it''s', 'a'), (2, 'it''s', 'b'), (3, NULL, 'a'), (4, 'its', 'a');
      UPDATE t SET w = 'a' WHERE id = 2;
      UPDATE t SET v = 'IT''S' WHERE id = 1;
      DELETE FROM t;
      """)

    #expect(
      try await database.events("coalesce(record, old_record) ->> 'id'") == ["DELETE 2", "INSERT 1", "UPDATE 2"])
  }

  @Test func triggersOfOneFunctionTakeWhatEitherFilterTakes() async throws {
    let database = try await CapturingDatabase(
      tables: Self.table,
      functions: #"""
        "a": {"triggers": [{"table": "t", "events": ["INSERT"], "where": {"v": "x"}},
          {"table": "t", "events": ["INSERT"], "where": {"w": "y"}}]},
        "b": {"triggers": [{"table": "t", "events": ["INSERT"], "where": {"v": "x"}},
          {"table": "t", "events": ["INSERT"]}]}
        """#)

    try await database.connection.script("INSERT INTO t VALUES (1, 'x', 'n'), (2, 'n', 'y'), (3, 'n', 'n')")

    #expect(
      try await database.events("function || (record ->> 'id')") == [
        "INSERT a1", "INSERT a2", "INSERT b1", "INSERT b2", "INSERT b3",
      ])
  }

  @Test func aFilterOfAColumnThatIsGoneTakesEveryRow() async throws {
    let database = try await CapturingDatabase(
      tables: Self.table, functions: #""f": {"triggers": [{"table": "t", "events": ["INSERT"], "where": {"w": "a"}}]}"#)

    try await database.connection.script("ALTER TABLE t DROP COLUMN w; INSERT INTO t VALUES (1, 'v')")

    #expect(try await database.events() == ["INSERT ->v"])
  }

  @Test func aFunctionHearsOfAChangeOnceAndEveryFunctionForItself() async throws {
    let database = try await CapturingDatabase(
      tables: Self.table,
      functions: #"""
        "a": {"triggers": [{"table": "t", "events": ["UPDATE"], "columns": ["v"]},
          {"table": "public.t", "events": ["UPDATE", "INSERT"], "columns": ["w"]}]},
        "b": {"triggers": [{"table": "t", "events": ["UPDATE"]}]}
        """#)

    try await database.connection.script(
      "INSERT INTO t VALUES (1, 'v', 'w'); UPDATE t SET v = 'V', w = 'W'; UPDATE t SET w = 'x'; UPDATE t SET id = 2")

    #expect(
      try await database.events("function || ' ' || (record ->> 'w')") == [
        "INSERT a w", "UPDATE a W", "UPDATE a x", "UPDATE b W", "UPDATE b x", "UPDATE b x",
      ])
  }

  @Test(arguments: ["CREATE TABLE t (id int, v text)", "CREATE UNLOGGED TABLE t (id int, v text)"])
  func aTableNeedsNoPrimaryKey(_ table: String) async throws {
    let database = try await database(table)
    try await database.connection.script(
      "INSERT INTO t VALUES (1, 'a'), (1, 'a'), (NULL, 'b'); UPDATE t SET v = v || '!'; DELETE FROM t WHERE id = 1")

    #expect(
      try await database.events() == [
        "DELETE a!>-", "DELETE a!>-", "INSERT ->a", "INSERT ->a", "INSERT ->b", "UPDATE a>a!", "UPDATE a>a!",
        "UPDATE b>b!",
      ])
  }

  @Test func columnsMayHaveAnyName() async throws {
    let names = [
      "n", "o", "r", "m", "c", "NEW", "lane", "partition", "key", "image", "place", "absent", "present", "a\"b",
      "tg_op",
    ]
    let columns = names.map { "\(quoted($0)) text" }.joined(separator: ", ")
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int, \(columns), PRIMARY KEY (id, n, key))",
      functions: #""f": {"key": "partition", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"]}]}"#)
    try await database.addReference()
    let values = names.map { literal($0) }.joined(separator: ", ")

    try await database.connection.script("INSERT INTO t VALUES (1, \(values)); UPDATE t SET n = 'N'; DELETE FROM t")

    #expect(try await database.connection.query("SELECT DISTINCT key FROM runner.events").only()["key"] == "partition")
    #expect(try await database.bodies() == database.references())
  }

  @Test func aPlanMadeForOneRowServesTwentyThousand() async throws {
    let database = try await database()
    try await database.connection.script(
      """
      INSERT INTO t SELECT i, 'a' FROM generate_series(1, 20000) AS i;
      UPDATE t SET v = 'b' WHERE id = 1;
      UPDATE t SET v = 'c';
      """)

    let updates = try await database.connection.query("SELECT FROM runner.events WHERE record ->> 'v' = 'c'")
    #expect(updates.count == 20_000)
  }
}
