import Capture
import FunctionKit
package import Postgres
import System

/// Hears the database's signals, and holds the lock by which other runners see that this one lives.
@RunnerLoop
final class Listener {
  /// After so much silence the connection is tried.
  static let silence = Duration.seconds(5)
  /// Everything is looked at this often although nothing was heard: where writers notify, and where they do not and a
  /// runner may have ended with the signals that it took.
  ///
  /// Where writers notify, this finds only what a fault has hidden. Each look runs every notified function, and each
  /// of those opens a session of the database, which costs more than everything else while nothing happens.
  static let (look, silentLook) = (Duration.seconds(60), Duration.seconds(5))

  private let database: Connection
  private let holder: Int
  private let log: Log

  /// - Parameter holder: this runner's number; its lock is gone with the session, and with it the claim to the partitions.
  init(database: Connection, holder: Int, log: Log) {
    self.database = database
    self.holder = holder
    self.log = log
  }

  /// Listens until the task is cancelled.
  ///
  /// - Parameters:
  ///   - all: called when signals may have been missed: at the start, after every loss of the connection, and now and then.
  ///   - events: there may be events.
  ///   - notified: the functions that are told when there may be work for them.
  ///   - function: there may be work for that function.
  ///   - control: a command wants something, see `ControlWord`.
  func run(
    all: @RunnerLoop () -> Void, events: @RunnerLoop () -> Void, notified: @RunnerLoop () -> [String],
    function: @RunnerLoop (String) -> Void, control: @RunnerLoop (ControlWord) -> Void
  ) async {
    var isHeard = false
    var session: Int?
    var lookAgain = ContinuousClock.now
    while !Task.isCancelled {
      do {
        if !isHeard {
          try await database.listen("runner_events")
          try await database.listen("runner_notify")
          try await database.listen("runner_control")
        }
        // Taken again after every loss; within one session it only counts up, and shows that the connection lives.
        let row = try await database.query(
          """
          SELECT pg_backend_pid() AS pid, runner.notifies() AS is_notified, pg_try_advisory_lock(\(AdvisoryLock.life), \(holder)::int)
          """
        ).only()
        isHeard = true
        let (answering, isNotified): (Int, Bool) = (try row.decode("pid"), try row.decode("is_notified"))
        if session != answering || .now >= lookAgain {
          (session, lookAgain) = (answering, .now + (isNotified ? Self.look : Self.silentLook))
          all()
        }
        try await listen(
          isNotified ? nil : answering, events: events, notified: notified, function: function, control: control)
      } catch {
        guard !Task.isCancelled else { return }
        if isHeard { log.warning("The database's signals are lost", ["error.cause": "\(error)"]) }
        isHeard = false
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  /// - Parameter polled: the server's process, where writers do not notify and signals stand in a table.
  private func listen(
    _ polled: Int?, events: @RunnerLoop () -> Void, notified: @RunnerLoop () -> [String],
    function: @RunnerLoop (String) -> Void, control: @RunnerLoop (ControlWord) -> Void
  ) async throws(PostgresError) {
    let end = ContinuousClock.now + Self.silence
    while !Task.isCancelled {
      let heard = try await database.notifications(waitingUpTo: polled == nil ? Self.silence : NotifyGate.silentPoll)
      if let polled {
        let found = try await SignalStore(database: database).take(notified())
        found.functions.forEach(function)
        guard found.session == polled, .now < end || !heard.isEmpty else { return }
      } else if heard.isEmpty {
        // Nothing in so long, or a new session.
        return
      }
      for notification in heard {
        switch notification.channel {
        case "runner_events": events()
        case "runner_notify": function(notification.payload)
        default: if let word = ControlWord(notification.payload) { control(word) }
        }
      }
    }
  }
}

/// The runners that hear what is said on a database's channels, as any command sees them.
package enum ListeningRunners {
  /// A row with their numbers: each holds a lock of the session that listens.
  package static let holders: SQL = """
    SELECT ARRAY(SELECT l.objid::int FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.classid = \(AdvisoryLock.life) AND l.objsubid = 2 AND l.granted
        AND d.datname = current_database()) AS holders
    """

  package static func isAny(on database: Connection) async throws(PostgresError) -> Bool {
    try await !database.query(holders).only().decode("holders", as: [Int].self).isEmpty
  }
}
