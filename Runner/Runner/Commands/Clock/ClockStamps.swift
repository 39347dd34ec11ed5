import FoundationEssentials
import FunctionKit
import Manifest
import Postgres

/// Timestamps in rows, which may keep the clock from being set back.
struct ClockStamps {
  /// The timestamps of one column that would lie in the future.
  struct Finding: Encodable, Equatable {
    var column: String
    var rows: Int
    var latest: Date
  }

  let transaction: Transaction
  /// Tables whose rows functions stamp with the runner's clock.
  let tables: [String]

  private struct Column {
    var table: TableName
    var name: String
    var place: SQL { "\(identifier: table.schema).\(identifier: table.table)" }

    func isLater(than instant: Date) -> SQL {
      "(\(identifier: name) > \(instant) AND isfinite(\(identifier: name)))"
    }
  }

  /// The timestamps later than an instant.
  func later(than instant: Date) async throws -> [Finding] {
    var findings: [Finding] = []
    for column in try await columns() {
      let row = try await transaction.query(
        """
        SELECT count(*) AS rows, max(\(identifier: column.name)) AS latest FROM \(column.place)
        WHERE \(column.isLater(than: instant))
        """
      ).only()
      guard let latest: Date = try row.optional("latest") else { continue }
      findings.append(
        Finding(
          column: "\(column.table).\(column.name)", rows: try row.decode("rows"), latest: latest))
    }
    return findings
  }

  /// The runner's own columns, the columns that functions stamp, and columns of other tables with a default stamp.
  ///
  /// A time until which something holds, or when it is due, may lie in the future and is left out.
  private func columns() async throws(PostgresError) -> [Column] {
    let found = try await transaction.query(
      """
      SELECT n.nspname AS schema, c.relname AS table, a.attname AS column
      FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' AND n.nspname <> 'runner'
        AND a.atttypid = 'timestamptz'::regtype AND NOT a.attisdropped AND a.attgenerated = ''
        AND (pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'CURRENT_TIMESTAMP', 'clock_timestamp()',
            'transaction_timestamp()', 'statement_timestamp()', 'runner.now()')
          OR a.attname <> 'not_before' AND a.attname !~ '(_until|ends_at|expires_at)$'
            AND c.oid = ANY (ARRAY(SELECT to_regclass(t)::oid FROM unnest(\(tables)) AS t)))
      ORDER BY 1, 2, 3
      """)
    return Self.own.map { Column(table: .init(schema: "runner", table: $0.table), name: $0.column) }
      + (try found.map { row throws(PostgresError) in
        Column(
          table: .init(schema: try row.decode("schema"), table: try row.decode("table")),
          name: try row.decode("column"))
      })
  }

  private static let own: [(table: String, column: String)] = [
    ("events", "at"), ("retries", "at"), ("retries", "run_at"), ("dead_letters", "at"),
    ("dead_letters", "died_at"), ("history", "at"), ("history", "ended_at"), ("payloads", "at"),
    ("schedules", "since"), ("schedules", "last_scheduled_time"), ("schedule_fires", "fired_at"),
  ]
}
