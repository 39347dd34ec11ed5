import Manifest
import Postgres

/// Relations under names of the migrations that an app has made itself, and that cannot be used as tables.
struct UnfitTables<Database: SQLExecutor> {
  private let database: Database
  private let shape: SchemaShape
  /// Columns without which a table cannot be used: nobody can add them.
  private let needed: [(table: String, column: String)]
  /// Columns that others refer to.
  private let keys: [(table: String, column: String)]
  /// Columns by which triggers tell rows, each with the value that lets a row through.
  private let filters: [(table: String, column: String, value: String, function: String)]

  /// - Parameters:
  ///   - migrations: the migrations of those folders from which none has run.
  ///   - namesakes: tables that are about something else, and stay as they are.
  init(
    of manifest: Manifest, _ migrations: [SchemaMigration], besides namesakes: Namesakes, in database: Database
  ) {
    self.database = database
    let migrations = migrations.filter { $0.folder != SchemaMigration.ownFolder }
    let shape = SchemaShape(of: migrations).leaving(namesakes.all)
    self.shape = shape
    needed = migrations.flatMap { $0.lines(after: "-- Needs ") }.flatMap { line in
      let words = line.split { ": ,".contains($0) }.map(String.init)
      return words.dropFirst().map { (words[0], $0) }
    }
    var keys: Set<[String]> = []
    for migration in migrations {
      let words = migration.allWords(with: "_(),")
      for place in words.indices.dropLast(2) where words[place] == "REFERENCES" {
        let column = words[place + 2]
        guard column.first == "(", let end = column.firstIndex(of: ")") else { continue }
        keys.insert([String(words[place + 1]), String(column[column.index(after: column.startIndex)..<end])])
      }
    }
    self.keys = keys.filter { shape.tables[$0[0]] != nil }.map { ($0[0], $0[1]) }.sorted { $0 < $1 }
    var filters: [(table: String, column: String, value: String, function: String)] = []
    for (table, subscriptions) in manifest.subscriptions {
      for subscription in subscriptions.values.joined() {
        filters += subscription.filtered.filter { shape.added.contains("\(table.table).\($0.column)") }
          .map { (table.table, $0.column, $0.value, subscription.function) }
      }
    }
    self.filters = filters.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
  }

  /// A sentence for each, with the statement that mends it.
  func lines() async throws(PostgresError) -> [String] {
    guard !shape.tables.isEmpty else { return [] }
    return try await views() + missing() + keyless() + taken()
  }

  private func views() async throws(PostgresError) -> [String] {
    try await database.query(
      """
      SELECT format('%1$s is %2$s, and has to be a table: ALTER %3$s %1$s RENAME TO %4$I;', t.name,
        CASE c.relkind WHEN 'v' THEN 'a view' WHEN 'm' THEN 'a materialized view' ELSE 'a foreign table' END,
        CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'FOREIGN TABLE' END,
        'app_' || t.name) AS line
      FROM unnest(\(shape.tables.keys.sorted())) AS t (name)
      JOIN pg_class AS c ON c.relname = t.name AND c.relnamespace = current_schema()::regnamespace
        AND c.relkind IN ('v', 'm', 'f')
      ORDER BY t.name
      """
    ).decode("line")
  }

  private func missing() async throws(PostgresError) -> [String] {
    let types = needed.map { name in shape.tables[name.table]?.first { $0.name == name.column }?.type ?? "text" }
    let wanted: SQL = .rows(
      "n", ["tab": "\(needed.map(\.table))", "col": "\(needed.map(\.column))", "type": "\(types)"], numbered: "number")
    return try await database.query(
      """
      SELECT format('%1$s has no column %2$s: ALTER TABLE %1$s ADD COLUMN %2$I %3$s%4$s;', n.tab, n.col, n.type,
        CASE n.col WHEN 'id' THEN ' NOT NULL DEFAULT gen_random_uuid() UNIQUE' ELSE '' END) AS line
      FROM \(wanted)
      JOIN pg_class AS c ON c.relname = n.tab AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      WHERE NOT EXISTS (
        SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = n.col AND NOT a.attisdropped)
      ORDER BY n.number
      """
    ).decode("line")
  }

  private func keyless() async throws(PostgresError) -> [String] {
    let wanted: SQL = .rows("k", ["tab": "\(keys.map(\.table))", "col": "\(keys.map(\.column))"])
    return try await database.query(
      """
      SELECT format(CASE c.relkind
          WHEN 'p' THEN '%1$s is partitioned, and others refer to %2$s, which is no key: ALTER TABLE %1$s RENAME TO %3$I;'
          ELSE '%1$s.%2$s has no unique key, and others refer to it: ALTER TABLE %1$s ADD UNIQUE (%2$I);'
        END, k.tab, k.col, 'app_' || k.tab) AS line
      FROM \(wanted)
      JOIN pg_class AS c ON c.relname = k.tab AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = k.col AND NOT a.attisdropped
      WHERE NOT EXISTS (
        SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
          AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
      ORDER BY k.tab, k.col
      """
    ).decode("line")
  }

  // The column would be the app's, and its values of another meaning: functions would hear of no row.
  private func taken() async throws(PostgresError) -> [String] {
    let wanted: SQL = .rows(
      "f",
      [
        "tab": "\(filters.map(\.table))", "col": "\(filters.map(\.column))", "value": "\(filters.map(\.value))",
        "function": "\(filters.map(\.function))",
      ])
    return try await database.query(
      """
      SELECT format('%1$s.%2$s is the app''s own, and %3$s hears of rows in which it is %4$s: '
        || 'ALTER TABLE %1$s RENAME COLUMN %2$I TO %5$I;', f.tab, f.col, f.function, f.value, 'app_' || f.col) AS line
      FROM \(wanted)
      JOIN pg_class AS c ON c.relname = f.tab AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = f.col AND NOT a.attisdropped
      LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE starts_with(pg_get_expr(d.adbin, d.adrelid), quote_literal(f.value) || '::') IS NOT TRUE
      ORDER BY 1
      """
    ).decode("line")
  }
}
