import FunctionKit
package import Postgres

/// Which migrations a database has had, compared with those that this version of the runner knows.
package struct SchemaState {
  /// Those that are to come, in their order.
  package private(set) var pending: [SchemaMigration] = []
  /// Those of a later version.
  package private(set) var unknown: [String] = []
  /// Those of a later version beside which this one may not go on.
  package private(set) var breaking: [String] = []
  /// Whether there are any of the runner's tables.
  package private(set) var isBegun = false

  /// Looks, and changes nothing.
  ///
  /// - Throws: `FunctionError` where the role may not look.
  package init(of database: some SQLExecutor) async throws {
    pending = Migrator.all
    let found = try await database.query(
      """
      SELECT has_schema_privilege(n.oid, 'USAGE') AS usable, c.oid IS NOT NULL AS begun, current_user AS role,
        has_table_privilege(c.oid, 'SELECT') AS readable
      FROM pg_namespace AS n LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = 'migrations'
      WHERE n.nspname = 'runner'
      """)
    guard let row = found.first else { return }
    guard try row.decode("usable") else {
      throw MissingRights(role: try row.decode("role"), statements: [.schema]).error
    }
    isBegun = try row.decode("begun")
    guard isBegun else { return }
    if try !row.decode("readable", as: Bool.self), let rights = try await MissingRights(on: database) {
      throw rights.error
    }
    // As a document, because the column came later than the table.
    let rows = try await database.query(
      "SELECT m.name, coalesce(to_jsonb(m) ->> 'breaks_older', 'true')::boolean AS breaks FROM runner.migrations AS m ORDER BY m.name"
    )
    let applied = Set(try rows.decode("name", as: String.self))
    pending = Migrator.all.filter { !applied.contains($0.name) }
    let known = Set(Migrator.all.map(\.name))
    for row in rows {
      let name: String = try row.decode("name")
      guard !known.contains(name) else { continue }
      unknown.append(name)
      if try row.decode("breaks") { breaking.append(name) }
    }
  }

  /// - Throws: `MigrationError` where the database is of a later version that this one does not get on with.
  func checkVersion() throws {
    guard breaking.isEmpty else {
      throw MigrationError(
        """
        The database is of a later version of the runner (\(breaking.joined(separator: ", "))), beside which this one \
        must not go on: use that version.
        """)
    }
  }

  /// What is to be said of a database of a later version that this one gets on with.
  package var note: String? {
    unknown.isEmpty
      ? nil
      : "The database is of a later version (\(unknown.joined(separator: ", "))), beside which this one may go on."
  }
}

/// One step of the schema, of the runner's or of the apps'.
package struct SchemaMigration {
  package var name: String
  package var sql: String

  /// Notes that it was run.
  package var record: String { "INSERT INTO runner.migrations (name) VALUES (\(literal(name)));" }

  /// Whether runners that do not know it may go on beside it, as its first line says.
  var isCompatible: Bool { sql.hasPrefix("-- Compatible") }
}
