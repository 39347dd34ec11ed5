import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// The old and the new row of an update belong together, no matter how their keys change.
@Suite(.heavy)
struct CaptureKeyTests {
  /// Each update as the old and the new key; `u` is the column of a row that never changes.
  private static let keys: SQL = """
    concat(old_record ->> 'u', ':', old_record ->> 'id', '>', record ->> 'u', ':', record ->> 'id')
    """

  @Test func keysThatAreSwapped() async throws {
    let database = try await CapturingDatabase(
      tables:
        "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE, u text); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")

    try await database.connection.script("UPDATE t SET id = 3 - id WHERE id < 3; UPDATE t SET id = id + 10")

    #expect(
      try await database.events(Self.keys) == [
        "UPDATE a:1>a:2", "UPDATE a:2>a:12", "UPDATE b:1>b:11", "UPDATE b:2>b:1", "UPDATE c:3>c:13",
      ])
  }

  @Test func keysOfSeveralColumnsWithAnyCharacters() async throws {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id text, b text, u text, PRIMARY KEY (id, b) DEFERRABLE);
        INSERT INTO t VALUES ('a:b', 'c', '1'), ('a', 'b:c', '2'), ('|a|', '|', '3'), ('', ':', '4');
        """)

    try await database.connection.script(
      "UPDATE t SET id = b, b = id; UPDATE t SET u = u || '!' WHERE u = '2'; UPDATE t SET id = id || '|'")

    #expect(
      try await database.events("concat(old_record, '>', record)") == [
        #"UPDATE {"b": "", "u": "4", "id": ":"}>{"b": "", "u": "4", "id": ":|"}"#,
        #"UPDATE {"b": ":", "u": "4", "id": ""}>{"b": "", "u": "4", "id": ":"}"#,
        #"UPDATE {"b": "a", "u": "2!", "id": "b:c"}>{"b": "a", "u": "2!", "id": "b:c|"}"#,
        #"UPDATE {"b": "a", "u": "2", "id": "b:c"}>{"b": "a", "u": "2!", "id": "b:c"}"#,
        #"UPDATE {"b": "a:b", "u": "1", "id": "c"}>{"b": "a:b", "u": "1", "id": "c|"}"#,
        #"UPDATE {"b": "b:c", "u": "2", "id": "a"}>{"b": "a", "u": "2", "id": "b:c"}"#,
        #"UPDATE {"b": "c", "u": "1", "id": "a:b"}>{"b": "a:b", "u": "1", "id": "c"}"#,
        #"UPDATE {"b": "|", "u": "3", "id": "|a|"}>{"b": "|a|", "u": "3", "id": "|"}"#,
        #"UPDATE {"b": "|a|", "u": "3", "id": "|"}>{"b": "|a|", "u": "3", "id": "||"}"#,
      ])
  }

  @Test func keysThatGoAndComeBackInOneTransaction() async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, u text, v int); INSERT INTO t VALUES (1, 'a', 0), (2, 'b', 0)")

    try await database.connection.script(
      """
      BEGIN; UPDATE t SET id = 11 WHERE id = 1; UPDATE t SET id = 1 WHERE id = 2; UPDATE t SET v = 1;
      UPDATE t SET id = id + 1; COMMIT;
      """)

    #expect(
      try await database.events(Self.keys) == [
        "UPDATE a:11>a:11", "UPDATE a:11>a:12", "UPDATE a:1>a:11", "UPDATE b:1>b:1", "UPDATE b:1>b:2", "UPDATE b:2>b:1",
      ])
  }

  @Test func aRowThatOneStatementsCascadesChangeTwice() async throws {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE parent (id int PRIMARY KEY);
        CREATE TABLE t (id int PRIMARY KEY, a int REFERENCES parent ON UPDATE CASCADE ON DELETE SET NULL,
          b int REFERENCES parent ON UPDATE CASCADE ON DELETE CASCADE);
        INSERT INTO parent VALUES (1), (2); INSERT INTO t VALUES (1, 1, 1), (2, 2, 1);
        """)
    try await database.connection.script("DELETE FROM runner.events; ")
    try await database.addReference()

    try await database.connection.script("UPDATE parent SET id = id + 10; DELETE FROM parent WHERE id = 11")

    let bodies = try await database.bodies()
    #expect(bodies.count { $0.contains("UPDATE") } >= 4)
    #expect(bodies.count { $0.contains("DELETE") } == 2)
    #expect(try await database.references() == bodies)
  }

  @Test func statementsInsideOfStatementsOnTheSameTable() async throws {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id int PRIMARY KEY, parent int REFERENCES t ON UPDATE CASCADE, touched int NOT NULL DEFAULT 0);
        INSERT INTO t VALUES (1, NULL), (2, 1), (3, 2);
        CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE t SET touched = touched + 1 WHERE id = OLD.parent;
          RETURN NEW;
        END $$;
        CREATE TRIGGER touch BEFORE UPDATE OF id ON t FOR EACH ROW EXECUTE FUNCTION touch();
        """)
    try await database.addReference()

    try await database.connection.script("UPDATE t SET id = id + 10 WHERE id = 3; UPDATE t SET id = 7 WHERE id = 2")

    let bodies = try await database.bodies()
    #expect(bodies.count >= 4)
    #expect(try await database.references() == bodies)
  }
}
