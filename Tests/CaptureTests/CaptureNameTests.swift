import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest
@testable import Queue

/// Tables, schemas and columns whose names are no plain words.
@Suite(.heavy)
struct CaptureNameTests {
  /// Some with a mark that combines with a quote: for PostgreSQL they are two characters.
  static let names = [
    "my.votes", "a\"b", "\"", "it's", "back\\slash", "two words", "Größe", "\"\u{301}\"; x", "'\u{301}'", "\\\u{301}",
    ".",
  ]

  /// A trigger and a key as `functions.json` has them.
  private func function(_ table: TableName, key: String) -> String {
    let rows = RawJSON(object: [
      ("table", RawJSON(table.description)), ("events", RawJSON(array: ["INSERT", "UPDATE"].map { RawJSON($0) })),
      ("columns", RawJSON(array: [RawJSON(key)])), ("where", RawJSON(object: [(key, RawJSON("1"))])),
    ])
    let triggers = RawJSON(array: [rows, RawJSON(object: [("notify", RawJSON(table.description))])])
    let entry = RawJSON(object: [("key", RawJSON(key)), ("triggers", triggers)])
    return "\"f\": \(String(decoding: entry.bytes, as: UTF8.self))"
  }

  @Test(arguments: names) func itsRowsMakeEventsAndItsNameIsShown(_ name: String) async throws {
    let table = TableName(schema: "of \(name)", table: name)
    let quoted: SQL = "\(identifier: table.schema).\(identifier: name)"
    let database = try await CapturingDatabase(tables: "SELECT", functions: "")
    for statement: SQL in [
      "CREATE SCHEMA \(identifier: table.schema)",
      "CREATE TABLE \(quoted) (\(identifier: name) text PRIMARY KEY, v int)",
    ] { _ = try await database.connection.query(statement) }
    let functions = function(table, key: name)
    try await database.migrate(functions)

    _ = try await database.connection.query("INSERT INTO \(quoted) VALUES ('1', 2), ('2', 2)")

    let events = try await database.connection.query(
      "SELECT key, table_schema, table_name, \(QueuedEvent.kind) AS kind FROM runner.events")
    let event = try events.only()
    #expect(try event.decode("key", as: String.self) == "1")
    #expect(try event.decode("table_schema", as: String.self) == table.schema)
    #expect(try event.decode("table_name", as: String.self) == name)
    let isDotted = name.contains(".")
    #expect(
      try event.decode("kind", as: String.self) == "INSERT \(isDotted ? table.description : "\(table.schema).\(name)")")
    #expect(try await database.migrate(functions).isEmpty, "it is as it should be")
    let manifest = try CapturingDatabase.manifest(functions)
    let inPlace = try await TriggersInPlace(manifest, on: database.connection)
    for trigger in manifest.functions[0].triggers { #expect(inPlace.problem(of: trigger, for: "f") == nil) }
    try await database.migrate("", prunes: true)
    #expect(try await database.connection.query("SELECT FROM runner.triggers").isEmpty)
  }

  @Test func twoNamesThatDifferByTheirQuotesAreTwoTables() async throws {
    let tables = [TableName(schema: "a.b", table: "c"), TableName(schema: "a", table: "b.c")]
    let functions = tables.enumerated().map { index, table in
      #""f\#(index)": \#(function(table, key: "id").dropFirst(5))"#
    }.joined(separator: ", ")
    let database = try await CapturingDatabase(
      tables: tables.map { "CREATE SCHEMA \"\($0.schema)\"; CREATE TABLE \($0.sql) (id int PRIMARY KEY);" }.joined(),
      functions: functions)

    try await database.connection.script(#"INSERT INTO "a.b".c VALUES (1); INSERT INTO a."b.c" VALUES (1)"#)

    let said = try await database.connection.query(
      "SELECT function || ' ' || \(QueuedEvent.kind) AS said FROM runner.events ORDER BY 1"
    ).decode("said", as: String.self)
    #expect(said == [#"f0 INSERT "a.b".c"#, #"f1 INSERT a."b.c""#])
  }
}
