package import Manifest
package import Postgres

/// The rights of Supabase's clients, or of everybody, on tables of people's devices and notifications.
///
/// Tables of the app's own are as the app has made them: they are named, and nothing is changed. What migrations have made
/// is closed by them, and may have been opened since.
package struct OpenTables {
  /// A sentence for each, with the statement that closes it.
  package static func lines(of manifest: Manifest, in database: some SQLExecutor) async throws -> [String] {
    let migrations = try await SchemaMigration.all(of: manifest)
    let shape = SchemaShape(of: migrations).leaving(try await Namesakes(of: migrations, in: database).leftAlone)
    return try await database.query(
      """
      WITH clients AS (SELECT oid, rolname FROM pg_roles WHERE rolname IN ('anon', 'authenticated')), made AS (
        SELECT c.oid, c.relkind, c.relname, c.relacl, k.place
        FROM runner.changes AS k JOIN pg_class AS c ON true JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE k.kind = 'relation' AND k.before IS NULL AND k.place = format('%I.%I', n.nspname, c.relname)
      ), acls AS (
        SELECT 'TABLE ' || m.place AS place, m.relacl AS acl FROM made AS m WHERE m.relkind IN ('v', 'm')
        UNION ALL
        SELECT format('SEQUENCE %s.%I', s.relnamespace::regnamespace, s.relname), s.relacl
        FROM made AS m JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = m.oid
          AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
        JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S'
        UNION ALL
        SELECT 'FUNCTION ' || k.place, p.proacl
        FROM runner.changes AS k JOIN pg_proc AS p ON p.prosecdef AND p.pronamespace = current_schema()::regnamespace
        WHERE k.kind = 'function' AND k.before IS NULL
          AND k.place = format('%I.%I(%s)', current_schema(), p.proname, pg_get_function_identity_arguments(p.oid))
      )
      SELECT format('%s may %s %s, which has no row-level security: unless that is meant, ALTER TABLE %s ENABLE ROW LEVEL '
        || 'SECURITY, with policies for whom it is meant', string_agg(DISTINCT w.who, ', '),
        string_agg(DISTINCT w.may, ', '), c.oid::regclass, c.oid::regclass) AS line
      FROM pg_class AS c CROSS JOIN LATERAL (
        SELECT r.rolname::text AS who, m.name AS may
        FROM clients AS r CROSS JOIN (\(unescaped: MissingRights.ofRows)) AS m (number, name)
        WHERE has_schema_privilege(r.oid, c.relnamespace, 'USAGE') AND CASE m.name
          WHEN 'DELETE' THEN has_table_privilege(r.oid, c.oid, m.name) ELSE has_any_column_privilege(r.oid, c.oid, m.name) END
        UNION ALL
        SELECT 'PUBLIC', a.privilege_type FROM aclexplode(c.relacl) AS a
        WHERE a.grantee = 0 AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
      ) AS w
      WHERE c.relkind IN ('r', 'p') AND NOT c.relrowsecurity AND c.relnamespace = current_schema()::regnamespace AND (
        c.relname = ANY (\(shape.written(by: manifest))) OR c.relname <> ALL (\(manifest.appTables)) AND EXISTS (
          SELECT FROM runner.changes AS k
          WHERE k.kind = 'trigger' AND k.after IS NOT NULL AND k.place = format('%I.%I', current_schema(), c.relname)))
      GROUP BY c.oid
      UNION ALL
      SELECT format('%s is open to %s: REVOKE ALL ON %1$s FROM %2$s', o.place, string_agg(DISTINCT quote_ident(r.rolname), ', '))
      FROM acls AS o CROSS JOIN LATERAL aclexplode(o.acl) AS a JOIN clients AS r ON r.oid = a.grantee
      GROUP BY o.place
      ORDER BY 1
      """
    ).decode("line")
  }
}
