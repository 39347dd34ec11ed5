import Postgres

/// The facts of the catalog about the tables and functions that migrations name, before and after they ran.
///
/// The difference is what `runner migrate` has made, and what `--remove` takes away again. It is kept in `runner.changes`.
struct CatalogFacts {
  /// Each word of the migrations: what has another name is none of theirs.
  private let words: [String]

  init(of migrations: [SchemaMigration]) {
    words = Self.words(of: migrations)
  }

  /// The words of the migrations' text, each once.
  static func words(of migrations: [SchemaMigration]) -> [String] {
    Set(migrations.flatMap { $0.allWords() }.map(String.init)).sorted()
  }

  /// The facts as they are, as a document for ``record(since:isWhole:making:on:)``.
  func read(_ transaction: Transaction) async throws(PostgresError) -> String {
    // Not jsonb_agg, which parses each row and writes it again: that is a fifth of the time.
    try await transaction.query("SELECT coalesce(json_agg(f), '[]')::text AS facts FROM (\(facts)) AS f").only()
      .decode("facts")
  }

  /// Writes down what the transaction has changed; what it has made before and changed now stays its own.
  ///
  /// A role that may not write it down owns nothing here, and so has changed nothing; nor has a transaction without a
  /// number. Things that another session has made meanwhile are not the transaction's: such a row of the catalog has
  /// another number.
  ///
  /// - Parameters:
  ///   - before: the facts at the transaction's beginning.
  ///   - isWhole: whether nothing was migrated before it.
  ///   - indexes: those that were made before it, because their tables are large.
  func record(
    since before: String, isWhole: Bool, making indexes: [String], on transaction: Transaction
  ) async throws(PostgresError) {
    let state = try await transaction.query(
      """
      SELECT has_table_privilege('runner.changes', 'INSERT') AS may,
        pg_current_xact_id_if_assigned() IS NOT NULL AS has_written
      """
    ).only()
    guard try state.decode("may"), try state.decode("has_written") || !indexes.isEmpty else { return }
    _ = try await transaction.query(
      """
      WITH before AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(\(before)::jsonb) AS b (kind text, oid oid, part text, place text, name text, def text)
        WHERE kind <> 'index' OR split_part(name, '.', 2) <> ALL (\(indexes))
      ), after AS MATERIALIZED (\(facts)), places AS (
        SELECT b.oid, a.place FROM before AS b JOIN after AS a USING (kind, oid) WHERE kind = 'relation'
      )
      INSERT INTO runner.changes AS c (kind, place, name, before, after, former)
      SELECT coalesce(a.kind, b.kind), coalesce(a.place, p.place, b.place), coalesce(a.name, b.name), max(b.def), max(a.def),
        max(CASE WHEN a.name <> b.name THEN b.name END)
      FROM before AS b FULL JOIN after AS a USING (kind, oid, part) LEFT JOIN places AS p ON p.oid = coalesce(a.oid, b.oid)
      WHERE b.def IS DISTINCT FROM a.def
        AND (b.kind IS NOT NULL OR a.fresh OR a.kind = 'index' AND split_part(a.name, '.', 2) = ANY (\(indexes)))
        AND (p.oid IS NOT NULL OR coalesce(a.kind, b.kind) IN ('relation', 'function') OR coalesce(a.oid, b.oid) = 0)
      GROUP BY 1, 2, 3
      ON CONFLICT (kind, place, name) DO UPDATE SET after = excluded.after
      """)
    _ = try await transaction.query("DELETE FROM runner.changes WHERE before IS NOT DISTINCT FROM after")
    guard isWhole else { return }
    _ = try await transaction.query("INSERT INTO runner.changes (kind, place, after) VALUES ('whole', '', 'yes')")
  }

  /// A row for each fact: its kind, the table's number, what tells it from others of the table, where it is and what it
  /// is called in SQL, what it says, and whether this transaction has made it.
  private var facts: SQL {
    """
    WITH words AS MATERIALIZED (SELECT unnest(\(words)) AS word), relations AS MATERIALIZED (
      SELECT c.oid, c.relkind AS kind, c.relowner AS owner, format('%I.%I', n.nspname, c.relname) AS place, c.xmin, x.id,
        coalesce(a.xmin, c.xmin) = x.id AS fresh, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, c.relacl
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tableoid'
      CROSS JOIN (\(Self.transaction)) AS x (id)
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't' AND c.relname IN (SELECT word FROM words)
        AND n.nspname <> ALL (\(Self.closed))
    )
    SELECT 'relation' AS kind, r.oid, '' AS part, r.place, '' AS name, r.kind::text AS def, r.fresh FROM relations AS r
    UNION ALL \(unescaped: Self.ofTables)
    UNION ALL \(unescaped: Self.ofRights)
    UNION ALL
    SELECT 'function', 0, p.oid::text, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
      '', pg_get_functiondef(p.oid), p.xmin = x.id
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace CROSS JOIN (\(Self.transaction)) AS x (id)
    WHERE p.prokind IN ('f', 'p') AND p.proname IN (SELECT word FROM words) AND n.nspname <> ALL (\(Self.closed))
    UNION ALL
    SELECT 'trigger', 0, t.oid::text, format('%I.%I', n.nspname, c.relname), quote_ident(t.tgname),
      pg_get_triggerdef(t.oid), t.xmin = x.id
    FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_class AS c ON c.oid = t.tgrelid
    JOIN pg_namespace AS n ON n.oid = c.relnamespace CROSS JOIN (\(Self.transaction)) AS x (id)
    WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND p.proname IN (SELECT word FROM words)
      AND p.pronamespace::regnamespace::text <> ALL (\(Self.closed))
    """
  }

  private static let transaction: SQL = "SELECT pg_current_xact_id_if_assigned()::xid"
  private static let closed = ["pg_catalog", "information_schema", SchemaMigration.ownFolder].map { String($0) }

  private static let ofTables = """
    SELECT 'column', r.oid, a.attname, r.place, quote_ident(a.attname), jsonb_build_object('needed', a.attnotnull,
      'type', format_type(a.atttypid, a.atttypmod), 'default', pg_get_expr(d.adbin, d.adrelid))::text, a.xmin = r.id
    FROM relations AS r JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef AS d ON d.adrelid = r.oid AND d.adnum = a.attnum
    WHERE r.kind IN ('r', 'p', 'f')
    UNION ALL
    SELECT 'constraint', r.oid, c.oid::text, r.place, quote_ident(c.conname), pg_get_constraintdef(c.oid), c.xmin = r.id
    FROM relations AS r
    JOIN pg_constraint AS c ON c.conrelid = r.oid AND c.contype IN ('c', 'f', 'p', 'u', 'x') AND c.conislocal
    UNION ALL
    SELECT 'index', r.oid, i.indexrelid::text, r.place, format('%s.%I', c.relnamespace::regnamespace, c.relname),
      pg_get_indexdef(i.indexrelid), c.xmin = r.id
    FROM relations AS r JOIN pg_index AS i ON i.indrelid = r.oid JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE NOT EXISTS (
      SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
    UNION ALL
    SELECT 'policy', r.oid, p.polname, r.place, quote_ident(p.polname), format('AS %s FOR %s TO %s%s%s',
      CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
      CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
      (SELECT string_agg(CASE m.oid WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(m.oid)) END, ', ')
        FROM unnest(p.polroles) AS m (oid)),
      ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
      ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'), p.xmin = r.id
    FROM relations AS r JOIN pg_policy AS p ON p.polrelid = r.oid
    UNION ALL
    SELECT 'security', r.oid, '', r.place, '', format('%s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY',
      CASE WHEN r.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
      CASE WHEN r.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END), false
    FROM relations AS r WHERE r.kind IN ('r', 'p')
    UNION ALL
    SELECT 'storage', r.oid, '', r.place, '', coalesce(array_to_string(r.reloptions, ', '), ''), false
    FROM relations AS r
    """

  /// The rights on tables, their columns and sequences, the schemas and the database.
  private static let ofRights = """
    SELECT 'right', o.oid, o.place || o.columns || a.privilege_type || a.grantee, o.place,
      a.privilege_type || o.columns || ' TO '
        || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
      CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, o.fresh
    FROM (
      SELECT r.oid, 'TABLE ' || r.place AS place, '' AS columns, r.relacl AS acl, r.owner, r.xmin = r.id AS fresh
      FROM relations AS r
      UNION ALL
      SELECT r.oid, 'TABLE ' || r.place, format(' (%I)', a.attname), a.attacl, r.owner, a.xmin = r.id
      FROM relations AS r JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attacl IS NOT NULL AND NOT a.attisdropped
      UNION ALL
      SELECT r.oid, format('SEQUENCE %s.%I', s.relnamespace::regnamespace, s.relname), '', s.relacl, s.relowner,
        s.xmin = r.id
      FROM relations AS r
      JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.oid
        AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
      JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S'
      UNION ALL
      SELECT 0, format('SCHEMA %I', n.nspname), '', coalesce(n.nspacl, acldefault('n', n.nspowner)), n.nspowner,
        n.xmin = pg_current_xact_id_if_assigned()::xid
      FROM pg_namespace AS n
      WHERE n.nspname = current_schema()
        OR n.oid IN (SELECT c.relnamespace FROM relations AS r JOIN pg_class AS c ON c.oid = r.oid)
      UNION ALL
      SELECT 0, format('DATABASE %I', b.datname), '', coalesce(b.datacl, acldefault('d', b.datdba)), b.datdba,
        b.xmin = pg_current_xact_id_if_assigned()::xid
      FROM pg_database AS b WHERE b.datname = current_database()
    ) AS o CROSS JOIN aclexplode(o.acl) AS a
    WHERE a.grantee <> o.owner
    """
}
