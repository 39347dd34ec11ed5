import FunctionKit
import Manifest
import Postgres

/// The triggers of a database as its catalog and `runner.triggers` have them.
struct TriggerStore<Database: SQLExecutor> {
  let database: Database

  /// Every trigger that calls the runner, of every bundle.
  func present(_ memories: [PresentTrigger.Memory]) async throws -> [PresentTrigger] {
    let rows = try await database.query(
      """
      SELECT n.nspname::text AS schema, c.relname::text AS table, t.tgname::text AS name, p.proname::text AS procedure,
        t.tgenabled IN ('O', 'A') AS is_enabled,
        CASE WHEN NOT pg_has_role(c.relowner, 'USAGE') THEN pg_get_userbyid(c.relowner)::text END AS stranger
      FROM pg_trigger AS t
        JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_proc AS p ON p.oid = t.tgfoid AND p.pronamespace = 'runner'::regnamespace
      WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND n.nspname <> 'runner'
      ORDER BY n.nspname, c.relname, t.tgname
      """)
    return try rows.map { row in
      var trigger = PresentTrigger(
        table: TableName(schema: try row.decode("schema"), table: try row.decode("table")),
        name: try row.decode("name"), procedure: try row.decode("procedure"),
        isEnabled: try row.decode("is_enabled"), stranger: row["stranger"])
      trigger.memory =
        memories.first { $0.table == trigger.table && $0.name == trigger.name }
        ?? memories.first { $0.procedure == trigger.procedure }
      return trigger
    }
  }

  /// The function that belongs to another bundle, with that bundle, if one of these does.
  func taken(_ functions: [String], besides bundle: String) async throws -> (function: String, bundle: String)? {
    let rows = try await database.query(
      """
      SELECT f.name, o.bundle FROM unnest(\(functions)::text[]) AS f (name) JOIN (
        SELECT unnest(functions) AS function, bundle FROM runner.triggers
        UNION ALL SELECT function, bundle FROM runner.schedules
      ) AS o ON o.function = f.name AND o.bundle <> \(bundle)
      ORDER BY f.name LIMIT 1
      """)
    return try rows.first.map { (try $0.decode("name"), try $0.decode("bundle")) }
  }

  /// The records of triggers that exist and of others.
  func memories() async throws -> [PresentTrigger.Memory] {
    let rows = try await database.query(
      """
      SELECT table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions
      FROM runner.triggers ORDER BY table_schema, table_name, name
      """)
    return try rows.map { row in
      PresentTrigger.Memory(
        table: TableName(schema: try row.decode("table_schema"), table: try row.decode("table_name")),
        name: try row.decode("name"), definition: try row.decode("definition"), bundle: try row.decode("bundle"),
        generation: try row.decode("generation"), version: try row.decode("version"),
        functions: try row.decode("functions"),
        // What cannot be read is of another version, too.
        subscriptions: row["subscriptions"].flatMap { text in
          (try? RawJSON(validating: Array(text.utf8)[...])).flatMap {
            try? JSONCoding.decode([Subscription].self, from: $0)
          }
        })
    }
  }
}

extension TriggerStore {
  /// Makes a trigger and remembers it.
  package func make(_ trigger: WantedTrigger, for manifest: Manifest) async throws {
    try await database.script(trigger.sql)
    try await remember(trigger, for: manifest)
  }

  func remember(_ trigger: WantedTrigger, for manifest: Manifest) async throws {
    let subscriptions = String(decoding: try JSONCoding.encode(trigger.subscriptions).bytes, as: UTF8.self)
    _ = try await database.query(
      """
      INSERT INTO runner.triggers
        (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
      VALUES (\(trigger.table.schema), \(trigger.table.table), \(trigger.name), \(trigger.sql), \(manifest.bundle),
        \(CaptureSQL.generation)::int, \(manifest.version)::int, \(trigger.functions), \(subscriptions)::jsonb)
      ON CONFLICT (table_schema, table_name, name) DO UPDATE SET definition = excluded.definition,
        bundle = excluded.bundle, generation = excluded.generation, version = excluded.version,
        functions = excluded.functions, subscriptions = excluded.subscriptions
      """)
  }

  /// Takes a trigger away, with what it calls unless another trigger does so, too; one that only the table's owner can take
  /// away stays.
  package func remove(_ trigger: PresentTrigger) async throws {
    guard let removal = trigger.removal else { return }
    try await database.script(removal)
    if !trigger.isNotify, trigger.stranger == nil {
      let others = try await database.query(
        """
        SELECT FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
        WHERE p.pronamespace = 'runner'::regnamespace AND p.proname = \(trigger.procedure)
        """)
      if others.isEmpty { try await database.script("DROP FUNCTION runner.\(quoted(trigger.procedure))();") }
    }
  }

  /// Forgets the bundle's triggers that are not there any more, except those of some functions.
  func forgetGone(of bundle: String, but functions: [String]) async throws {
    _ = try await database.query(
      """
      DELETE FROM runner.triggers AS r WHERE r.bundle = \(bundle) AND NOT r.functions && \(functions) AND NOT EXISTS (
        SELECT FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE (n.nspname, c.relname, t.tgname) = (r.table_schema, r.table_name, r.name))
      """)
  }
}
