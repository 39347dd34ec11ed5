package import FunctionKit
package import Postgres

/// The rights that a role lacks of those that it needs, as the statements that grant them.
package struct MissingRights: Sendable {
  package let role: String
  /// Without a semicolon; empty if nothing is missing.
  package let statements: [String]

  /// The rights on the rows of a table, for SQL.
  static let ofRows = "VALUES (1, 'SELECT'), (2, 'INSERT'), (3, 'UPDATE'), (4, 'DELETE')"

  /// Looks at everything that a runner uses in its own schema, for the present role.
  package init(ofRunnerOn database: some SQLExecutor) async throws(PostgresError) {
    let role: String = try await database.query("SELECT current_user AS role").only().decode("role")
    try await self.init(of: role, in: database, .ofRunner(role))
  }

  /// - Parameter lacking: what the role lacks, each a row: where its statement stands, the kind of thing, its name, the
  ///   right, and the right's place in the statement.
  init(of role: String, in database: some SQLExecutor, _ lacking: SQL...) async throws(PostgresError) {
    let rows = lacking.dropFirst().reduce(lacking[0]) { "\($0) UNION ALL \($1)" }
    statements = try await database.query(
      """
      SELECT CASE kind WHEN 'POLICY'
        THEN format('CREATE POLICY %I ON %s TO %I USING (true)', 'runner_' || \(role)::text, min(object), \(role)::text)
        ELSE format('GRANT %s ON %s %s TO %I', may, kind, string_agg(object, ', ' ORDER BY object), \(role)::text) END AS statement
      FROM (
        SELECT place, kind, object, string_agg(may, ', ' ORDER BY number, may) AS may
        FROM (\(rows)) AS lacking (place, kind, object, may, number) GROUP BY place, kind, object
      ) AS o
      GROUP BY place, kind, may, CASE kind WHEN 'POLICY' THEN object END ORDER BY place, may DESC, min(object)
      """
    ).decode("statement")
    self.role = role
  }

  package var error: FunctionError {
    let grants = statements.map { "\($0);" }.joined(separator: " ")
    return FunctionError(
      .notPermitted,
      """
      The role \(role) may not use all that a runner needs in this database. As the role that migrates it, run \
      "runner migrate --grant \(role)", or: \(grants)
      """)
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

extension SQL {
  /// The rights that a role lacks of the database and the runner's schema.
  ///
  /// A runner only reads who was let in, what was migrated and what that has changed. The rest of the functions are the owner's.
  static func ofRunner(_ role: String) -> SQL {
    """
    SELECT 0, 'DATABASE', quote_ident(current_database()), 'CONNECT', 1
    WHERE NOT has_database_privilege(\(role), current_database(), 'CONNECT')
    UNION ALL
    SELECT 1, 'SCHEMA', 'runner', 'USAGE', 1 WHERE NOT has_schema_privilege(\(role), 'runner', 'USAGE')
    UNION ALL
    SELECT 2, 'TABLE', format('runner.%I', c.relname), m.name, m.number
    FROM pg_class AS c CROSS JOIN (\(unescaped: MissingRights.ofRows)) AS m (number, name)
    WHERE c.relnamespace = 'runner'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND (m.number = 1 OR c.relname NOT IN ('migrations', 'triggers', 'roles', 'changes'))
      AND NOT has_table_privilege(\(role), c.oid, m.name)
    UNION ALL
    SELECT 3, 'SEQUENCE', format('runner.%I', c.relname), 'USAGE', 1 FROM pg_class AS c
    WHERE c.relnamespace = 'runner'::regnamespace
      AND CASE WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(\(role), c.oid, 'USAGE, UPDATE') END
    UNION ALL
    SELECT 4, 'FUNCTION', format('runner.%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), 'EXECUTE', 1
    FROM pg_proc AS p
    WHERE p.pronamespace = 'runner'::regnamespace AND p.prorettype <> 'trigger'::regtype
      AND p.proname NOT IN ('set_stamp', 'define_partitions', 'set_partitions')
      AND NOT has_function_privilege(\(role), p.oid, 'EXECUTE')
    """
  }
}
