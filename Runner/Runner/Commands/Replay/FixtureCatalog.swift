import Capture
import Manifest
import Postgres

/// The bundle's own tables, whose rows a test may have, with the columns that are there and that the role may read.
///
/// An app's other tables and columns are never read: no decision is made by them.
struct FixtureCatalog {
  /// A foreign key.
  struct Link {
    let table: String
    let columns: [String]
    let parent: String
    /// The columns of the parent, in the same order, and their types.
    let keys: [String]
    let types: [String]
    /// Whether every row refers to a parent.
    let isRequired: Bool
  }

  struct Table {
    let columns: [String]
    /// The columns that are points in time.
    let times: Set<String>
    /// The columns of the primary key.
    let key: [String]
    /// Whether that is one UUID.
    let hasID: Bool
    /// The columns that name the event that wrote a row.
    let events: [String]
  }

  /// The tables that let people in: nothing is decided by them.
  private static let left: Set = ["user_tokens", "api_tokens"]

  let tables: [String: Table]
  let links: [Link]
  /// Where people stand; rows of it are taken for others that need them.
  let people: String?
  /// Tables of an app's things, such as projects: their rows are taken if something names them, and not because they
  /// belong to something.
  let things: Set<String>

  init(_ database: Connection, _ manifest: Manifest) async throws {
    let bundle = try await SchemaMigration.columns(of: manifest).filter { table, _ in
      !manifest.privateTables.contains(table) && !Self.left.contains(table)
    }
    let found = try await database.query(
      """
      SELECT t.relname::text AS "table", array_agg(a.attname::text ORDER BY a.attnum) AS columns,
        coalesce(array_agg(a.attname::text) FILTER (
          WHERE a.atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype)), '{}') AS times,
        coalesce(p.key, '{}') AS key, coalesce(p.is_id, false) AS is_id
      FROM pg_class t
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND has_column_privilege(t.oid, a.attnum, 'SELECT')
      LEFT JOIN LATERAL (
        SELECT array_agg(k.attname::text ORDER BY u.n) AS key,
          count(*) = 1 AND bool_and(k.atttypid = 'uuid'::regtype) AS is_id
        FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY u (number, n)
        JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = u.number
        WHERE i.indrelid = t.oid AND i.indisprimary
      ) p ON true
      WHERE t.relnamespace = to_regnamespace('public') AND t.relkind IN ('r', 'p')
        AND t.relname::text = ANY (\(bundle.keys.sorted()))
      GROUP BY t.relname, p.key, p.is_id
      """)
    var tables: [String: Table] = [:]
    for row in found {
      let name: String = try row.decode("table")
      let (columns, times, key): ([String], [String], [String]) = (
        try row.decode("columns"), try row.decode("times"), try row.decode("key")
      )
      let known = bundle[name] ?? [:]
      let present = columns.filter { known[$0] != nil }
      let isReadable = !present.isEmpty && key.allSatisfy(present.contains)
      guard isReadable else { continue }
      tables[name] = Table(
        columns: present, times: Set(times), key: key, hasID: try row.decode("is_id"),
        events: ["source_event_id", "event_id"].filter { present.contains($0) && known[$0]?.lowercased() == "text" })
    }
    self.tables = tables
    links = try await Self.links(database, tables)
    let people = manifest.people?.into.table
    self.people = people
    let own = Set(links.filter { $0.parent == people }.map(\.table)).subtracting(manifest.appTables)
    let named = links.filter { $0.columns.count == 1 && own.contains($0.table) }.map(\.parent)
    things = Set(named).intersection(manifest.appTables).subtracting([people ?? ""])
  }

  private static func links(_ database: Connection, _ tables: [String: Table]) async throws -> [Link] {
    let names = tables.keys.sorted()
    return try await database.query(
      """
      SELECT t.relname::text AS "table", p.relname::text AS parent, k.columns, k.keys, k.types, k.is_required
      FROM pg_constraint f
      JOIN pg_class t ON t.oid = f.conrelid AND t.relnamespace = to_regnamespace('public') AND NOT t.relispartition
      JOIN pg_class p ON p.oid = f.confrelid AND p.relnamespace = to_regnamespace('public')
      CROSS JOIN LATERAL (
        SELECT array_agg(a.attname::text ORDER BY u.n) AS columns, array_agg(b.attname::text ORDER BY u.n) AS keys,
          array_agg(format_type(b.atttypid, b.atttypmod) ORDER BY u.n) AS types, bool_and(a.attnotnull) AS is_required
        FROM unnest(f.conkey, f.confkey) WITH ORDINALITY u (own, other, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = u.own
        JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = u.other
      ) k
      WHERE f.contype = 'f' AND t.relname::text = ANY (\(names)) AND p.relname::text = ANY (\(names))
      ORDER BY 1, 2, 3
      """
    ).map { row throws(PostgresError) in
      Link(
        table: try row.decode("table"), columns: try row.decode("columns"), parent: try row.decode("parent"),
        keys: try row.decode("keys"), types: try row.decode("types"), isRequired: try row.decode("is_required"))
    }.filter { link in
      // A column that the role may not read leads nowhere.
      link.columns.allSatisfy { tables[link.table]?.columns.contains($0) == true }
        && link.keys.allSatisfy { tables[link.parent]?.columns.contains($0) == true }
    }
  }
}
