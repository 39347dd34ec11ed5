import Foundation
import Postgres
import RunnerTestSupport
import System
import TestSupport

@testable import Capture
@testable import Manifest

/// The database of 1.0, with rows in every table: what every later version has to bring over.
///
/// `Databases/1.0.sql` is what `pg_dump` says of it. It was written once, by
/// `DATABASE=write swift test --filter ReleasedDatabaseTests/isWritten`, and is not written again.
struct ReleasedDatabase: Sendable {
  let url: String
  let connection: Connection

  static let folder = "\(Schema.project)/Tests/CaptureTests/Databases"
  private static let file = "\(folder)/1.0.sql"

  init() async throws {
    self.init(try await TemporaryPostgres.database(migrated: Self.load, named: "released-1.0"))
  }

  private init(_ url: String) {
    self.url = url
    connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(120))
  }

  private static let load: @Sendable (String) async throws -> Void = { url in
    let connection = Connection(url: url, applicationName: "load", statementTimeout: .seconds(120))
    // Roles belong to the server, and are in no dump.
    try await connection.script(
      """
      DO $$ BEGIN CREATE ROLE push_app NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
      \(try String(contentsOfFile: file, encoding: .utf8))
      """)
    await connection.close()
  }

  /// A new database of this version with the demo's rows, and with others where those leave a table empty.
  static func filled() async throws -> ReleasedDatabase {
    let database = ReleasedDatabase(try await TemporaryPostgres.database())
    _ = try await Migrator(database: database.connection).migrate(manifest())
    for rows in ["\(Schema.project)/Runner/Demo/demo.sql", "\(folder)/rows.sql"] {
      try await database.connection.script(String(contentsOfFile: rows, encoding: .utf8))
    }
    return database
  }

  /// Writes the file.
  static func write() async throws {
    let url = try await filled().url
    let dump = try await BuiltExecutables.run(
      TemporaryPostgres.program("pg_dump"), ["--inserts", "--rows-per-insert=200", "--no-owner", "--dbname", url])
    guard dump.exit == 0 else { throw ProgramFailure(description: dump.stderr) }
    // psql's own commands.
    let lines = dump.stdout.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("\\") }
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// The bundle's `functions.json`.
  ///
  /// - Parameter folder: the migrations' folder.
  static func manifest(_ folder: String = Schema.folder) throws -> Manifest {
    let text = try String(contentsOfFile: "\(Schema.project)/functions.json", encoding: .utf8)
    return try Manifest(
      text: Array(text.replacing("\"Shared/Schema/apps\"", with: "\"\(folder)\"").utf8), file: "functions.json",
      directory: Schema.project)
  }

  /// The tables, but those in which a version says what it has made.
  func tables() async throws -> [String] {
    try await connection.query(
      """
      SELECT c.oid::regclass::text AS name FROM pg_class AS c
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relnamespace IN ('public'::regnamespace, 'runner'::regnamespace)
        AND c.oid NOT IN ('runner.migrations'::regclass, 'runner.changes'::regclass, 'runner.triggers'::regclass)
      ORDER BY name
      """
    ).decode("name")
  }

  /// Keeps a copy of all rows beside the tables.
  func copyRows() async throws {
    try await connection.script("CREATE SCHEMA copies; CREATE TABLE copies.rows (place text, row jsonb)")
    for table in try await tables() {
      try await connection.script("INSERT INTO copies.rows SELECT '\(table)', to_jsonb(t) FROM \(table) AS t")
    }
  }

  /// The tables whose rows are others than they were when they were copied; columns may have come.
  func changedTables() async throws -> [String] {
    var changed: [String] = []
    for table in try await connection.query("SELECT DISTINCT place FROM copies.rows").decode("place", as: String.self) {
      let row = try await connection.query(
        """
        SELECT (SELECT count(*) FROM \(unescaped: table)) <> count(*) OR count(*) FILTER (WHERE NOT EXISTS (
          SELECT FROM \(unescaped: table) AS t WHERE to_jsonb(t) @> c.row)) > 0 AS changed
        FROM copies.rows AS c WHERE c.place = \(table)
        """
      ).only()
      if try row.decode("changed") { changed.append(table) }
    }
    return changed.sorted()
  }

  /// The figures that are worked out from the rows: each person's badges, the rates, and the journal's lines.
  func figures() async throws -> [String] {
    try await connection.query(
      """
      SELECT concat_ws(' ', u.id, a.app, push_badge(u.id, a.app, '2026-11-02Z')) AS line
      FROM users AS u, unnest(ARRAY['feedbackkit', 'lockitin', 'messageai', 'mugshot', 'repairminder']) AS a (app)
      UNION ALL SELECT r::text FROM push_rates_by_kind AS r
      UNION ALL SELECT j::text FROM push_journal('-infinity', 'infinity') AS j
      UNION ALL SELECT concat_ws(' ', n.id, push_eligibility(n, '2026-11-02Z')) FROM notifications AS n
      ORDER BY 1
      """
    ).decode("line")
  }
}
