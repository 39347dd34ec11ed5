import Manifest
import Postgres

/// Tables of an app's own that have the name of a table of the migrations, and are about something else.
struct Namesakes: Sendable {
  /// The columns that each of them lacks.
  private let lacking: [String: [String]]
  private let left: Set<String>

  var all: [String] { lacking.keys.sorted() }

  /// The tables that are left alone: a function that needs one cannot be in `functions.json`.
  var leftAlone: [String] { left.intersection(lacking.keys).sorted() }

  /// - Parameter migrations: those whose tables are meant.
  init(of migrations: [SchemaMigration], in database: some SQLExecutor) async throws(PostgresError) {
    left = Set(migrations.flatMap(\.left))
    let known = migrations.flatMap(\.known).flatMap { table, columns in columns.map { (table, $0) } }
    let rows: SQL = .rows("k", ["tab": "\(known.map(\.0))", "col": "\(known.map(\.1))"], numbered: "number")
    let found = try await database.query(
      """
      SELECT k.tab, k.col FROM \(rows)
      JOIN pg_class AS c ON c.relname = k.tab AND c.relnamespace = current_schema()::regnamespace
      WHERE c.relkind NOT IN ('r', 'p') OR NOT EXISTS (
        SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = k.col AND NOT a.attisdropped)
      ORDER BY k.number
      """)
    let pairs = try found.map { row throws(PostgresError) in
      (try row.decode("tab", as: String.self), try row.decode("col", as: String.self))
    }
    lacking = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
  }

  /// A sentence for each function that asks for rows of one that is left alone, and for each that cannot be.
  func lines(of manifest: Manifest) -> [String] {
    lacking.sorted { $0.key < $1.key }.flatMap { table, columns in
      let start = "\(table) has no \(columns.joined(separator: ", ")), and so is about something else than"
      guard left.contains(table) else {
        return ["\(start) the table of that name which functions use: give it another name"]
      }
      let asked = manifest.subscriptions.filter { $0.key.table == table }.values.flatMap { $0.values.joined() }
      return Set(asked.map(\.function)).sorted().map { function in
        """
        \(start) \(function) needs: take its trigger on \(table) out of functions.json, or \(function) itself if it has no \
        other one, then the table is left alone; or give it another name
        """
      }
    }
  }
}
