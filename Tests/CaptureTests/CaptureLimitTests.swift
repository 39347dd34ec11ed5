import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// A row that cannot be an event never fails the statement that wrote it.
@Suite(.heavy)
struct CaptureLimitTests {
  /// The remains of both documents, and the mark for the runner.
  private static let kept: SQL = "concat_ws(' ', old_record, record, 'marked ' || data::text)"
  private static let large = "repeat('x', 1048577)"

  @Test func aRowOverAMebibyteIsKnownByItsKey() async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int, b text, v text, w varchar(10), PRIMARY KEY (id, b) INCLUDE (w))")

    try await database.connection.script(
      """
      INSERT INTO t VALUES (1, 'b', \(Self.large));
      UPDATE t SET v = 'small'; UPDATE t SET v = \(Self.large); UPDATE t SET w = 'w'; DELETE FROM t;
      """)

    let key = #"{"b": "b", "id": 1}"#
    #expect(
      try await database.events(Self.kept) == [
        "DELETE \(key) marked true", "INSERT \(key) marked true", "UPDATE \(key) \(key) marked true",
        #"UPDATE \#(key) {"b": "b", "v": "small", "w": null, "id": 1} marked true"#,
        #"UPDATE {"b": "b", "v": "small", "w": null, "id": 1} \#(key) marked true"#,
      ])
  }

  @Test func itsFunctionsKeyAndColumnsStillCount() async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, v text, topic text, seen int)",
      functions: #"""
        "f": {"key": "topic", "triggers": [{"table": "t", "events": ["UPDATE"], "columns": ["v"]}]}
        """#)

    try await database.connection.script(
      """
      INSERT INTO t VALUES (1, \(Self.large), 'swift', 0);
      UPDATE t SET seen = 1; UPDATE t SET v = v || 'y';
      """)

    #expect(try await database.events("key || (record ->> 'id')") == ["UPDATE swift1"])
  }

  @Test(arguments: [
    ("text", "repeat('x', 1048000)", false), ("text", "repeat('x', 1048577)", true),
    ("bytea", "decode(repeat('ab', 1048577), 'hex')", true), ("text[]", "ARRAY['a']", false),
    ("xml", "xmlparse(content repeat('x', 1048577))", true), ("varchar", large, true),
    ("jsonb", "(SELECT jsonb_agg(md5(i::text)) FROM generate_series(1, 60000) AS i)", true),
    ("json", "(SELECT json_agg(md5(i::text)) FROM generate_series(1, 60000) AS i)", true),
    ("int[]", "(SELECT array_agg(hashint4(i)) FROM generate_series(1, 300000) AS i)", true),
  ])
  func everyTypeOfVaryingSizeCounts(_ type: String, _ value: String, _ isTooLarge: Bool) async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v \(type))")

    try await database.connection.script("INSERT INTO t VALUES (1, \(value))")

    let event = try await database.connection.query(
      "SELECT record = '{\"id\": 1}' AS cut, data IS NOT NULL AS marked FROM runner.events"
    ).only()
    #expect(try event.decode("cut") == isTooLarge)
    #expect(try event.decode("marked") == isTooLarge)
  }

  @Test func withoutAPrimaryKeyNothingIsLeftOfTheRow() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int, v text)")
    try await database.connection.script("INSERT INTO t VALUES (1, \(Self.large))")
    #expect(try await database.events(Self.kept) == ["INSERT {} marked true"])
  }

  @Test func aPartitionsRowsAreLimitedToo() async throws {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
        CREATE TABLE t1 PARTITION OF t DEFAULT;
        """)
    try await database.connection.script("INSERT INTO t VALUES (1, \(Self.large)); UPDATE t SET v = NULL")
    #expect(
      try await database.events(Self.kept) == [
        #"INSERT {"id": 1} marked true"#, #"UPDATE {"id": 1} {"v": null, "id": 1} marked true"#,
      ])
  }

  /// A `json` may hold what no `jsonb` can.
  @Test(arguments: [#""a\u0000b""#, "1e1000000"])
  func whatCannotBeADocumentIsKnownByItsKey(_ json: String) async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v json)")
    try await database.connection.script("INSERT INTO t VALUES (1, '\(json)'), (2, '1'); UPDATE t SET v = '2'")
    #expect(
      try await database.events(Self.kept) == [
        #"INSERT {"id": 1} marked true"#, #"INSERT {"v": 1, "id": 2}"#,
        #"UPDATE {"id": 1} {"v": 2, "id": 1} marked true"#, #"UPDATE {"v": 1, "id": 2} {"v": 2, "id": 2}"#,
      ])
  }
}
