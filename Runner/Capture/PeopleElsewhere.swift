import FunctionKit
package import Manifest
package import Postgres

/// The people of an app that stand in another table than the one in which functions look for them.
package struct PeopleElsewhere {
  private let entry: PeopleEntry
  private let database: Transaction

  /// Nil where `functions.json` says nothing of people.
  init?(of manifest: Manifest, in database: Transaction) {
    guard let entry = manifest.people else { return nil }
    (self.entry, self.database) = (entry, database)
  }

  /// Looks before anything is changed.
  ///
  /// - Returns: advice about a full table of people that `functions.json` does not name.
  /// - Throws: `MigrationError` where what it says does not fit, or an empty table would be made beside a full one.
  func check(besides tables: [String]) async throws -> String? {
    guard let problem = try await problem(besides: tables) else { return nil }
    guard !problem.isRefused else { throw MigrationError("\(problem.sentence) Nothing was changed.") }
    return problem.sentence
  }

  /// The sentence of `runner doctor`, and whether `migrate` refuses to go on because of it.
  package static func line(
    of manifest: Manifest, in database: Connection
  ) async throws -> (sentence: String, isRefused: Bool)? {
    let tables = SchemaShape(of: try await SchemaMigration.all(of: manifest)).tables.keys
    do {
      return try await database.transaction(readOnly: true) { transaction in
        try await PeopleElsewhere(of: manifest, in: transaction)?.problem(besides: Array(tables))
      }
    } catch let error as PostgresError where error.sqlState == "42501" {
      return nil
    }
  }

  private func problem(
    besides tables: [String]
  ) async throws(PostgresError) -> (sentence: String, isRefused: Bool)? {
    if let misfit = try await misfit() { return ("\(misfit).", true) }
    return try await unnamed(besides: tables).map { (advice($0.table), $0.isMissing) }
  }

  /// The part of "people" in `functions.json` that does not fit the table; nil where all does, or nobody may look.
  ///
  /// An expression is tried under the search path of the trigger that reads it.
  private func misfit() async throws(PostgresError) -> String? {
    guard isElsewhere, let table = entry.table else { return nil }
    let key = entry.facts["id"] ?? "id"
    let rows = try await database.query(
      """
      SELECT has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT') AS may, EXISTS (
        SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1
          AND a.attname = \(key) AND a.atttypid = 'uuid'::regtype) AS is_key
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = \(table.schema) AND c.relname = \(table.table)
      """)
    let place = "functions.json: people"
    guard let row = rows.first else { return "\(place).table: there is no table \(table.short)" }
    guard try row.decode("is_key") else { return "\(place).id: \(table.short).\(key) is no uuid with a unique index" }
    guard try row.decode("may") else { return nil }
    for (fact, type) in [("email", "text"), ("name", "text"), ("verified", "boolean"), ("deleted", "boolean")] {
      guard let expression = entry.facts[fact] else { continue }
      let error = try await database.attempt(
        """
        SAVEPOINT path;
        SELECT set_config('search_path', concat_ws(', ', quote_ident(current_schema()), 'pg_temp'), true);
        SELECT person.\(quoted(key)), (\(expression))::\(type) FROM \(table.sql) AS person WHERE false;
        ROLLBACK TO SAVEPOINT path
        """)
      // A right to some columns only is no answer.
      guard let error, error.sqlState != "42501" else { continue }
      guard Self.isOfExpression(error) else { throw error }
      return "\(place).\(fact): \(error)"
    }
    return nil
  }

  /// Whether an error is neither about rights nor about a table that is in use.
  private static func isOfExpression(_ error: PostgresError) -> Bool {
    error.sqlState.map { !["55P03", "42501"].contains($0) } ?? false
  }

  /// A full table of people beside the bundle's own, which is missing or empty; nil where `functions.json` says where the
  /// people stand.
  private func unnamed(besides tables: [String]) async throws(PostgresError) -> (table: String, isMissing: Bool)? {
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

  /// Advice about such a table.
  private func advice(_ table: String) -> String {
    """
    The people of this database are in \(table), and none in \(entry.into.short), where functions look for them. Say so in \
    functions.json, under "people": "table": "\(table)", "email": "email", "name": "…", "verified": "…", each but the first \
    an expression over its columns; or "table": "\(entry.into.short)" if they are to come there.
    """
  }

  /// Makes the bundle's table follow the people's; answers with what is done, and with nil if nothing is to be done.
  ///
  /// It is for the owner of the tables: another role that migrates leaves it as it is.
  ///
  /// - Throws: `FunctionError` where the owner lacks a right on the people's table.
  func follow() async throws -> String? {
    guard try await mayCall() else { return nil }
    if let table = entry.table, isElsewhere {
      let lacking = try await rights(on: table)
      var isDone = lacking.statements.isEmpty
      // The table cannot be asked about where its schema is closed.
      if !isDone, !lacking.statements[0].hasPrefix("GRANT USAGE ") { isDone = try await call(looks: true) == nil }
      guard isDone else {
        throw FunctionError(
          .notPermitted,
          """
          The role \(lacking.role) may not make \(entry.into.short) follow \(table.short), and nothing was changed. As a role \
          that owns \(table.short), run: \(lacking.statements.map { "\($0);" }.joined(separator: " "))
          """)
      }
    }
    return try await call(looks: false)
  }

  /// The change that ``follow()`` would make.
  func change() async throws -> String? { try await mayCall() ? call(looks: true) : nil }

  /// The rights that the present role lacks to follow a table: on its rows, for a foreign key to it, for a trigger on
  /// it.
  private func rights(on table: TableName) async throws(PostgresError) -> MissingRights {
    let role: String = try await database.query("SELECT current_user AS role").only().decode("role")
    return try await MissingRights(
      of: role, in: database,
      """
      SELECT 1, 'SCHEMA', quote_ident(n.nspname), 'USAGE', 1 FROM pg_namespace AS n
      WHERE n.nspname = \(table.schema) AND NOT has_schema_privilege(n.oid, 'USAGE')
      """,
      """
      SELECT 2, 'TABLE', format('%I.%I', n.nspname, c.relname), m.name, m.number
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      CROSS JOIN (VALUES (1, 'SELECT'), (2, 'REFERENCES'), (3, 'TRIGGER')) AS m (number, name)
      WHERE n.nspname = \(table.schema) AND c.relname = \(table.table) AND NOT CASE m.number
        WHEN 3 THEN has_table_privilege(c.oid, m.name) ELSE has_any_column_privilege(c.oid, m.name) END
      """)
  }

  private func mayCall() async throws(PostgresError) -> Bool {
    let name = "\(quoted(entry.schema)).\(quoted(entry.function))(jsonb, boolean)"
    return try await database.query(
      "SELECT has_function_privilege(to_regprocedure(\(name)), 'EXECUTE') AS may"
    ).only().optional("may") ?? true
  }

  private func call(looks: Bool) async throws -> String? {
    do {
      return try await database.query(
        "SELECT \(identifier: entry.schema).\(identifier: entry.function)(\(document)::jsonb, \(looks)) AS said"
      ).only()["said"]
    } catch {
      guard Self.isOfExpression(error) else { throw error }
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
