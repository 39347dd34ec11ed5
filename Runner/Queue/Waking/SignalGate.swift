import Capture
import EventLoop
import FunctionKit
import Postgres
import System

/// Keeps the writers of a notified function's table from notifying while their signals come close together.
///
/// A NOTIFY makes commits wait for each other. Under load the runner holds the function's lock for a while, in which
/// nobody notifies and the function is simply run again and again; then it looks once more when everybody has committed who
/// may have found the lock taken.
@RunnerLoop
final class SignalGate {
  /// This many signals within the window are a load.
  static let load = 10
  static let window = Duration.milliseconds(50)
  /// How long the lock is held, and how often the function is run meanwhile.
  static let hold = Duration.milliseconds(500)
  static let interval = Duration.milliseconds(10)
  /// How long signals are held back for those who had not committed, and how often it looks after that.
  static let settlingLimit = Duration.seconds(1)

  private let function: String
  private let database: Connection
  private let log: Log
  private var count = 0
  private var windowStart = ContinuousClock.now
  /// Whether signals are replaced by looking, for now.
  private(set) var isHeld = false
  private var isStopped = false

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
    BackgroundTask.start("holding back the signals of \(function)") { [self] in
      do throws(PostgresError) {
        guard try await hold(run) else {
          isHeld = false
          return run()
        }
      } catch { warn(error) }
      await settle(run)
    }
  }

  /// Ends the need for signals: the lock is given back soon, and a session that has ended is no failure.
  func stop() { isStopped = true }

  /// Holds the lock for a while, in which the function is run again and again; `false` where it was not to be had.
  private func hold(_ run: @RunnerLoop () -> Void) async throws(PostgresError) -> Bool {
    let taken = try await database.query("SELECT pg_try_advisory_lock(\(AdvisoryLock.sleep), \(key)) AS taken").only()
    guard try taken.decode("taken", as: Bool.self) else { return false }
    let end = ContinuousClock.now + Self.hold
    while .now < end, !isStopped {
      run()
      try? await Task.sleep(for: Self.interval)
    }
    return true
  }

  /// Gives the lock back and runs the function once more when everybody has committed who may have found it taken.
  ///
  /// While that takes long, or the database fails, the function is run now and then. After ``Listener/look`` every
  /// function has been run anyhow.
  private func settle(_ run: @RunnerLoop () -> Void) async {
    let start = ContinuousClock.now
    var (bound, isLong): (Int64?, Bool) = (nil, false)
    while !Task.isCancelled, .now - start < Listener.look {
      do throws(PostgresError) {
        if bound == nil {
          // In two statements: a writer that found the lock taken has a lower number than one assigned after the release.
          // After a failure, too: the session may have survived it, and with it the lock.
          _ = try await database.query("SELECT pg_advisory_unlock(\(AdvisoryLock.sleep), \(key))")
          bound = try await number("pg_current_xact_id()")
        }
        if let bound, try await number("pg_snapshot_xmin(pg_current_snapshot())") >= bound { break }
      } catch { warn(error) }
      if bound != nil, !isLong, .now - start >= Self.settlingLimit { (isLong, isHeld) = (true, false) }
      if bound == nil || isLong { run() }
      try? await Task.sleep(for: bound == nil || isLong ? Self.settlingLimit : Self.interval)
    }
    if !isLong { isHeld = false }
    run()
  }

  private func warn(_ error: PostgresError) {
    guard !isStopped else { return }
    log.warning("A function's signals could not be held back", ["function": function, "error.cause": "\(error)"])
  }

  private func number(_ transaction: SQL) async throws(PostgresError) -> Int64 {
    try await database.query("SELECT \(transaction)::text::bigint AS id").only().decode("id")
  }

  /// The second half of the lock that `runner.notify_trigger()` tries: above all partitions.
  private var key: SQL { "256 + (hashtext(\(function)) & 1023)" }
}

/// Signals for notified functions that stand in a table, where the server allows prepared transactions: such a
/// transaction may not execute NOTIFY.
struct SignalStore: Sendable {
  let database: Connection

  /// The findings of one look.
  struct Found: Sendable {
    /// The server's process that answered.
    var session: Int
    /// The functions that were signalled, each once.
    var functions: [String]
  }

  /// The most that one look takes.
  ///
  /// The most signals that one look takes: those that have gathered while no runner was there are taken look by look.
  private static let most = 10_000

  /// Takes the signals of these functions out of the table.
  func take(_ functions: [String]) async throws(PostgresError) -> Found {
    let row = try await database.query(Self.deletion(of: functions)).only()
    return Found(session: try row.decode("session"), functions: try row.decode("functions"))
  }

  static func deletion(of functions: [String]) -> SQL {
    """
    WITH taken AS (
      DELETE FROM runner.signals WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM runner.signals WHERE function = ANY (\(functions)) LIMIT \(most)))
      RETURNING function
    )
    SELECT pg_backend_pid() AS session, ARRAY(SELECT DISTINCT function FROM taken ORDER BY 1) AS functions
    """
  }
}
