import Manifest
import Postgres

/// The app of rows that name none, as `functions.json` says.
struct DefaultApp<Database: SQLExecutor> {
  let app: String
  let shape: SchemaShape
  let database: Database

  /// The tables whose column `app` has a default.
  private var tables: [String] {
    shape.tables.filter { $0.value.contains { $0.name == "app" && $0.hasDefault } }.keys.sorted(by: >)
  }

  /// The statements that make it so for tables of the migrations to come.
  func changesOfNewTables() async throws(PostgresError) -> [(table: String, sql: String)] {
    let rows = try await database.query(
      "SELECT name FROM unnest(\(tables)) AS t (name) WHERE to_regclass(name) IS NULL")
    return try rows.decode("name", as: String.self).map {
      ($0, "ALTER TABLE \($0) ALTER COLUMN app SET DEFAULT \(literal(app));")
    }
  }

  /// The statements for each table that is there and has not got the default app.
  ///
  /// If an app has made the table itself, and no migration has run yet, rows that are there get it, too.
  func changes() async throws(PostgresError) -> [(table: String, sql: String)] {
    let rows = try await database.query(
      """
      SELECT c.oid::regclass::text AS table, a.attnum IS NOT NULL AS begun
      FROM pg_class AS c
      LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'app' AND NOT a.attisdropped
      LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.oid = ANY (ARRAY(SELECT to_regclass(name)::oid FROM unnest(\(tables)) AS t (name)))
        AND starts_with(pg_get_expr(d.adbin, d.adrelid), \(literal(app) + "::")) IS NOT TRUE
      ORDER BY 1 DESC
      """)
    return try rows.map { row throws(PostgresError) in
      let table: String = try row.decode("table")
      let isThere: Bool = try row.decode("begun")
      let change = isThere ? "ALTER COLUMN app SET DEFAULT" : "ADD COLUMN app text NOT NULL DEFAULT"
      return (table, "ALTER TABLE \(table) \(change) \(literal(app));")
    }
  }
}
