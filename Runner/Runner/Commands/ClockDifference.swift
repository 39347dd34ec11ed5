import CLI
import FoundationEssentials
import Postgres

extension DoctorCommand {
  /// Whether this machine and the database agree about the time.
  func clocks(_ database: Connection) async throws(PostgresError) -> [Finding] {
    let asked = Date.now
    let time: Date = try await database.query("SELECT clock_timestamp() AS time").only().decode("time")
    return [ClockDifference(database: time, asked: asked, answered: .now).finding]
  }
}

/// How far the database's clock is from this machine's.
struct ClockDifference {
  /// The clocks agree if they differ by no more than this many seconds.
  private static let tolerance: TimeInterval = 2

  /// In seconds, without the time that the question took; positive if the database is ahead.
  let seconds: TimeInterval

  init(database: Date, asked: Date, answered: Date) {
    seconds = database < asked ? database.timeIntervalSince(asked) : max(0, database.timeIntervalSince(answered))
  }

  var finding: Finding {
    guard abs(seconds) > Self.tolerance else { return .ok("clock", "the database's and this machine's agree") }
    let size = Int(abs(seconds).rounded())
    return .warning(
      "clock",
      """
      the database's is \(size) s \(seconds > 0 ? "ahead of" : "behind") this machine's: schedules and retries go by the \
      database's, pushes by this one's; set both by NTP
      """)
  }
}
