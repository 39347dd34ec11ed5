import EventLoop
import FunctionKit
import Postgres

/// Keeps the writers of a notified function's table from ringing while their signals come close together.
///
/// A NOTIFY makes commits wait for each other. Under load the runner holds the function's lock for a while, in which
/// nobody rings and the function is simply run again and again; then it looks once more when everybody has committed who
/// may have found the lock taken.
@RunnerLoop
final class SignalBell {
  /// So many signals within the window are a load.
  static let load = 10
  static let window = Duration.milliseconds(50)
  /// How long the lock is held, and how often the function is run meanwhile.
  static let hold = Duration.milliseconds(500)
  static let interval = Duration.milliseconds(10)
  /// So long is waited for those who had not committed.
  static let settlingLimit = Duration.seconds(1)

  private let function: String
  private let database: Connection
  private let log: Log
  private var count = 0
  private var windowStart = ContinuousClock.now
  /// Whether signals are replaced by looking, for now.
  private(set) var isHeld = false

  init(_ function: String, database: Connection, log: Log) {
    (self.function, self.database, self.log) = (function, database, log)
  }

  /// Takes note of a signal.
  ///
  /// - Parameter run: runs the function; called again and again while the lock is held, and once afterwards.
  func heard(_ run: @escaping @RunnerLoop () -> Void) {
    if .now - windowStart > Self.window { (count, windowStart) = (0, .now) }
    count += 1
    guard count >= Self.load, !isHeld else { return }
    isHeld = true
    Task { [self] in
      do { try await replaceSignals(run) } catch {
        log.warning("A function's signals could not be held back", ["function": function, "error.cause": "\(error)"])
        // The session may have survived its failure, and with it the lock.
        _ = try? await database.query("SELECT pg_advisory_unlock(7265826, \(key))")
      }
      isHeld = false
      run()
    }
  }

  private func replaceSignals(_ run: @RunnerLoop () -> Void) async throws(PostgresError) {
    let taken = try await database.query("SELECT pg_try_advisory_lock(7265826, \(key)) AS taken").only()
    guard try taken.decode("taken", as: Bool.self) else { return }
    let end = ContinuousClock.now + Self.hold
    while .now < end, !Task.isCancelled {
      run()
      try? await Task.sleep(for: Self.interval)
    }
    // In two statements: the snapshot has to be younger than the release.
    _ = try await database.query("SELECT pg_advisory_unlock(7265826, \(key))")
    let latest: Int64 = try await horizon("xmax")
    let limit = ContinuousClock.now + Self.settlingLimit
    while try await horizon("xmin") < latest, .now < limit { try? await Task.sleep(for: Self.interval) }
  }

  private func horizon(_ side: String) async throws(PostgresError) -> Int64 {
    try await database.query(
      "SELECT pg_snapshot_\(unescaped: side)(pg_current_snapshot())::text::bigint AS id"
    ).only().decode("id")
  }

  /// The second half of the lock that `runner.notify_trigger()` tries.
  private var key: SQL { "16 + (hashtext(\(function)) & 1023)" }
}
