package import Manifest
package import Postgres

/// Writes the SQL of the triggers that turn row changes into rows of `runner.events`, in the writer's own transaction.
///
/// Whatever is done to the table afterwards, no statement of a writer fails because of them: see ``CapturedRows``.
/// They run with the rights of their owner and the search_path of the writer, so everything is named with its schema,
/// and nothing is used for which PostgreSQL looks up an operator by itself: `IS DISTINCT FROM`, `NULLIF`, `IN`, `USING`.
package struct CaptureSQL {
  /// Grows with every change of what is written here, so that an earlier version of the runner leaves it alone.
  static let generation = 4

  /// All that an event's row consists of.
  package static let eventColumns = [
    "partition", "id", "function", "key", "event_id", "at", "actor", "traceparent", "source", "type", "op",
    "table_schema", "table_name", "record", "old_record", "data", "replayedfrom",
  ]
  /// The same as a list.
  package static let columns = SQL(unescaped: eventColumns.joined(separator: ", "))

  let captured: CapturedTable
  /// The bundle whose functions want to hear of the changes.
  package var bundle = Manifest.defaultBundle

  /// A trigger with the function it calls.
  package struct TriggerDefinition: Equatable {
    package var operation: TableTrigger.Operation
    package var name: String
    /// All statements that make it, the old one of that name being gone.
    package var sql: String
  }

  package var triggers: [TriggerDefinition] {
    captured.subscriptions.sorted { $0.key < $1.key }.map(definition)
  }

  private func definition(
    _ operation: TableTrigger.Operation, _ subscriptions: [Subscription]
  ) -> TriggerDefinition {
    let name = Self.name(operation, of: bundle)
    let function = "runner.\(quoted(shortened("\(captured.name).\(name)")))"
    let sql = """
      CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger
      LANGUAGE plpgsql SECURITY DEFINER
      AS \(literal(body(operation, subscriptions)));
      REVOKE ALL ON FUNCTION \(function)() FROM PUBLIC;
      CREATE TRIGGER \(quoted(name)) AFTER \(operation.rawValue) ON \(captured.name.sql)
      \(timing(operation)) EXECUTE FUNCTION \(function)();
      """
    return TriggerDefinition(operation: operation, name: name, sql: sql)
  }

  /// A table's trigger for an operation; that of the default bundle has a plain name.
  package static func name(_ operation: TableTrigger.Operation, of bundle: String) -> String {
    shortened("runner_\(operation.rawValue.lowercased())" + suffix(bundle))
  }

  /// A table's trigger that only notifies a function.
  static func notifyName(_ function: String, of bundle: String) -> String {
    shortened("runner_notify\(suffix(bundle))_\(function)")
  }

  /// Whether a trigger's name is one of the bundle's.
  static func isName(_ name: String, of bundle: String) -> Bool {
    let operations = TableTrigger.Operation.allCases
    guard name.hasPrefix("runner_notify_") else { return operations.contains { self.name($0, of: bundle) == name } }
    let rest = name.dropFirst("runner_notify_".count)
    return bundle == Manifest.defaultBundle ? !rest.contains("_") : rest.hasPrefix("\(bundle)_")
  }

  private static func suffix(_ bundle: String) -> String { bundle == Manifest.defaultBundle ? "" : "_\(bundle)" }

  private func timing(_ operation: TableTrigger.Operation) -> String {
    guard !captured.isPartitioned else { return "FOR EACH ROW" }
    return switch operation {
    case .insert: "REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT"
    case .update: "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT"
    case .delete: "REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT"
    }
  }

  private func body(_ operation: TableTrigger.Operation, _ subscriptions: [Subscription]) -> String {
    let settings = WriterSettings(money: captured.money)
    return """

      #variable_conflict use_column
      DECLARE
      \(settings.declarations)
      BEGIN
      \(settings.beginning)
        INSERT INTO runner.events
          (\(Self.eventColumns.joined(separator: ", ")))
      \(subscriptions.map { select($0, operation) }.joined(separator: "\n  UNION ALL\n"));
      \(settings.end)
        RETURN NULL;
      END
      """
  }

  /// Every column of the table in its place and of its type: PostgreSQL then needs no step between the query and the
  /// table.
  private func select(_ subscription: Subscription, _ operation: TableTrigger.Operation) -> String {
    let subject = operation.images[0].alias
    return """
        SELECT \(subject).partition, runner.draw(\(subject).partition), \(text(literal(subscription.function))),
          \(subject).key, \(text("NULL")), runner.stamp(),
          \(setting("app.user_id", operation)),
          \(setting("app.traceparent", operation)),
          \(text("NULL")), \(text("NULL")), \(text(literal(operation.rawValue))),
          \(text(literal(captured.name.schema))), \(text(literal(captured.name.table))),
          \(document(.new, operation)),
          \(document(.old, operation)),
          CASE WHEN \(operation.images.map(isTooLarge).joined(separator: " OR ")) THEN 'true'::pg_catalog.jsonb\(partition) END,
          \(text("NULL"))
        FROM \(source(subscription, operation))
      """
  }

  private func text(_ value: String) -> String { "\(value)::pg_catalog.text" }

  /// A further member of the event's data for a row that stands in a part of the table.
  private var partition: String {
    guard captured.isPartitioned else { return "" }
    return """
       WHEN TG_TABLE_SCHEMA OPERATOR(pg_catalog.<>) \(literal(captured.name.schema)) \
      OR TG_TABLE_NAME OPERATOR(pg_catalog.<>) \(literal(captured.name.table))
            THEN pg_catalog.jsonb_build_object('partition', pg_catalog.jsonb_build_object(
              'schema', \(text("TG_TABLE_SCHEMA")), 'table', \(text("TG_TABLE_NAME"))))
      """
  }

  /// A setting by which a session or transaction says something of itself; it may be unset, or empty again.
  ///
  /// An insert is mostly one row, for which a sub-select, asked once, costs more than asking for each.
  private func setting(_ name: String, _ operation: TableTrigger.Operation) -> String {
    let value = "pg_catalog.current_setting('\(name)', true)"
    let said = "CASE WHEN \(value) OPERATOR(pg_catalog.<>) '' THEN \(value) END"
    return operation == .insert ? said : "(SELECT \(said))"
  }

  /// `IS NULL` would be true of a row that is nothing but NULL.
  private func isTooLarge(_ image: RowImage) -> String { "\(image.alias).image IS NOT DISTINCT FROM NULL" }

  private func document(_ image: RowImage, _ operation: TableTrigger.Operation) -> String {
    guard operation.images.contains(image) else { return "NULL::pg_catalog.jsonb" }
    let identity = captured.primaryKey.enumerated().map { index, column in
      "\(literal(column)), \(captured.document("\(image.alias).key_\(index)", isPlain: captured.isPlain(column)))"
    }
    return """
      CASE WHEN \(isTooLarge(image)) THEN pg_catalog.jsonb_build_object(\(identity.joined(separator: ", ")))
              ELSE \(captured.document("\(image.alias).image", isPlain: captured.isPlain())) END
      """
  }

  /// The changes that one function gets.
  ///
  /// The rows of an update's two transition tables stand in the same order, so their places pair them, whatever has
  /// become of their keys and even where a statement changes a row twice. A full join is never done by nested loops,
  /// which a plan made for one row would keep for twenty thousand.
  private func source(_ subscription: Subscription, _ operation: TableTrigger.Operation) -> String {
    let paired = operation == .update && !captured.isPartitioned
    let rows = operation.images.map { image in
      CapturedRows(
        captured: captured, subscription: subscription, image: image, isSubject: image == operation.images[0],
        comparing: operation == .update, placed: paired
      ).sql
    }
    let taken = isTaken(by: subscription, operation.images[0])
    guard operation == .update else { return rows[0] + (taken.map { " WHERE \($0)" } ?? "") }
    let changed = subscription.columns.indices.map {
      """
      (n.column_\($0) OPERATOR(pg_catalog.=) o.column_\($0)) IS NOT TRUE \
      AND (n.column_\($0) IS NOT NULL OR o.column_\($0) IS NOT NULL)
      """
    }
    let isChanged =
      changed.isEmpty ? "(n.image OPERATOR(pg_catalog.*=) o.image) IS NOT TRUE" : changed.joined(separator: " OR ")
    return """
      \(rows[0])
          \(paired ? "FULL JOIN \(rows[1]) ON n.place OPERATOR(pg_catalog.=) o.place" : "CROSS JOIN \(rows[1])")
          WHERE \(taken.map { "(\(isChanged)) AND \($0)" } ?? isChanged)
      """
  }

  /// Whether the row is one that the subscription wants; `nil` where it wants all.
  private func isTaken(by subscription: Subscription, _ image: RowImage) -> String? {
    let conditions = [subscription.ownWrites ? nil : Self.isNotOwn, isFiltered(by: subscription, image)]
    let taken = conditions.compactMap(\.self).joined(separator: " AND ")
    return taken.isEmpty ? nil : taken
  }

  /// A condition on no row: PostgreSQL asks it once, and where it is false does not even read the rows.
  private static let isNotOwn =
    "(pg_catalog.current_setting('app.own_write', true) OPERATOR(pg_catalog.=) 'on') IS NOT TRUE"

  /// Whether the row has the values of one of the filters; `nil` where there is none.
  private func isFiltered(by subscription: Subscription, _ image: RowImage) -> String? {
    guard !subscription.filters.isEmpty else { return nil }
    let places = Dictionary(uniqueKeysWithValues: subscription.filtered.enumerated().map { ($1.column, $0) })
    let filters = subscription.filters.map { filter in
      filter.sorted { $0.key < $1.key }.compactMap { column, value in
        places[column].map { "\(image.alias).filter_\($0) OPERATOR(pg_catalog.=) \(literal(value))" }
      }.joined(separator: " AND ")
    }
    return "(\(filters.joined(separator: " OR "))) IS TRUE"
  }
}

/// The two states of a row that changes.
enum RowImage {
  case new
  case old

  /// The rows' name in the query.
  var alias: String { self == .new ? "n" : "o" }
}

extension TableTrigger.Operation {
  /// The versions of a row that exist; the first has the key of the event.
  fileprivate var images: [RowImage] {
    switch self {
    case .insert: [.new]
    case .update: [.new, .old]
    case .delete: [.old]
    }
  }
}
