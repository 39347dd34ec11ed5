import CLI
package import Documents
import FoundationEssentials
package import Postgres

extension Overdue {
  /// In a sentence, without its full stop.
  package var sentence: String {
    let time = TimeText.length(seconds)
    return switch what {
    case .schedule: "the schedule \(name) is \(time) late: is there a runner that fires schedules?"
    case .function: "\(name) asked to be run \(time) ago, and has not come to its end since: see its errors in the log"
    case .retries: "events of \(name) were to be tried again \(time) ago: see runner why of one of them"
    }
  }

  /// Everything that is overdue, the longest first.
  package static func all(in database: Connection) async throws(PostgresError) -> [Overdue] {
    let rows = try await database.query(
      """
      SELECT what, name, since, extract(epoch FROM runner.now() - since)::float8 AS seconds
      FROM (
        SELECT 'schedule' AS what, name, next_at AS since FROM runner.schedules WHERE paused_at IS NULL
        UNION ALL SELECT 'function', function, at FROM runner.wakeups
        UNION ALL SELECT 'retries', function, min(run_at) FROM runner.retries GROUP BY function
      ) AS due
      WHERE since < runner.now() - interval '1 minute' ORDER BY since
      """)
    return try rows.map { row throws(PostgresError) in
      Overdue(
        what: What(rawValue: try row.decode("what")) ?? .function, name: try row.decode("name"),
        since: try row.decode("since"), seconds: try row.decode("seconds"))
    }
  }
}
