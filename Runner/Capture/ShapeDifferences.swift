package import Manifest
package import Postgres

/// How the tables of a database differ from those that the bundle's migrations make, where its owner made them in another way.
package struct ShapeDifferences<Database: SQLExecutor> {
  private let database: Database
  private let shape: SchemaShape
  /// Tables to which functions write whole rows.
  private let written: [String]

  /// - Throws: `MigrationError` where the migrations cannot be read.
  package init(from manifest: Manifest, in database: Database) async throws(MigrationError) {
    self.database = database
    shape = SchemaShape(of: try await SchemaMigration.all(of: manifest))
    written = shape.written(by: manifest)
  }

  /// A sentence for each column and index that is not as it has to be.
  package func lines() async throws(PostgresError) -> [String] {
    try await columns() + unfilled() + keys()
  }

  /// Each column with its table, its type, and whether rows are written that leave it out.
  private var wanted: SQL {
    let columns = shape.tables.sorted { $0.key < $1.key }.flatMap { table, columns in
      columns.map { (table: table, column: $0) }
    }
    let rows: SQL = .rows(
      "w",
      [
        "tab": "\(columns.map(\.table))", "col": "\(columns.map(\.column.name))",
        "type": "\(columns.map(\.column.type))", "is_optional": "\(columns.map(\.column.isOptional))",
      ], numbered: "number")
    return "SELECT w.*, to_regclass(w.tab)::oid AS rel FROM \(rows)"
  }

  private func columns() async throws(PostgresError) -> [String] {
    try await database.query(
      """
      SELECT CASE
        WHEN w.rel IS NULL THEN 'the table ' || w.tab || ' is missing'
        WHEN a.attnum IS NULL THEN w.tab || ' has no column ' || w.col || ' (' || format_type(to_regtype(w.type), NULL) || ')'
        ELSE w.tab || '.' || w.col || ' is ' || format_type(a.atttypid, NULL) || ', and has to be '
          || format_type(to_regtype(w.type), NULL)
        END AS line
      FROM (\(wanted)) AS w
      LEFT JOIN pg_attribute AS a ON a.attrelid = w.rel AND a.attname = w.col AND NOT a.attisdropped
      LEFT JOIN pg_type AS has ON has.oid = a.atttypid
      JOIN pg_type AS needs ON needs.oid = to_regtype(w.type)
      WHERE (w.rel IS NOT NULL OR w.number = (SELECT min(f.number) FROM (\(wanted)) AS f WHERE f.tab = w.tab))
        AND (has.oid = needs.oid OR has.typcategory = needs.typcategory AND needs.typcategory IN ('S', 'N')) IS NOT TRUE
      ORDER BY w.number
      """
    ).decode("line")
  }

  /// Columns that a row has to have, of tables to which rows are written without them.
  private func unfilled() async throws(PostgresError) -> [String] {
    try await database.query(
      """
      SELECT t.tab || '.' || a.attname || ' must not be NULL and has no default: rows that are written here leave it out'
        AS line
      FROM unnest(\(written)) AS t (tab)
      JOIN pg_attribute AS a ON a.attrelid = to_regclass(t.tab) AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
      LEFT JOIN (\(wanted)) AS w ON w.tab = t.tab AND w.col = a.attname
      WHERE NOT a.atthasdef AND a.attidentity = '' AND (w.col IS NULL OR w.is_optional)
        AND NOT EXISTS (
          SELECT FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid
          WHERE g.tgrelid = a.attrelid AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A')
            AND p.prosrc ~* ('new[.]' || a.attname || ' *:='))
      ORDER BY 1
      """
    ).decode("line")
  }

  private func keys() async throws(PostgresError) -> [String] {
    let keys = written.flatMap { table in (shape.keys[table] ?? []).map { (table, $0.sorted().joined(separator: ", ")) }
    }
    let rows: SQL = .rows("k", ["tab": "\(keys.map(\.0))", "cols": "\(keys.map(\.1))"])
    return try await database.query(
      """
      SELECT k.tab || ' lacks a unique index on (' || k.cols || ')' AS line
      FROM \(rows)
      WHERE to_regclass(k.tab) IS NOT NULL AND NOT EXISTS (
        -- Rows of partitions may have no common key.
        SELECT FROM pg_class AS c WHERE c.oid = to_regclass(k.tab) AND c.relkind = 'p'
      ) AND NOT EXISTS (
        SELECT FROM pg_index AS i
        WHERE i.indrelid = to_regclass(k.tab) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
          AND i.indexprs IS NULL AND k.cols = (
            SELECT string_agg(a.attname, ', ' ORDER BY a.attname COLLATE "C") FROM pg_attribute AS a
            WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])))
      ORDER BY 1
      """
    ).decode("line")
  }
}
