package import Postgres

/// The state of a role to which row-level security shows no rows, because the policies for servers do not count it as
/// one.
///
/// No right is missing then, and no statement fails.
package struct Blindness: Sendable, CustomStringConvertible {
  fileprivate let role: String
  /// A table whose rows it does not see.
  fileprivate let table: String
  fileprivate let condition: String
  /// The roles whose rights it has.
  fileprivate let inherited: [String]

  package var description: String {
    let roles = inherited.joined(separator: ", ")
    return """
      \(role) sees no rows of \(table): \(condition) is false for it, because it inherits the rights of \(roles). \
      REVOKE those from it that work for one person; or, where it has to switch to them, ALTER ROLE \(role) NOINHERIT \
      (since PostgreSQL 16: GRANT … TO \(role) WITH INHERIT FALSE)
      """
  }
}

extension NeededRights {
  /// Whether the role that `database` is connected as is blind; nil if it sees what it may.
  package func blindness(of database: some SQLExecutor) async throws(PostgresError) -> Blindness? {
    for condition in conditions {
      let rows = try await database.query(
        """
        SELECT r.rolname::text AS role, c.oid::regclass::text AS tab, ARRAY(
          SELECT quote_ident(o.rolname) FROM pg_roles AS o
          WHERE o.oid <> r.oid AND NOT starts_with(o.rolname, 'pg_') AND pg_has_role(r.oid, o.oid, 'USAGE')
          ORDER BY o.rolname) AS inherited
        FROM pg_roles AS r CROSS JOIN unnest(\(tables)) AS t (tab) JOIN pg_class AS c ON c.oid = to_regclass(t.tab)
        WHERE r.rolname = current_user AND NOT r.rolsuper AND NOT r.rolbypassrls
          AND c.relrowsecurity AND (c.relforcerowsecurity OR NOT pg_has_role(r.oid, c.relowner, 'USAGE'))
          AND EXISTS (SELECT FROM pg_policy AS p
            WHERE p.polrelid = c.oid AND pg_get_expr(p.polqual, p.polrelid) = \(condition))
          AND NOT EXISTS (SELECT FROM pg_policy AS p CROSS JOIN unnest(p.polroles) AS m (oid)
            WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd = '*' AND pg_get_expr(p.polqual, p.polrelid) = 'true'
              AND CASE WHEN m.oid = 0 THEN true ELSE pg_has_role(r.oid, m.oid, 'USAGE') END)
          AND NOT \(unescaped: condition)
        ORDER BY c.relname LIMIT 1
        """)
      guard let row = rows.first else { continue }
      return Blindness(
        role: try row.decode("role"), table: try row.decode("tab"), condition: condition,
        inherited: try row.decode("inherited"))
    }
    return nil
  }
}
