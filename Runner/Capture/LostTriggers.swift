package import Postgres

/// A trigger that a migration has made, and that somebody has taken away or switched off since.
package struct LostTrigger: Sendable {
  /// The table and the trigger's name, both in SQL.
  let table: String
  let name: String
  private let definition: String
  private let isThere: Bool
  /// Whether the present role may make triggers on the table.
  let isOurs: Bool

  /// The sentence of `runner doctor` about it.
  package var sentence: String { "The trigger \(name) on \(table) is \(isThere ? "disabled" : "missing")." }

  /// Makes it again; one that is disabled is enabled by that, also on another role's table.
  var sql: String { "CREATE OR REPLACE\(definition.dropFirst("CREATE".count));" }

  /// All of a database, as `runner.changes` says what was made; the runner's own are none of them, see ``TriggerPlan``.
  package static func all(in database: some SQLExecutor) async throws(PostgresError) -> [LostTrigger] {
    // By the catalog, because a role may look there at tables of any schema.
    let rows = try await database.query(
      """
      SELECT k.place, k.name, k.after, t.oid IS NOT NULL AS is_there, has_table_privilege(c.oid, 'TRIGGER') AS is_ours
      FROM runner.changes AS k
      JOIN (
        SELECT o.oid, format('%I.%I', n.nspname, o.relname) AS place
        FROM pg_class AS o JOIN pg_namespace AS n ON n.oid = o.relnamespace
        WHERE o.relkind IN ('r', 'p')
      ) AS c ON c.place = k.place
      LEFT JOIN pg_trigger AS t ON t.tgrelid = c.oid AND quote_ident(t.tgname) = k.name AND NOT t.tgisinternal
      WHERE k.kind = 'trigger' AND k.after IS NOT NULL AND (t.tgenabled IN ('O', 'A')) IS NOT TRUE
      ORDER BY k.place, k.name
      """)
    return try rows.map { row throws(PostgresError) in
      LostTrigger(
        table: try row.decode("place"), name: try row.decode("name"), definition: try row.decode("after"),
        isThere: try row.decode("is_there"), isOurs: try row.decode("is_ours"))
    }
  }
}
