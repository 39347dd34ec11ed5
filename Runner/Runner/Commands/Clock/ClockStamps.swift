import FoundationEssentials
import FunctionKit
import Postgres
import Schema

/// The times that rows were stamped with, which stand in the way of a clock that is set back.
struct ClockStamps {
  /// Stamps of one column that would lie in the future.
  struct Finding: Encodable, Equatable {
    var column: String
    var rows: Int
    var latest: Date
  }

  let transaction: Transaction

  /// A column with a time.
  private struct Column {
    var schema: String
    var table: String
    var name: String
    var sort = Sort.stamp
    var place: SQL { "\(identifier: schema).\(identifier: table)" }

    /// What is moved of it, in a row in which something is.
    func change(later instant: Date, by span: SQL) -> SQL {
      let value: SQL = "\(identifier: name)"
      let condition: SQL = sort == .end ? " AND created_at > \(instant)" : ""
      return """
        \(value) = CASE WHEN \(isLater(than: instant))\(condition) THEN \(value) - \(span) ELSE \(value) END
        """
    }

    func isLater(than instant: Date) -> SQL {
      "(\(identifier: name) > \(instant) AND isfinite(\(identifier: name)))"
    }
  }

  /// What the times of a column say.
  private enum Sort: String {
    /// When something happened: later than now only by another clock.
    case stamp
    /// When something is to be done. What comes too early by it looks for itself what time it is.
    case plan
    /// When something is over: counted from the row's `created_at`.
    case end
  }

  /// The stamps later than an instant.
  func later(than instant: Date) async throws -> [Finding] {
    var findings: [Finding] = []
    for column in try await columns() where column.sort == .stamp {
      let row = try await transaction.query(
        """
        SELECT count(*) AS rows, max(\(identifier: column.name)) AS latest FROM \(column.place)
        WHERE \(column.isLater(than: instant))
        """
      ).only()
      guard let latest: Date = try row.optional("latest") else { continue }
      findings.append(
        Finding(
          column: "\(column.schema).\(column.table).\(column.name)", rows: try row.decode("rows"), latest: latest))
    }
    return findings
  }

  /// Moves stamps that are later than an instant back by a number of seconds.
  ///
  /// No trigger sees it. Occurrences that have not come yet may come again, and nothing is made up of schedules.
  func moveBack(later instant: Date, by seconds: Double) async throws {
    try await transaction.script("SET LOCAL session_replication_role = replica")
    let span: SQL = "make_interval(secs => \(seconds))"
    let columns = try await columns().filter { $0.table != "schedules" || $0.schema != "runner" }
    for columns in Dictionary(grouping: columns, by: { "\($0.schema).\($0.table)" }).values {
      let changes = columns.map { $0.change(later: instant, by: span) }
      let conditions = columns.map { $0.isLater(than: instant) }
      _ = try await transaction.query(
        """
        UPDATE \(columns[0].place) SET \(changes.dropFirst().reduce(changes[0]) { $0 + ", " + $1 })
        WHERE \(conditions.dropFirst().reduce(conditions[0]) { $0 + " OR " + $1 })
        """)
    }
    _ = try await transaction.query("UPDATE runner.wakeups SET at = at - \(span) WHERE at > \(instant)")
    _ = try await transaction.query("DELETE FROM runner.schedule_fires WHERE scheduled_time > \(instant)")
    _ = try await transaction.query(
      """
      UPDATE runner.schedules SET since = \(instant), next_at = NULL, last_scheduled_time =
        last_scheduled_time - CASE WHEN last_scheduled_time > \(instant) THEN \(span) ELSE interval '0' END
      """)
    _ = try await transaction.query("UPDATE runner.clock SET rebased = rebased + 1")
  }

  /// The runner's own, every column of the functions' own tables but leases, which go by real time, and of another table
  /// what is stamped by default.
  private func columns() async throws(PostgresError) -> [Column] {
    let found = try await transaction.query(
      """
      SELECT n.nspname AS schema, c.relname AS table, a.attname AS column,
        CASE WHEN pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'CURRENT_TIMESTAMP', 'clock_timestamp()',
            'transaction_timestamp()', 'statement_timestamp()', 'runner.now()') THEN 'stamp'
          WHEN a.attname LIKE '%expires\\_at' AND EXISTS (SELECT FROM pg_attribute AS made
            WHERE made.attrelid = c.oid AND made.attname = 'created_at' AND NOT made.attisdropped) THEN 'end'
          WHEN a.attname LIKE '%\\_until' OR a.attname LIKE '%ends\\_at' OR a.attname = 'not_before' THEN 'plan'
          ELSE 'stamp' END AS sort
      FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' AND n.nspname <> 'runner'
        AND a.atttypid = 'timestamptz'::regtype AND NOT a.attisdropped AND a.attgenerated = ''
        AND (pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'CURRENT_TIMESTAMP', 'clock_timestamp()',
            'transaction_timestamp()', 'statement_timestamp()', 'runner.now()')
          OR a.attname <> 'lease_until' AND c.relname = ANY (\(Schema.ownTables)::text[])
            AND c.oid = to_regclass(quote_ident(c.relname)))
      ORDER BY 1, 2, 3
      """)
    return Self.own.map { Column(schema: "runner", table: $0.table, name: $0.column) }
      + (try found.map { row throws(PostgresError) in
        Column(
          schema: try row.decode("schema"), table: try row.decode("table"), name: try row.decode("column"),
          sort: Sort(rawValue: try row.decode("sort")) ?? .stamp)
      })
  }

  private static let own: [(table: String, column: String)] = [
    ("events", "at"), ("retries", "at"), ("retries", "run_at"), ("dead_letters", "at"),
    ("dead_letters", "died_at"), ("history", "at"), ("history", "ended_at"), ("payloads", "at"),
    ("schedules", "since"), ("schedules", "last_scheduled_time"), ("schedule_fires", "fired_at"),
  ]
}
