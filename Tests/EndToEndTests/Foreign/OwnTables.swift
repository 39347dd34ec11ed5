import Postgres

/// The tables that an app has in its database: their shape, and the rows that it sees in them as its own role.
struct OwnTables: Sendable {
  let shape: Set<String>
  let rows: [String: Set<String>]
  /// The ids of the rows, of tables that have them.
  let ids: [String: Set<String>]
  /// The columns that are selected of each table.
  private let columns: [String: String]

  /// - Parameter earlier: the same tables and columns at another time; without it, all that are there.
  init(_ connection: Connection, as role: String, like earlier: OwnTables? = nil) async throws {
    shape = Set(try await connection.query(Self.shape).decode("line", as: String.self))
    if let earlier {
      columns = earlier.columns
    } else {
      let tables = try await connection.query(Self.tables)
      columns = Dictionary(
        uniqueKeysWithValues: try tables.map { (try $0.decode("name"), try $0.decode("columns", as: String.self)) })
    }
    var (rows, ids): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
    try await connection.script("SET TimeZone = 'UTC'; SET ROLE \(role)")
    for (table, selected) in columns {
      let found = try await connection.query(
        "SELECT to_jsonb(t)::text AS row, to_jsonb(t) ->> 'id' AS id FROM (SELECT \(unescaped: selected) FROM \(unescaped: table)) t"
      )
      rows[table] = Set(try found.decode("row", as: String.self))
      ids[table] = Set(try found.decode("id", as: String?.self).compactMap(\.self))
    }
    try await connection.script("RESET ROLE; RESET TimeZone")
    (self.rows, self.ids) = (rows, ids)
  }

  /// The parts of its shape that another one lacks, but for what `Runner/DEPLOYING.md` says of such tables.
  ///
  /// Their times get a zone, their texts may be longer, and there are more platforms.
  func shapeLost(in other: OwnTables) -> [String] {
    shape.subtracting(other.shape).filter { line in
      let forms = [
        line.replacing(/character varying\(\d+\)/, with: "text"),
        line.replacing("timestamp without time zone", with: "timestamp with time zone"),
      ]
      let isSaid = forms.contains { $0 != line && other.shape.contains($0) }
      return !isSaid && !line.hasPrefix("device_tokens valid_platform")
    }.sorted()
  }

  /// The rows that are not there, or not the same, at another time.
  func rowsChanged(in other: OwnTables) -> [String] {
    rows.flatMap { table, rows in rows.subtracting(other.rows[table] ?? []).map { "\(table): \($0)" } }.sorted()
  }

  /// The rows that are not there at another time, as tables and ids.
  func rowsDeleted(in other: OwnTables) -> [String] {
    ids.flatMap { table, ids in ids.subtracting(other.ids[table] ?? []).map { "\(table) \($0)" } }.sorted()
  }

  /// A time without a zone is one in UTC.
  private static let tables: SQL = """
    SELECT c.relname::text AS name, string_agg(
      quote_ident(a.attname) || CASE a.atttypid WHEN 'timestamp'::regtype THEN '::timestamp' ELSE '' END, ', ') AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    GROUP BY c.relname
    """

  private static let shape: SQL = """
    WITH t AS (
      SELECT oid, oid::regclass::text AS relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') OR oid = to_regclass('auth.users')
    ), a AS (
      SELECT a.*, t.relname FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    )
    SELECT format('%s.%s %s', relname, attname, format_type(atttypid, atttypmod)) AS line FROM a
    UNION ALL SELECT format('%s.%s NOT NULL', relname, attname) FROM a WHERE attnotnull
    UNION ALL SELECT format('%s.%s DEFAULT %s', a.relname, a.attname, pg_get_expr(d.adbin, d.adrelid))
      FROM a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    UNION ALL SELECT format('%s %s %s', t.relname, c.conname, pg_get_constraintdef(c.oid))
      FROM t JOIN pg_constraint c ON c.conrelid = t.oid
    UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM t JOIN pg_index i ON i.indrelid = t.oid
    UNION ALL SELECT pg_get_triggerdef(g.oid) FROM t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
    UNION ALL SELECT format('%s %s %s %s to %s using %s check %s', tablename, policyname, permissive, cmd, roles, qual,
      with_check) FROM pg_policies
    UNION ALL SELECT format('%s belongs to %s%s', t.relname, c.relowner::regrole, CASE WHEN relrowsecurity THEN ', by rows' END)
      FROM t JOIN pg_class c ON c.oid = t.oid
    UNION ALL SELECT format('%s%s: %s may %s%s', t.relname, '.' || attname, nullif(r.grantee, 0)::regrole, r.privilege_type,
      CASE WHEN r.is_grantable THEN ' and let others' END)
      FROM t JOIN pg_class c ON c.oid = t.oid CROSS JOIN LATERAL (
        SELECT NULL AS attname, (aclexplode(coalesce(c.relacl, acldefault('r', c.relowner)))).*
        UNION ALL SELECT a.attname, (aclexplode(a.attacl)).* FROM a WHERE a.attrelid = c.oid
      ) r
    UNION ALL SELECT format('%s %s', t.typname, e.enumlabel) FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
    """
}
