import FoundationEssentials
import FunctionKit
import Postgres

/// The times that rows were stamped with, which stand in the way of a clock that is set back.
struct ClockStamps {
  /// Stamps of one column that would lie in the future.
  struct Finding: Encodable, Equatable {
    var column: String
    var rows: Int
    var latest: Date
  }

  let transaction: Transaction

  /// A column whose values say when something happened.
  private struct Column {
    var schema: String
    var table: String
    var name: String
    var place: SQL { "\(identifier: schema).\(identifier: table)" }
  }

  /// The stamps later than an instant.
  func later(than instant: Date) async throws -> [Finding] {
    var findings: [Finding] = []
    for column in try await columns() {
      let row = try await transaction.query(
        """
        SELECT count(*) AS rows, max(\(identifier: column.name)) AS latest FROM \(column.place)
        WHERE \(identifier: column.name) > \(instant) AND isfinite(\(identifier: column.name))
        """
      ).only()
      guard let latest: Date = try row.optional("latest") else { continue }
      findings.append(
        Finding(
          column: "\(column.schema).\(column.table).\(column.name)", rows: try row.decode("rows"), latest: latest))
    }
    return findings
  }

  /// Moves stamps that are later than an instant back by so many seconds.
  ///
  /// No trigger sees it. Occurrences that have not come yet may come again, and nothing is made up of schedules.
  func moveBack(later instant: Date, by seconds: Double) async throws {
    try await transaction.script("SET LOCAL session_replication_role = replica")
    let span: SQL = "make_interval(secs => \(seconds))"
    for column in try await columns() where column.table != "schedules" || column.schema != "runner" {
      _ = try await transaction.query(
        """
        UPDATE \(column.place) SET \(identifier: column.name) = \(identifier: column.name) - \(span)
        WHERE \(identifier: column.name) > \(instant) AND isfinite(\(identifier: column.name))
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

  /// The runner's own, and every column of another table that is stamped by default.
  private func columns() async throws(PostgresError) -> [Column] {
    let found = try await transaction.query(
      """
      SELECT n.nspname AS schema, c.relname AS table, a.attname AS column
      FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' AND n.nspname <> 'runner'
        AND a.atttypid = 'timestamptz'::regtype AND NOT a.attisdropped AND a.attgenerated = ''
        AND pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'CURRENT_TIMESTAMP', 'clock_timestamp()',
          'transaction_timestamp()', 'statement_timestamp()', 'runner.now()')
      ORDER BY 1, 2, 3
      """)
    return Self.own.map { Column(schema: "runner", table: $0.table, name: $0.column) }
      + (try found.map { row throws(PostgresError) in
        Column(
          schema: try row.decode("schema"), table: try row.decode("table"), name: try row.decode("column"))
      })
  }

  private static let own: [(table: String, column: String)] = [
    ("events", "at"), ("retries", "at"), ("retries", "run_at"), ("dead_letters", "at"),
    ("dead_letters", "died_at"), ("history", "at"), ("history", "ended_at"), ("payloads", "at"),
    ("schedules", "since"), ("schedules", "last_scheduled_time"), ("schedule_fires", "fired_at"),
  ]
}
