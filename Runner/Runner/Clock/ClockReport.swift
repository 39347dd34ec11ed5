import FoundationEssentials
import FunctionKit
import Glibc
import Postgres

/// Prints what the runners have done since it was last asked, in the order of the domain's time.
struct ClockReport {
  /// What one attempt came to.
  struct Line: Encodable {
    var time: Date
    var function: String
    var kind: String
    var event: String?
    var attempt: Int
    var code: String
    var milliseconds: Double
    var error: String?

    var text: String {
      let attempt = attempt > 0 ? "  attempt \(attempt + 1)" : ""
      return "\(TimeText.of(time))  \(function)  \(kind)  \(code)  \(TimeText.length(milliseconds / 1_000))\(attempt)"
    }
  }

  /// Prints at most this often: reading costs more than the work of a step.
  private static let interval = Duration.milliseconds(250)

  private let database: Connection
  private let answer: Reply
  private let showsProgress: Bool
  private var since: Date
  private var printed = ContinuousClock.now

  init(_ database: Connection, answer: Reply) async throws(PostgresError) {
    self.database = database
    self.answer = answer
    showsProgress = !answer.json && isatty(STDERR_FILENO) == 1
    since = try await database.query("SELECT clock_timestamp() AS now").only().decode("now")
  }

  /// Prints what is new, unless it did so a moment ago.
  mutating func print(at now: Date, isLast: Bool = false) async throws {
    guard isLast || ContinuousClock.now - printed >= Self.interval else { return }
    let rows = try await database.query(
      """
      SELECT recorded_at, ended_at, function, kind, coalesce(event_id, lane || '.' || id) AS event, attempt, code,
        duration_us::float8 / 1000 AS milliseconds, error
      FROM runner.history WHERE recorded_at > \(since) ORDER BY ended_at, recorded_at
      """)
    clearProgress()
    for row in rows {
      since = max(since, try row.decode("recorded_at"))
      let line = Line(
        time: try row.decode("ended_at"), function: try row.decode("function"), kind: try row.decode("kind"),
        event: row["event"], attempt: try row.decode("attempt"), code: try row.decode("code"),
        milliseconds: try row.decode("milliseconds"), error: row["error"])
      try answer(line, text: line.text)
    }
    if showsProgress, !isLast { Console.write("… \(TimeText.of(now))", to: STDERR_FILENO) }
    printed = .now
  }

  private func clearProgress() {
    if showsProgress { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }
}
