import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest

/// Triggers that leave out what functions write for themselves.
@Suite(.heavy)
struct OwnWritesTests {
  private static let table = "CREATE TABLE t (id int PRIMARY KEY, v text)"
  private static let functions = #"""
    "all": {"triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"]}]},
    "others": {"triggers": [
      {"table": "t", "events": ["INSERT", "UPDATE", "DELETE"], "columns": ["v"], "where": {"v": "a"}, "ownWrites": false}]}
    """#

  private static func write(in database: CapturingDatabase, _ table: String = "t") async throws -> [String] {
    try await database.connection.script(
      """
      INSERT INTO \(table) VALUES (1, 'a'), (2, 'b');
      BEGIN;
      SET LOCAL app.own_write = 'on';
      INSERT INTO \(table) VALUES (3, 'a');
      UPDATE \(table) SET v = 'a' WHERE id = 2;
      DELETE FROM \(table) WHERE id = 1;
      SET LOCAL app.own_write = 'off';
      INSERT INTO \(table) VALUES (4, 'a');
      COMMIT;
      INSERT INTO \(table) VALUES (5, 'a');
      DELETE FROM \(table) WHERE id = 3;
      """)
    return try await database.events("function || (coalesce(record, old_record) ->> 'id')")
  }

  private static let expected = [
    "DELETE all1", "DELETE all3", "DELETE others3", "INSERT all1", "INSERT all2", "INSERT all3", "INSERT all4",
    "INSERT all5", "INSERT others1", "INSERT others4", "INSERT others5", "UPDATE all2",
  ]

  @Test(arguments: [
    table,
    """
    CREATE TABLE t (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
    CREATE TABLE part PARTITION OF t FOR VALUES FROM (0) TO (100)
    """,
  ])
  func theyMakeNoEventsWhereATriggerSaysSo(table: String) async throws {
    let database = try await CapturingDatabase(tables: table, functions: Self.functions)

    #expect(try await Self.write(in: database) == Self.expected)
  }

  @Test func aFunctionThatWantsThemByOneOfItsTriggersGetsThem() async throws {
    let database = try await CapturingDatabase(
      tables: Self.table,
      functions: #"""
        "f": {"triggers": [{"table": "t", "events": ["INSERT"], "ownWrites": false},
          {"table": "t", "events": ["INSERT"], "where": {"v": "a"}}]}
        """#)

    try await database.connection.script("BEGIN; SET LOCAL app.own_write = 'on'; INSERT INTO t VALUES (1, 'a'); COMMIT")

    #expect(try await database.events() == ["INSERT ->a"])
  }

  @Test func theManifestTakesTrueAndFalseAlone() throws {
    let text = #"{"functions": {"f": {"triggers": [{"table": "t", "events": ["INSERT"], "ownWrites": "no"}]}}}"#

    let error = #expect(throws: ManifestError.self) {
      try Manifest(text: Array(text.utf8), file: "functions.json", directory: "/")
    }

    #expect(error?.description.contains("ownWrites must be true or false") == true)
  }
}
