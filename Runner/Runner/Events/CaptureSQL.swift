/// Writes the SQL of the triggers that turn row changes into rows of `runner.events`, in the writer's own transaction.
struct CaptureSQL {
  let captured: CapturedTable

  /// A trigger with the function it calls.
  struct TriggerDefinition: Equatable {
    var name: String
    /// All statements that make it, the old one of that name being gone.
    var sql: String
  }

  var triggers: [TriggerDefinition] {
    captured.subscriptions.sorted { $0.key < $1.key }.flatMap { operation, subscriptions in
      captured.capturesStatements
        ? statementTriggers(operation, subscriptions) : [rowTrigger(operation, subscriptions)]
    }
  }

  private func statementTriggers(
    _ operation: TableTrigger.Operation, _ subscriptions: [Subscription]
  ) -> [TriggerDefinition] {
    let name = "runner_\(operation.rawValue.lowercased())"
    let transition =
      switch operation {
      case .insert: "REFERENCING NEW TABLE AS new_rows"
      case .update: "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows"
      case .delete: "REFERENCING OLD TABLE AS old_rows"
      }
    let rows =
      switch operation {
      case .insert: "FROM new_rows AS n"
      case .update: "FROM new_rows AS n JOIN old_rows AS o ON \(pairing) AND \(notRekeyed)"
      case .delete: "FROM old_rows AS o"
      }
    let statement = definition(
      name, operation, subscriptions, timing: "\(transition) FOR EACH STATEMENT", rows: rows,
      after: operation == .update ? "  PERFORM set_config('runner.rekeyed', '', true);\n" : "")
    guard operation == .update else { return [statement] }
    return [keyChangeTrigger(subscriptions), statement]
  }

  /// A row whose key changes cannot be paired by it: such rows are captured one by one, and left out above.
  private func keyChangeTrigger(_ subscriptions: [Subscription]) -> TriggerDefinition {
    let changed = captured.primaryKey.map { "OLD.\(quoted($0)) IS DISTINCT FROM NEW.\(quoted($0))" }
    return definition(
      "runner_update_key", .update, subscriptions,
      timing: "FOR EACH ROW WHEN (\(changed.joined(separator: " OR ")))",
      rows: "FROM (SELECT NEW.*) AS n, (SELECT OLD.*) AS o",
      after: """
          PERFORM set_config('runner.rekeyed', coalesce(current_setting('runner.rekeyed', true), '')
            || '|' || \(identity("NEW")) || '|', true);

        """)
  }

  private func rowTrigger(_ operation: TableTrigger.Operation, _ subscriptions: [Subscription]) -> TriggerDefinition {
    let rows =
      switch operation {
      case .insert: "FROM (SELECT NEW.*) AS n"
      case .update: "FROM (SELECT NEW.*) AS n, (SELECT OLD.*) AS o"
      case .delete: "FROM (SELECT OLD.*) AS o"
      }
    return definition(
      "runner_\(operation.rawValue.lowercased())", operation, subscriptions, timing: "FOR EACH ROW", rows: rows)
  }

  private func definition(
    _ name: String, _ operation: TableTrigger.Operation, _ subscriptions: [Subscription], timing: String,
    rows: String, after: String = ""
  ) -> TriggerDefinition {
    let function = "runner.\(quoted("\(captured.schema).\(captured.table).\(name)"))"
    let selects = subscriptions.map { select($0, operation, rows) }.joined(separator: "\n    UNION ALL\n")
    let sql = """
      CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC'
      AS $capture$
      DECLARE
        lanes smallint[];
      BEGIN
        PERFORM pg_current_xact_id();
        WITH inserted AS (
        INSERT INTO runner.events
          (lane, id, function, key, actor, traceparent, op, table_schema, table_name, record, old_record)
        SELECT l.lane, runner.next_id(l.lane), c.function, c.key, nullif(current_setting('app.user_id', true), ''),
          nullif(current_setting('app.traceparent', true), ''), '\(operation.rawValue)',
          \(literal(captured.schema)), \(literal(captured.table)), c.record, c.old_record
        FROM (
      \(selects)
        ) AS c CROSS JOIN LATERAL (
          SELECT coalesce(runner.lane(c.function, c.key), (random() * 15)::smallint) AS lane
        ) AS l RETURNING lane
        )
        SELECT array_agg(DISTINCT lane) INTO lanes FROM inserted;
        IF lanes IS NOT NULL THEN PERFORM runner.ring(lanes); END IF;
      \(after)  RETURN NULL;
      END $capture$;
      CREATE TRIGGER \(quoted(name)) AFTER \(operation.rawValue) ON \(quoted(captured.schema)).\(quoted(captured.table))
      \(timing) EXECUTE FUNCTION \(function)();
      """
    return TriggerDefinition(name: name, sql: sql)
  }

  private func select(_ subscription: Subscription, _ operation: TableTrigger.Operation, _ rows: String) -> String {
    let row = operation == .delete ? "o" : "n"
    let key = subscription.key.map { "\(row).\(quoted($0))::text" } ?? "NULL::text"
    let filter = operation == .update ? "\n    WHERE \(change(of: subscription.columns))" : ""
    return """
          SELECT \(literal(subscription.function)) AS function, \(key) AS key,
            \(operation == .delete ? "NULL::jsonb" : "to_jsonb(n)") AS record,
            \(operation == .insert ? "NULL::jsonb" : "to_jsonb(o)") AS old_record
          \(rows)\(filter)
      """
  }

  private func change(of columns: [String]) -> String {
    columns.isEmpty
      ? "to_jsonb(n) IS DISTINCT FROM to_jsonb(o)"
      : columns.map { "n.\(quoted($0)) IS DISTINCT FROM o.\(quoted($0))" }.joined(separator: " OR ")
  }

  private var pairing: String {
    captured.primaryKey.map { "n.\(quoted($0)) = o.\(quoted($0))" }.joined(separator: " AND ")
  }

  private var notRekeyed: String {
    "position('|' || \(identity("n")) || '|' IN coalesce(current_setting('runner.rekeyed', true), '')) = 0"
  }

  private func identity(_ row: String) -> String {
    "concat_ws(':', \(captured.primaryKey.map { "\(row).\(quoted($0))" }.joined(separator: ", ")))"
  }
}

/// An identifier as SQL writes it.
func quoted(_ identifier: String) -> String {
  "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

/// A string as SQL writes it.
func literal(_ text: String) -> String {
  let escaped = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
  return text.contains("\\")
    ? "E'\(escaped.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\"))'"
    : "'\(escaped)'"
}
