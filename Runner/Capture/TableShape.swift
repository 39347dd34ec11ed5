import Manifest
import Postgres

/// A table with subscribers, as the catalog describes it.
struct TableShape {
  private let name: TableName
  private let row: Row

  /// - Parameter functions: who wants to hear of it, for the error.
  /// - Throws: `MigrationError` unless it is a table that can have triggers for its rows.
  init(of name: TableName, for functions: String, _ database: some SQLExecutor) async throws {
    let found = try await database.query(
      """
      SELECT c.relkind::text AS kind,
        c.relkind = 'p' OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = c.oid) AS partitioned,
        ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
          WHERE k.place <= i.indnkeyatts ORDER BY k.place) AS key,
        a.*
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
        CROSS JOIN LATERAL (
          -- In one order: what is made of it is compared as text.
          SELECT coalesce(array_agg(a.attname::text ORDER BY a.attnum), '{}') AS columns,
            coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE v.is_text), '{}') AS texts,
            coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE v.is_sized AND NOT v.is_text), '{}')
              AS sized,
            coalesce(bool_or(t.oid IN ('json'::regtype, 'json[]'::regtype)), false) AS has_json,
            CASE WHEN bool_or('money'::regtype IN (t.oid, t.typelem, t.typbasetype))
              THEN current_setting('lc_monetary') END AS money
          FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
            CROSS JOIN LATERAL (
              SELECT t.typlen = -1 AND t.typcategory = 'S' AS is_text,
                t.typlen = -1 AND t.oid <> 'numeric'::regtype AS is_sized
            ) AS v
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        ) AS a
      WHERE n.nspname = \(name.schema) AND c.relname = \(name.table)
      """)
    guard name.schema != "runner" else {
      throw MigrationError("\(name) is the runner's own; functions.json names it for \(functions).")
    }
    guard let row = found.first else {
      throw MigrationError("There is no table \(name), which functions.json names for \(functions).")
    }
    let kind = try row.decode("kind", as: String.self)
    guard ["r", "p"].contains(kind) else {
      let what = ["v": "a view", "m": "a materialized view", "f": "a foreign table"][kind] ?? "not a table"
      throw MigrationError(
        "\(name) is \(what) and has no row events; functions.json names it for \(functions).")
    }
    (self.name, self.row) = (name, row)
  }

  /// Says which column that a function names is not there; `nil` if all are.
  func problem(of subscription: Subscription) throws -> MigrationError? {
    let columns = Set(try row.decode("columns", as: [String].self))
    return subscription.named.first { !columns.contains($0) }.map { column in
      MigrationError("\(name) has no column \(column), which functions.json names for \(subscription.function).")
    }
  }

  /// - Parameters:
  ///   - asked: what functions want to hear of.
  ///   - kept: further subscriptions, which are left out where the table has their columns no more.
  /// - Throws: `MigrationError` when what is asked for names a column that is not there.
  func captured(
    _ asked: [TableTrigger.Operation: [Subscription]], kept: [TableTrigger.Operation: [Subscription]] = [:]
  ) throws -> CapturedTable {
    let columns = Set(try row.decode("columns", as: [String].self))
    for subscription in asked.values.joined() {
      if let problem = try problem(of: subscription) { throw problem }
    }
    let subscriptions = asked.merging(
      kept.mapValues { $0.filter { columns.isSuperset(of: $0.named) } }, uniquingKeysWith: +)
    return CapturedTable(
      name: name, primaryKey: try row.decode("key"),
      isPartitioned: try row.decode("partitioned"), textColumns: try row.decode("texts"),
      sizedColumns: try row.decode("sized"), hasJSON: try row.decode("has_json"), money: try row.optional("money"),
      // In one order, for every version of a bundle.
      subscriptions: subscriptions.mapValues { $0.sorted { $0.function < $1.function } })
  }
}

extension Subscription {
  /// The columns that it names.
  fileprivate var named: [String] { columns + [key].compactMap(\.self) + filtered.map(\.column) }
}
