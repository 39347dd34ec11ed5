import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// A table or column that is gone stops the functions that name it, and no others.
@Suite(.heavy)
struct ChangedSchemaTests {
  private static let functions = #"""
    "f": {"key": "topic", "triggers": [{"table": "t", "events": ["INSERT"]}]},
    "g": {"triggers": [{"table": "t", "events": ["INSERT"]}]},
    "h": {"triggers": [{"table": "other", "events": ["INSERT"], "where": {"v": "a"}}]},
    "i": {"triggers": [{"notify": "third"}]}
    """#

  private func database() async throws -> CapturingDatabase {
    try await CapturingDatabase(
      tables: "CREATE TABLE t (topic text, v text); CREATE TABLE other (v text); CREATE TABLE third (v text)",
      functions: Self.functions)
  }

  private func held(_ database: CapturingDatabase) async throws -> [String: String] {
    try await Migrator(database: database.connection).check(CapturingDatabase.manifest(Self.functions)).held
  }

  @Test(arguments: [
    ("ALTER TABLE t RENAME TO t2", ["f", "g"], "There is no table public.t, which functions.json names for f, g."),
    ("ALTER TABLE t SET SCHEMA runner_test", ["f", "g"], "There is no table public.t,"),
    ("DROP TABLE t", ["f", "g"], "There is no table public.t,"),
    ("DROP TABLE t; CREATE VIEW t AS SELECT 1 AS topic", ["f", "g"], "public.t is a view"),
    ("ALTER TABLE t DROP topic", ["f"], "public.t has no column topic, which functions.json names for f."),
    ("ALTER TABLE t RENAME topic TO subject", ["f"], "public.t has no column topic,"),
    ("ALTER TABLE other DROP v", ["h"], "public.other has no column v,"),
    ("ALTER TABLE third RENAME TO fourth", ["i"], "There is no table public.third,"),
    ("ALTER TABLE t DROP v", [], ""),
  ])
  func onlyItsFunctionsAreHeld(_ change: String, _ functions: [String], _ problem: String) async throws {
    let database = try await database()
    try await database.connection.script("CREATE SCHEMA runner_test; \(change)")

    let checked = try await held(database)
    let report = try await Migrator(database: database.connection)
      .migrate(CapturingDatabase.manifest(Self.functions), prunes: true, holds: true)

    #expect(checked.keys.sorted() == functions)
    #expect(checked.values.allSatisfy { $0.hasPrefix(problem) }, "\(checked)")
    #expect(report.held == checked)
    guard !functions.isEmpty else { return }
    // Who runs `runner migrate` is there to mend it.
    let error = await #expect(throws: MigrationError.self) { try await database.migrate(Self.functions) }
    #expect(error?.description.hasPrefix(problem) == true)
  }

  @Test(arguments: [
    ("ALTER TABLE t RENAME TO t2", "t2", "ALTER TABLE t2 RENAME TO t"),
    ("ALTER TABLE t RENAME topic TO subject", "t", "ALTER TABLE t RENAME subject TO topic"),
  ])
  func theirEventsAreMadeAllTheSame(_ change: String, _ table: String, _ back: String) async throws {
    let database = try await database()
    let manifest = try CapturingDatabase.manifest(Self.functions)
    try await database.connection.script(change)
    _ = try await Migrator(database: database.connection).migrate(manifest, prunes: true, holds: true)

    try await database.connection.script("INSERT INTO \(table) VALUES ('a', 'b')")
    #expect(try await database.events("function || table_name") == ["INSERT ft", "INSERT gt"])

    try await database.connection.script(back)
    #expect(try await held(database).isEmpty)
    #expect(try await database.migrate(Self.functions, prunes: true).isEmpty)
    try await database.connection.script("INSERT INTO t VALUES ('a', 'b')")
    #expect(try await database.events("function || coalesce(key, '-')") == ["INSERT fa", "INSERT g-"])
  }

  @Test(arguments: [
    #""f": {"triggers": [{"table": "nowhere", "events": ["INSERT"]}]}"#, #""f": {"triggers": [{"notify": "nowhere"}]}"#,
    #""f": {"key": "nothing", "triggers": [{"table": "t", "events": ["INSERT"]}]}"#,
  ])
  func whatNeverFittedIsAMistake(_ functions: String) async throws {
    let database = try await database()
    let manifest = try CapturingDatabase.manifest(functions)

    await #expect(throws: MigrationError.self) {
      try await Migrator(database: database.connection).check(manifest)
    }
    await #expect(throws: MigrationError.self) {
      try await Migrator(database: database.connection).migrate(manifest, holds: true)
    }
  }
}
