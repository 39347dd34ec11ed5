import Postgres

/// Tables that an app has made itself before the first migration of a folder, and that stay as they are.
///
/// A migration that names them with `-- Keeps:` finds them in the schema `runner`, and puts them back. Those before it make
/// the bundle's own in their place, and change no other.
struct KeptTables<Database: SQLExecutor> {
  let state: SchemaState
  let database: Database

  /// What sets them aside, before the first migration of their folder.
  func changes() async throws(PostgresError) -> [(table: String, sql: String)] {
    let names = state.beginning.flatMap(\.kept)
    guard !names.isEmpty else { return [] }
    let rows = try await database.query(
      """
      SELECT c.relname::text AS name, format('%I.%I', n.nspname, c.relname) AS place
      FROM unnest(\(names)) AS k (name)
      JOIN pg_class AS c ON c.relname = k.name AND c.relkind IN ('r', 'p')
      JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema()
      ORDER BY c.relname
      """)
    return try rows.map { row throws(PostgresError) in
      (try row.decode("name"), "ALTER TABLE \(try row.decode("place", as: String.self)) SET SCHEMA runner;")
    }
  }
}
