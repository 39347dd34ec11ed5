import Postgres
import System

/// A version from before 1.0, whose tables this one does not bring over.
///
/// The numbers of its migrations are below 1000.
struct DevelopmentVersion {
  /// The last of the runner's own migrations that a database has had.
  private let last: String

  /// - Parameter applied: the migrations that a database has had.
  /// - Returns: `nil` where they are of no such version.
  init?(_ applied: Set<String>) {
    let own = applied.filter { name in
      name.hasPrefix("\(SchemaMigration.ownFolder)/0")
    }
    guard let last = own.max() else { return nil }
    self.last = last
  }

  /// Options of `pg_restore` that choose what is to be kept: those of these tables that have rows, and their sequences.
  ///
  /// The schema is named, too, because tables of the runner have such names. A table with days is a log, and has other names.
  /// - Returns: nothing where no table has rows.
  func options(of shape: SchemaShape, in database: some SQLExecutor) async throws(PostgresError) -> [String] {
    let all = shape.tables.sorted { $0.key < $1.key }
    let known: SQL = .rows(
      "t",
      [
        "name": "\(all.map(\.key))", "columns": "\(all.map { $0.value.map(\.name).joined(separator: " ") })",
      ])
    let tables: [String] = try await database.query(
      """
      SELECT t.name FROM \(known) JOIN pg_class AS c ON c.oid = to_regclass(t.name) AND c.relkind = 'r'
      WHERE has_table_privilege(c.oid, 'SELECT') AND NOT EXISTS (
        SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          AND a.attname::text <> ALL (string_to_array(t.columns, ' ')))
      ORDER BY t.name
      """
    ).decode("name")
    var kept: [String] = []
    for table in tables where try await !database.query("SELECT FROM \(identifier: table) LIMIT 1").isEmpty {
      kept.append(table)
    }
    guard !kept.isEmpty else { return [] }
    let schema: String = try await database.query("SELECT current_schema()::text AS name").only().decode("name")
    kept += try await database.query(
      """
      SELECT s.relname::text AS name FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S'
      WHERE d.deptype IN ('a', 'i') AND d.refobjid = ANY (ARRAY(SELECT to_regclass(n)::oid FROM unnest(\(kept)) AS k (n)))
      ORDER BY name
      """
    ).decode("name", as: String.self)
    return ["-n \(Self.word(schema))"] + kept.map { "-t \($0)" }
  }

  /// A name as a shell takes it.
  private static func word(_ name: String) -> String {
    name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" }
      ? name : "'\(name.escaping("'", as: #"'\''"#))'"
  }

  private var beginning: String {
    "The database is of a version from before 1.0 (\(last)), which this one does not bring over."
  }

  /// Advice for the runner's own database.
  var sentenceOfOwn: String {
    """
    \(beginning) It is the runner's own: "runner reset" deletes it, and the next start makes a new one. To keep \
    rows of it, dump them first, with that version.
    """
  }

  /// Advice for an app's database, where these options name what is to be kept.
  func sentence(keeping options: [String]) -> String {
    let steps = """
      \(beginning) Stop that version's runners when nothing waits for them any more. Keep what cannot be made again: \
      pg_dump -Fc -f kept.dump "$DATABASE_URL". Then "runner migrate --remove" takes away what that version has made, \
      and names what is lost with it; "runner migrate --remove --plan" does so beforehand. After that, "runner migrate" \
      makes this version's tables.
      """
    guard !options.isEmpty else { return steps }
    return """
      \(steps) This puts the rows back, and tells nobody again: PGOPTIONS='-c session_replication_role=replica' \
      pg_restore --data-only \(options.joined(separator: " ")) -d "$DATABASE_URL" kept.dump. It needs a role that may set \
      session_replication_role. Leave out tables that were not taken away. Columns of the app's own tables that were \
      taken away are in kept.dump, too.
      """
  }
}
