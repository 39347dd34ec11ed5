import Postgres

/// Makes, renews and takes away the triggers that carry row changes to the runner.
struct TriggerInstaller {
  let transaction: Transaction

  /// A trigger as it should be.
  private struct Wanted {
    var schema: String
    var table: String
    var name: String
    var sql: String
  }

  /// Returns what was changed, a line each.
  ///
  /// - Throws: `MigrationError` when `functions.json` names a table or column that is not there.
  func install(_ manifest: Manifest) async throws -> [String] {
    let wanted = try await captures(manifest) + notifications(manifest)
    let rows = try await transaction.query("SELECT table_schema, table_name, name, definition FROM runner.triggers")
    var present: [String: (schema: String, table: String, name: String, definition: String)] = [:]
    for row in rows {
      let (schema, table) = (
        try row.decode("table_schema", as: String.self), try row.decode("table_name", as: String.self)
      )
      let name = try row.decode("name", as: String.self)
      present["\(schema).\(table).\(name)"] = (schema, table, name, try row.decode("definition"))
    }
    var changes: [String] = []
    for trigger in wanted {
      let known = present.removeValue(forKey: "\(trigger.schema).\(trigger.table).\(trigger.name)")
      guard known?.definition != trigger.sql else { continue }
      try await drop(trigger.schema, trigger.table, trigger.name)
      try await transaction.script(trigger.sql)
      _ = try await transaction.query(
        """
        INSERT INTO runner.triggers (table_schema, table_name, name, definition)
        VALUES (\(trigger.schema), \(trigger.table), \(trigger.name), \(trigger.sql))
        """)
      changes.append("trigger \(trigger.name) on \(trigger.schema).\(trigger.table)")
    }
    for old in present.values.sorted(by: { $0.name < $1.name }) {
      try await drop(old.schema, old.table, old.name)
      changes.append("removed trigger \(old.name) from \(old.schema).\(old.table)")
    }
    return changes
  }

  private func drop(_ schema: String, _ table: String, _ name: String) async throws {
    let exists = try await transaction.query(
      "SELECT to_regclass(\("\(quoted(schema)).\(quoted(table))")) IS NOT NULL AS here")
    if try exists.only().decode("here", as: Bool.self) {
      try await transaction.script("DROP TRIGGER IF EXISTS \(quoted(name)) ON \(quoted(schema)).\(quoted(table));")
    }
    _ = try await transaction.query(
      """
      DELETE FROM runner.triggers WHERE table_schema = \(schema) AND table_name = \(table) AND name = \(name)
      """)
  }

  private func notifications(_ manifest: Manifest) -> [Wanted] {
    manifest.functions.flatMap { function in
      function.triggers.compactMap { trigger in
        guard case .notify(let notify) = trigger else { return nil }
        let name = "runner_notify_\(function.name)"
        let sql = """
          CREATE TRIGGER \(quoted(name)) AFTER INSERT ON \(quoted(notify.schema)).\(quoted(notify.table))
          FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger(\(literal(function.name)));
          """
        return Wanted(schema: notify.schema, table: notify.table, name: name, sql: sql)
      }
    }
  }

  private func captures(_ manifest: Manifest) async throws -> [Wanted] {
    var wanted: [Wanted] = []
    for (name, subscriptions) in manifest.subscriptions.sorted(by: { $0.key < $1.key }) {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let shape = try await shape(parts[0], parts[1], subscriptions)
      wanted += CaptureSQL(captured: shape).triggers.map {
        Wanted(schema: parts[0], table: parts[1], name: $0.name, sql: $0.sql)
      }
    }
    return wanted
  }

  private func shape(
    _ schema: String, _ table: String, _ subscriptions: [TableTrigger.Operation: [Subscription]]
  ) async throws -> CapturedTable {
    let found = try await transaction.query(
      """
      SELECT c.relkind = 'p' OR c.relispartition AS partitioned,
        ARRAY(SELECT a.attname::text FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
        ARRAY(SELECT a.attname::text FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
          WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.place) AS key
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = \(schema) AND c.relname = \(table) AND c.relkind IN ('r', 'p')
      """)
    let functions = Set(subscriptions.values.joined().map(\.function)).sorted().joined(separator: ", ")
    guard let row = found.first else {
      throw MigrationError("There is no table \(schema).\(table), which functions.json names for \(functions).")
    }
    let columns = Set(try row.decode("columns", as: [String].self))
    for subscription in subscriptions.values.joined() {
      for column in subscription.columns + [subscription.key].compactMap({ $0 }) where !columns.contains(column) {
        throw MigrationError(
          "\(schema).\(table) has no column \(column), which functions.json names for \(subscription.function).")
      }
    }
    return CapturedTable(
      schema: schema, table: table, primaryKey: try row.decode("key"), isPartitioned: try row.decode("partitioned"),
      subscriptions: subscriptions)
  }
}

/// A database that `functions.json` does not fit.
struct MigrationError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
