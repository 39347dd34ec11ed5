import FunctionKit
package import Manifest
package import Postgres

/// The people of an app that stand in another table than the one in which functions look for them.
package struct PeopleElsewhere<Database: SQLExecutor> {
  private let entry: PeopleEntry
  private let database: Database

  /// Nil where `functions.json` says nothing of people.
  package init?(of manifest: Manifest, in database: Database) {
    guard let entry = manifest.people else { return nil }
    (self.entry, self.database) = (entry, database)
  }

  /// A full table of people beside the bundle's own, which is missing or empty; nil where `functions.json` says where the
  /// people stand.
  func unnamed(besides tables: [String]) async throws(PostgresError) -> (table: String, isMissing: Bool)? {
    guard entry.table == nil else { return nil }
    let own = try await database.query(
      """
      SELECT t.own::text AS own, has_table_privilege(t.own, 'SELECT') AS may
      FROM (SELECT to_regclass(\(entry.into.sql)) AS own) AS t
      """
    ).only()
    if let table = own["own"] {
      guard try own.decode("may"), try await !hasRows(table) else { return nil }
    }
    let candidates: [String] = try await database.query(
      """
      SELECT c.oid::regclass::text AS name
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS e ON e.attrelid = c.oid AND e.attname = 'email' AND NOT e.attisdropped
      JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1
      JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = i.indkey[0] AND k.atttypid = 'uuid'::regtype
      WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'runner')
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
        AND c.oid NOT IN (SELECT o.oid FROM unnest(\(tables)::text[]) AS t (tab) JOIN pg_class AS o ON o.oid = to_regclass(t.tab))
        AND ((n.nspname, c.relname) = ('auth', 'users')
          OR c.relname IN ('accounts', 'members', 'people', 'persons', 'profiles', 'user')
          OR EXISTS (
            SELECT FROM pg_constraint AS f JOIN pg_attribute AS a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
            WHERE f.contype = 'f' AND f.confrelid = c.oid AND a.attname IN ('user_id', 'owner_id')))
      GROUP BY c.oid, n.nspname ORDER BY n.nspname <> 'auth', name
      """
    ).decode("name")
    for candidate in candidates where try await hasRows(candidate) { return (candidate, own["own"] == nil) }
    return nil
  }

  private func hasRows(_ table: String) async throws(PostgresError) -> Bool {
    try await database.query("SELECT EXISTS (SELECT FROM \(unescaped: table)) AS has").only().decode("has")
  }

  /// What to do about such a table.
  func advice(_ table: String) -> String {
    """
    The people of this database stand in \(table), and none in \(entry.into.short), where functions look for them. Say so in \
    functions.json, under "people": "table": "\(table)", "email": "email", "name": "…", "verified": "…", each but the first \
    an expression over its columns; or "table": "\(entry.into.short)" if they are to come there.
    """
  }

  /// What `runner doctor` says of such a table.
  package func line(of manifest: Manifest) async throws -> String? {
    let tables = SchemaShape(of: try await SchemaMigration.all(of: manifest)).tables.keys
    return try await unnamed(besides: Array(tables)).map { advice($0.table) }
  }

  /// Makes the bundle's table follow the people's; answers with what is done, and with nil if nothing is to be done.
  ///
  /// It is for the owner of the tables: another role that migrates leaves it as it is.
  func follow() async throws -> String? { try await call(looks: false) }

  /// What ``follow()`` would do.
  func change() async throws -> String? { try await call(looks: true) }

  private func call(looks: Bool) async throws -> String? {
    let name = "\(quoted(entry.schema)).\(quoted(entry.function))(jsonb, boolean)"
    let may: Bool? = try await database.query(
      "SELECT has_function_privilege(to_regprocedure(\(name)), 'EXECUTE') AS may"
    ).only().optional("may")
    if may == false { return nil }
    do {
      return try await database.query(
        "SELECT \(identifier: entry.schema).\(identifier: entry.function)(\(document)::jsonb, \(looks)) AS said"
      ).only()["said"]
    } catch {
      guard let state = error.sqlState, !["55P03", "42501"].contains(state) else { throw error }
      throw MigrationError("The people cannot be followed, and nothing was changed: \(error)")
    }
  }

  /// The statement of ``follow()``.
  var statement: String {
    "SELECT \(quoted(entry.schema)).\(quoted(entry.function))(\(literal(document))::jsonb);"
  }

  private var document: String {
    let facts = entry.facts.sorted { $0.key < $1.key }.map { ($0.key, RawJSON($0.value)) }
    let document = RawJSON(object: [("table", RawJSON((entry.table ?? entry.into).sql))] + facts)
    return String(decoding: document.bytes, as: UTF8.self)
  }

  /// Whether the people's table is another one than the bundle's.
  var isElsewhere: Bool { entry.table.map { $0 != entry.into } ?? false }
}
