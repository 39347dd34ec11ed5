import FunctionKit
package import Postgres

/// The migrations that a database has had, compared with those of the runner and its bundle.
///
/// Migrations from folders that `functions.json` does not name belong to other bundles, and are passed over.
package struct SchemaState {
  /// The migrations that are to come, in their order.
  package private(set) var pending: [SchemaMigration] = []
  /// The migrations of a later version.
  package private(set) var unknown: [String] = []
  /// The migrations of a later version beside which this one may not go on.
  package private(set) var breaking: [String] = []
  /// Advice for a database of a version from before 1.0; `nil` where it is of none.
  package private(set) var development: String?
  /// Whether there are any of the runner's tables.
  package private(set) var isBegun = false
  /// A sentence for a database that has the runner's tables, but no record of the migrations that made them.
  package private(set) var unrecorded: String?
  private let migrations: [SchemaMigration]

  /// The migrations of those folders whose first migration has not run.
  var beginning: [SchemaMigration] {
    let first = Dictionary(migrations.map { ($0.folder, $0.name) }) { first, _ in first }
    let pending = Set(pending.map(\.name))
    return migrations.filter { pending.contains(first[$0.folder] ?? "") }
  }

  /// Looks, and changes nothing.
  ///
  /// - Parameter isOwn: whether the database is the runner's own.
  /// - Throws: `FunctionError` where the role may not look.
  package init(of database: some SQLExecutor, _ migrations: [SchemaMigration], isOwn: Bool = false) async throws {
    (self.migrations, pending) = (migrations, migrations)
    let found = try await database.query(
      """
      SELECT has_schema_privilege(n.oid, 'USAGE') AS usable, c.oid IS NOT NULL AS begun,
        has_table_privilege(c.oid, 'SELECT') AS readable, EXISTS (SELECT FROM pg_class AS t
          WHERE t.relnamespace = n.oid AND t.relkind IN ('r', 'p') AND t.relname <> 'migrations') AS filled
      FROM pg_namespace AS n LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'migrations'
      WHERE n.nspname = 'runner'
      """)
    guard let row = found.first else { return }
    isBegun = try row.decode("begun")
    if try !row.decode("usable", as: Bool.self) || isBegun && !row.decode("readable", as: Bool.self) {
      throw try await MissingRights(ofRunnerOn: database).error
    }
    let isFilled: Bool = try row.decode("filled")
    guard isBegun else {
      if isFilled { unrecorded = try await Self.sentence(ofUnrecorded: database) }
      return
    }
    // As a document, because the columns came later than the table.
    let rows = try await database.query(
      """
      SELECT m.name, coalesce(to_jsonb(m) ->> 'breaks_older', 'true')::boolean AS breaks,
        to_jsonb(m) ->> 'compatible_since' AS since
      FROM runner.migrations AS m ORDER BY m.name
      """)
    let applied = Set(try rows.decode("name", as: String.self))
    if isFilled, !applied.contains(where: { SchemaMigration.folder(of: $0) == SchemaMigration.ownFolder }) {
      unrecorded = try await Self.sentence(ofUnrecorded: database)
    }
    if let version = DevelopmentVersion(applied) {
      if isOwn {
        development = version.sentenceOfOwn
      } else {
        let options = try await version.options(of: SchemaShape(of: migrations), in: database)
        development = version.sentence(keeping: options)
      }
      return
    }
    pending = migrations.filter { !applied.contains($0.name) }
    let known = Set(migrations.map(\.name))
    let folders = Set(migrations.map(\.folder))
    for row in rows {
      let name: String = try row.decode("name")
      guard !known.contains(name), folders.contains(SchemaMigration.folder(of: name)) else { continue }
      unknown.append(name)
      if try row.decode("breaks"), !(row["since"].map(known.contains) ?? false) { breaking.append(name) }
    }
  }

  /// Nothing is dropped here: rows may be there all the same, because triggers of a dump without rows make events.
  private static func sentence(ofUnrecorded database: some SQLExecutor) async throws -> String {
    let what = """
      The schema runner has tables, but no record of the migrations that made them, as after a dump without rows \
      (pg_dump --schema-only).
      """
    let tables: [String] = try await database.query(
      """
      SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = 'runner'::regnamespace AND relkind = 'r' AND relname <> 'migrations' ORDER BY relname
      """
    ).decode("name")
    for table in tables {
      guard try await !database.query("SELECT FROM runner.\(identifier: table) LIMIT 1").isEmpty else { continue }
      return """
        \(what) There are rows in runner.\(table): restore the schema runner from a whole dump, or keep what you need of \
        its rows; then DROP SCHEMA runner CASCADE in psql, and "runner migrate".
        """
    }
    return """
      \(what) All of them are empty: DROP SCHEMA runner CASCADE in psql, then "runner migrate", which makes the triggers on \
      your tables again, too.
      """
  }

  /// - Throws: `MigrationError` where the database is of another version, which this one does not get on with.
  func checkVersion() throws {
    if let problem = unrecorded ?? development { throw MigrationError("\(problem) Nothing was changed.") }
    guard breaking.isEmpty else {
      throw MigrationError(
        """
        The database is of a later version (\(breaking.joined(separator: ", "))), beside which this one \
        must not go on: use that version.
        """)
    }
  }

  /// The message about a database of a later version with which this one works.
  package var note: String? {
    unknown.isEmpty
      ? nil
      : "The database is of a later version (\(unknown.joined(separator: ", "))), beside which this one may go on."
  }
}
