import Postgres

/// Makes, renews and takes away the triggers that carry row changes to the runner.
///
/// What is there is read from the catalog, so that a table that was renamed, or dropped and made anew, is mended.
struct TriggerInstaller {
  let transaction: Transaction

  /// A trigger as it should be.
  private struct Wanted {
    var table: TableName
    var name: String
    var sql: String
  }

  /// A trigger as it is.
  private struct Present {
    var table: TableName
    var name: String
    var function: String
    /// Nil for one that this installer does not remember: it was made for a table of another name.
    var definition: String?
  }

  /// Returns what was changed, a line each.
  ///
  /// - Throws: `MigrationError` when `functions.json` names a table or column that is not there.
  func install(_ manifest: Manifest) async throws -> [String] {
    let wanted = try await captures(manifest) + notifications(manifest)
    var present = try await present()
    var changes: [String] = []
    for trigger in wanted {
      let index = present.firstIndex { $0.table == trigger.table && $0.name == trigger.name }
      let known = index.map { present.remove(at: $0) }
      guard known?.definition != trigger.sql else { continue }
      if let known { try await remove(known) }
      try await transaction.script(trigger.sql)
      try await remember(trigger)
      changes.append("\(known == nil ? "" : "renewed ")trigger \(trigger.name) on \(trigger.table)")
    }
    for old in present {
      try await remove(old)
      changes.append("removed trigger \(old.name) from \(old.table)")
    }
    try await forgetAllBut(wanted)
    return changes
  }

  private func present() async throws -> [Present] {
    let rows = try await transaction.query(
      """
      SELECT n.nspname::text AS schema, c.relname::text AS table, t.tgname::text AS name, p.proname::text AS function,
        r.definition
      FROM pg_trigger AS t
        JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_proc AS p ON p.oid = t.tgfoid AND p.pronamespace = 'runner'::regnamespace
        LEFT JOIN runner.triggers AS r ON (r.table_schema, r.table_name, r.name) = (n.nspname, c.relname, t.tgname)
      WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND n.nspname <> 'runner'
      ORDER BY n.nspname, c.relname, t.tgname
      """)
    return try rows.map { row in
      Present(
        table: TableName(schema: try row.decode("schema"), table: try row.decode("table")),
        name: try row.decode("name"), function: try row.decode("function"), definition: row["definition"])
    }
  }

  private func remove(_ trigger: Present) async throws {
    try await transaction.script("DROP TRIGGER \(quoted(trigger.name)) ON \(trigger.table.sql);")
    if trigger.function != "notify_trigger" {
      try await transaction.script("DROP FUNCTION runner.\(quoted(trigger.function))();")
    }
  }

  private func remember(_ trigger: Wanted) async throws {
    _ = try await transaction.query(
      """
      INSERT INTO runner.triggers (table_schema, table_name, name, definition)
      VALUES (\(trigger.table.schema), \(trigger.table.table), \(trigger.name), \(trigger.sql))
      ON CONFLICT (table_schema, table_name, name) DO UPDATE SET definition = EXCLUDED.definition
      """)
  }

  private func forgetAllBut(_ wanted: [Wanted]) async throws {
    _ = try await transaction.query(
      """
      DELETE FROM runner.triggers AS t WHERE NOT EXISTS (
        SELECT FROM unnest(
          \(wanted.map(\.table.schema))::text[], \(wanted.map(\.table.table))::text[], \(wanted.map(\.name))::text[])
          AS wanted (schema, "table", name)
        WHERE (wanted.schema, wanted.table, wanted.name) = (t.table_schema, t.table_name, t.name))
      """)
  }

  private func notifications(_ manifest: Manifest) async throws -> [Wanted] {
    var wanted: [Wanted] = []
    for function in manifest.functions {
      for case .notify(let notify) in function.triggers {
        let table = TableName(schema: notify.schema, table: notify.table)
        _ = try await TableShape(of: table, for: function.name, transaction)
        let name = shortened("runner_notify_\(function.name)")
        let sql = """
          CREATE TRIGGER \(quoted(name)) AFTER INSERT ON \(table.sql)
          FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger(\(literal(function.name)));
          """
        wanted.append(Wanted(table: table, name: name, sql: sql))
      }
    }
    return wanted
  }

  private func captures(_ manifest: Manifest) async throws -> [Wanted] {
    var wanted: [Wanted] = []
    for (name, subscriptions) in manifest.subscriptions.sorted(by: { $0.key < $1.key }) {
      let functions = Set(subscriptions.values.joined().map(\.function)).sorted().joined(separator: ", ")
      let shape = try await TableShape(of: name, for: functions, transaction)
      wanted += CaptureSQL(captured: try shape.captured(subscriptions)).triggers.map {
        Wanted(table: name, name: $0.name, sql: $0.sql)
      }
    }
    return wanted
  }
}

/// A database that `functions.json` does not fit.
struct MigrationError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
