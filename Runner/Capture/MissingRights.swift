package import FunctionKit
package import Postgres

/// The rights that a role lacks in the runner's schema, and the statements that grant them.
package struct MissingRights {
  package enum Statement: String, CaseIterable {
    case schema = "GRANT USAGE ON SCHEMA runner TO "
    case tables = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA runner TO "
    case sequences = "GRANT USAGE ON ALL SEQUENCES IN SCHEMA runner TO "
    case functions = "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA runner TO "
  }

  var role: String
  package var statements: [Statement]

  /// Looks at everything that a runner which serves uses.
  ///
  /// - Returns: nil where nothing is missing.
  package init?(on database: some SQLExecutor) async throws {
    let row = try await database.query(
      """
      SELECT current_user AS role,
        coalesce(bool_or(c.relkind IN ('r', 'p') AND NOT (has_table_privilege(c.oid, 'SELECT') AND (
          c.relname IN ('migrations', 'triggers') OR has_table_privilege(c.oid, 'INSERT')
          AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')))), false) AS tables,
        coalesce(bool_or(
          CASE WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(c.oid, 'USAGE') END), false) AS sequences,
        EXISTS (SELECT FROM pg_proc AS p WHERE p.pronamespace = 'runner'::regnamespace
          AND p.prorettype <> 'trigger'::regtype AND p.proname NOT IN ('set_stamp', 'define_partitions', 'set_partitions')
          AND NOT has_function_privilege(p.oid, 'EXECUTE')) AS functions
      FROM pg_class AS c WHERE c.relnamespace = 'runner'::regnamespace AND NOT c.relispartition
      """
    ).only()
    (role, statements) = (try row.decode("role"), [])
    for (statement, column) in [(Statement.tables, "tables"), (.sequences, "sequences"), (.functions, "functions")]
    where try row.decode(column) {
      statements.append(statement)
    }
    if statements.isEmpty { return nil }
  }

  package init(role: String, statements: [Statement]) {
    (self.role, self.statements) = (role, statements)
  }

  package var error: FunctionError {
    let grants = statements.map { "\($0.rawValue)\(quoted(role));" }.joined(separator: " ")
    return FunctionError(
      .notPermitted,
      "The role \(role) may not use all that a runner needs in this database. Its owner lets it by: \(grants)")
  }

  /// The message if the server refuses a statement of `runner migrate`.
  static func ofMigrating(_ error: any Error) -> FunctionError? {
    guard let refusal = error as? PostgresError, refusal.sqlState == "42501" else { return nil }
    return FunctionError(
      .notPermitted,
      """
      The database's role may not migrate it (\(refusal)). Run "runner migrate" as a role that owns the tables which \
      functions.json names, and has GRANT CREATE ON DATABASE and GRANT CREATE ON SCHEMA public; serving needs neither.
      """, cause: refusal)
  }
}
