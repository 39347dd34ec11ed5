import CLI
package import FoundationEssentials
package import Postgres

/// What should have happened more than a minute ago, and has not.
///
/// A function that asks to be run, as the one that releases what is held, stays here as long as it fails.
package struct Overdue: Encodable, Sendable, Equatable {
  package enum What: String, Encodable, Sendable {
    /// A schedule that has not fired.
    case schedule
    /// A function that has asked to be run.
    case function
    /// Events of a function that were to be tried again.
    case retries
  }

  package let what: What
  /// Of the schedule or the function.
  package let name: String
  package let since: Date
  /// How long ago that was, in seconds.
  package let seconds: Double

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
