package import Manifest
package import Postgres

/// The rights that runners and the functions of a bundle need, compared with those that a role has.
///
/// Rights that a role has through PUBLIC, through another role or by default privileges count.
package struct NeededRights<Database: SQLExecutor> {
  private let database: Database
  private let manifest: Manifest
  let tables: [String]
  /// The tables to which functions write whole rows.
  private let written: [String]
  private let routines: SchemaRoutines
  /// Conditions of policies for servers.
  var conditions: [String] { routines.conditions }

  /// Reads the bundle's migrations.
  ///
  /// - Throws: `MigrationError` if one cannot be read.
  package init(of manifest: Manifest, in database: Database) async throws {
    try await self.init(of: manifest, try await SchemaMigration.all(of: manifest), in: database)
  }

  init(of manifest: Manifest, _ migrations: [SchemaMigration], in database: Database) async throws(PostgresError) {
    (self.manifest, self.database) = (manifest, database)
    let shape = SchemaShape(of: migrations).leaving(try await Namesakes(of: migrations, in: database).leftAlone)
    tables = shape.tables.keys.sorted()
    written = shape.written(by: manifest)
    routines = SchemaRoutines(of: migrations.filter { $0.folder != SchemaMigration.ownFolder })
  }

  /// The rights that a role needs to run a runner, and to show the views of `metrics` and `outages`.
  package func ofRunner(_ role: String) async throws(PostgresError) -> MissingRights {
    try await MissingRights(of: role, in: database, .ofRunner(role), views(role))
  }

  /// The rights that a role needs to run every function, but for the private tables.
  package func ofFunctions(_ role: String) async throws(PostgresError) -> MissingRights {
    try await lacking(role, tables.filter { !manifest.privateTables.contains($0) }, routines.functions)
  }

  /// The rights that a role needs for those functions that use private tables.
  package func ofPrivateTables(_ role: String) async throws(PostgresError) -> MissingRights {
    try await lacking(role, manifest.privateTables, [])
  }

  /// All of it, each statement once.
  package func all(_ role: String) async throws(PostgresError) -> [String] {
    let statements = try await ofRunner(role).statements + ofFunctions(role).statements
    return try await statements + ofPrivateTables(role).statements.filter { !statements.contains($0) }
  }

  private func lacking(
    _ role: String, _ tables: [String], _ functions: [String]
  ) async throws(PostgresError) -> MissingRights {
    try await MissingRights(
      of: role, in: database, schemas(role, tables), onTables(role, tables), onColumns(role, tables),
      onCounters(role, tables), onFunctions(role, functions), policies(role, tables))
  }

  private func views(_ role: String) -> SQL {
    let views = manifest.metrics.map(\.table) + [manifest.outages].compactMap(\.self)
    return """
      SELECT 2, 'TABLE', format('%I.%I', n.nspname, c.relname), 'SELECT', 1
      FROM \(.rows("v", ["schema": "\(views.map(\.schema))", "name": "\(views.map(\.table))"]))
      JOIN pg_namespace AS n ON n.nspname = v.schema
      JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = v.name
      WHERE NOT has_table_privilege(\(role), c.oid, 'SELECT')
      """
  }

  private func schemas(_ role: String, _ tables: [String]) -> SQL {
    """
    SELECT DISTINCT 1, 'SCHEMA', quote_ident(n.nspname), 'USAGE', 1
    FROM unnest(\(tables)) AS t (tab)
    JOIN pg_class AS c ON c.oid = to_regclass(t.tab) JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE NOT has_schema_privilege(\(role), n.oid, 'USAGE')
    """
  }

  private func onTables(_ role: String, _ tables: [String]) -> SQL {
    """
    SELECT 2, 'TABLE', format('%s.%I', c.relnamespace::regnamespace, c.relname), m.name, m.number
    FROM unnest(\(tables)) AS t (tab) JOIN pg_class AS c ON c.oid = to_regclass(t.tab)
    CROSS JOIN (\(unescaped: MissingRights.ofRows)) AS m (number, name)
    WHERE (m.number = 1 OR t.tab = ANY (\(written))) AND NOT has_table_privilege(\(role), c.oid, m.name)
    """
  }

  /// Columns of the app's tables, as far as these have them.
  private func onColumns(_ role: String, _ tables: [String]) -> SQL {
    let writes = manifest.appWrites.filter { tables.contains($0.table) }
      .flatMap { write in write.columns.map { (write.table, write.operation.rawValue, $0) } }
    let rows: SQL = .rows(
      "w", ["tab": "\(writes.map(\.0))", "may": "\(writes.map(\.1))", "col": "\(writes.map(\.2))"])
    return """
      SELECT 2, 'TABLE', format('%s.%I', c.relnamespace::regnamespace, c.relname),
        w.may || ' (' || string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) || ')', 5
      FROM \(rows) JOIN pg_class AS c ON c.oid = to_regclass(w.tab)
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = w.col AND NOT a.attisdropped
      WHERE NOT has_column_privilege(\(role), c.oid, a.attnum, w.may)
      GROUP BY c.oid, c.relnamespace, c.relname, w.may
      """
  }

  /// The sequences from which columns get their values, for which UPDATE does, too; an identity's own asks for no right.
  private func onCounters(_ role: String, _ tables: [String]) -> SQL {
    """
    SELECT DISTINCT 3, 'SEQUENCE', format('%s.%I', c.relnamespace::regnamespace, c.relname), 'USAGE', 1
    FROM unnest(\(tables)) AS t (tab) JOIN pg_attrdef AS f ON f.adrelid = to_regclass(t.tab)
    JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_class AS c ON c.oid = d.refobjid
    WHERE t.tab = ANY (\(written)) AND CASE WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(\(role), c.oid, 'USAGE, UPDATE') END
    """
  }

  private func onFunctions(_ role: String, _ functions: [String]) -> SQL {
    """
    SELECT 4, 'FUNCTION', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), 'EXECUTE', 1
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
    WHERE (n.nspname = current_schema() AND p.proname = ANY (\(functions)) OR n.nspname || '.' || p.proname = ANY (\(functions)))
      AND p.prorettype <> 'trigger'::regtype AND NOT has_function_privilege(\(role), p.oid, 'EXECUTE')
    """
  }

  /// Tables with row-level security that shows a role no rows, or some of them only.
  private func policies(_ role: String, _ tables: [String]) -> SQL {
    """
    SELECT 5, 'POLICY', format('%s.%I', c.relnamespace::regnamespace, c.relname), '', 1
    FROM unnest(\(tables)) AS t (tab) JOIN pg_class AS c ON c.oid = to_regclass(t.tab)
    JOIN pg_roles AS r ON r.rolname = \(role)
    WHERE c.relrowsecurity AND NOT r.rolsuper AND NOT r.rolbypassrls
      AND (c.relforcerowsecurity OR NOT pg_has_role(r.oid, c.relowner, 'USAGE'))
      AND NOT EXISTS (
        SELECT FROM pg_policy AS p CROSS JOIN unnest(p.polroles) AS m (oid)
        WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd = '*'
          AND pg_get_expr(p.polqual, p.polrelid) = ANY (\(["true"] + routines.conditions))
          AND CASE WHEN m.oid = 0 THEN true ELSE pg_has_role(r.oid, m.oid, 'USAGE') END)
    """
  }

  /// Why a role must not be granted all this; nil if nothing speaks against it.
  ///
  /// A role that has policies of its own, or that Supabase's clients have, works for a single person. These clients
  /// come in as `authenticator`, and then switch to another role.
  func refusal(of role: String) async throws(PostgresError) -> String? {
    let row = try await database.query(
      """
      SELECT r.oid IS NOT NULL AS here, r.rolsuper AS is_super, r.rolsuper OR r.rolbypassrls AS sees_all,
        (SELECT min(c.rolname) FROM pg_roles AS c
          WHERE c.rolname IN ('anon', 'authenticated', 'authenticator') AND pg_has_role(c.oid, r.oid, 'USAGE')) AS client,
        (SELECT min(c.rolname) FROM pg_roles AS c
          WHERE c.rolname IN ('anon', 'authenticated') AND pg_has_role(r.oid, c.oid, 'USAGE')) AS person,
        (SELECT min(p.polrelid::regclass::text) FROM pg_policy AS p CROSS JOIN unnest(p.polroles) AS m (oid)
          WHERE p.polrelid = ANY (ARRAY(SELECT to_regclass(t.tab)::oid FROM unnest(\(written)::text[]) AS t (tab)))
            AND pg_get_expr(p.polqual, p.polrelid) <> ALL (\(["true"] + routines.conditions))
            AND CASE WHEN m.oid = 0 THEN false ELSE pg_has_role(r.oid, m.oid, 'USAGE') END) AS closed
      FROM (VALUES (\(role)::text)) AS w (name) LEFT JOIN pg_roles AS r ON r.rolname = w.name
      """
    ).only()
    let advice = "Make one that only the runner and the functions use: CREATE ROLE … LOGIN"
    guard try row.decode("here", as: Bool.self) else { return "There is no role \(role). \(advice)" }
    if let client = row["client"] {
      guard client != role else {
        return "Clients of the database come in as \(role), so everybody who calls it would have its rights. \(advice)"
      }
      return "\(client) has the rights of \(role), so everybody who calls the database would have them. \(advice)"
    }
    if try !row.decode("sees_all", as: Bool.self), let person = row["person"] {
      return "\(role) inherits \(person), so it works for single people. \(advice)"
    }
    if try !row.decode("is_super", as: Bool.self), let table = row["closed"] {
      return "\(role) works for single people: \(table) has a policy for it. \(advice)"
    }
    return nil
  }
}
