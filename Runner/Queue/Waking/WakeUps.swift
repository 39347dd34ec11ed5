import FoundationEssentials
import FunctionKit
import Postgres
import Workers

/// When notified functions asked to be run, as it stands in the database.
struct WakeUps: Sendable {
  let database: Connection

  init(database: Connection) {
    self.database = database
  }

  /// The clock's setting and every wake-up that is stored.
  func load() async throws(PostgresError) -> (clock: ClockSetting, wakeUps: [String: Date]) {
    let rows = try await database.query(
      """
      SELECT extract(epoch FROM c."offset")::float8 AS offset, w.function, w.at
      FROM runner.clock AS c LEFT JOIN runner.wakeups AS w ON true
      """)
    guard let first = rows.first else { return (ClockSetting(), [:]) }
    let setting = ClockSetting(offset: try first.decode("offset"))
    var wakeUps: [String: Date] = [:]
    for row in rows {
      if let function = row["function"] { wakeUps[function] = try row.decode("at", as: Date.self) }
    }
    return (setting, wakeUps)
  }

  /// Lets nothing wait for a time that a clock wrote which was ahead: retries wait from now, wake-ups are due.
  ///
  /// A time less than a minute ahead is left to pass. Each look corrects a part of many.
  func correct() async throws(PostgresError) {
    _ = try await database.pipeline([
      """
      UPDATE runner.retries AS r SET run_at = runner.now() + (r.run_at - r.noted_at), noted_at = runner.now()
      FROM (SELECT partition, id, noted_at FROM runner.retries ORDER BY run_at DESC LIMIT \(unescaped: "\(Self.most)")) AS l
      WHERE r.partition = l.partition AND r.id = l.id AND l.noted_at > runner.now() + interval '1 minute'
        AND r.noted_at = l.noted_at
      """,
      """
      UPDATE runner.wakeups SET at = runner.now(), noted_at = runner.now()
      WHERE noted_at > runner.now() + interval '1 minute' AND at > runner.now()
      """,
    ])
  }

  /// The retries that a look goes through, those with the latest times.
  private static let most = 10_000

  /// Stores when a function wants to be run, or that it does not.
  func store(_ function: String, _ at: Date?) async throws(PostgresError) {
    _ = try await database.query(
      at.map {
        """
        INSERT INTO runner.wakeups (function, at) VALUES (\(function), \($0))
        ON CONFLICT (function) DO UPDATE SET at = excluded.at, noted_at = excluded.noted_at
        """
      } ?? "DELETE FROM runner.wakeups WHERE function = \(function)")
  }

  /// Answers commands that wait on the channel `runner_answers`.
  func answer(_ answers: [String]) async throws(PostgresError) {
    _ = try await database.query("SELECT pg_notify('runner_answers', a) FROM unnest(\(answers)::text[]) AS a")
  }

  /// Writes down what came of a run that a function had asked for.
  func record(_ function: String, at: Date, _ outcome: WorkerOutcome) async throws(PostgresError) {
    let error = outcome.disposition == .done ? nil : outcome.message
    _ = try await database.query(
      """
      INSERT INTO runner.history (ended_at, function, kind, at, attempt, code, exit_status, duration_us, error)
      VALUES (runner.now(), \(function), 'wake-up', \(at), 0, \(outcome.code), \(outcome.exitStatus as Int?), \(outcome.microseconds),
        \(error as String?))
      """)
  }
}
