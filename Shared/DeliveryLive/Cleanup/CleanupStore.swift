import FoundationEssentials
package import FunctionKit
package import Postgres
import StoreLive

/// Ends pushes that have expired in the queue, archives unread inbox entries that have ended, and deletes entries and
/// traces that are older than 90 days.
package struct CleanupStore: Sendable {
  let connection: Connection
  let batch: Int
  let timeLimit: Duration

  /// - Parameters:
  ///   - batch: the most rows that a statement changes; each statement is its own transaction.
  ///   - timeLimit: no statement begins later than this after the first; the rest stays for the next run.
  package init(_ connection: Connection, batch: Int = 5_000, timeLimit: Duration = .seconds(240)) {
    (self.connection, self.batch, self.timeLimit) = (connection, batch, timeLimit)
  }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> CleanupStore {
    CleanupStore(try Connection(environment, name: name, statementTimeout: .seconds(30), givesWay: true))
  }

  /// Ends, archives and deletes everything that has expired by the database's clock, or counts it in a dry run.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func clean(_ context: Context) async throws(FunctionError) -> Result {
    var result = Result(dryRun: context.dryRun ? true : nil)
    let end = ContinuousClock.now + timeLimit
    do throws(PostgresError) {
      let now = try await now()
      if context.dryRun {
        result.expiredPushes = try await connection.query(Leftover.countLapsed(at: now)).only().decode("rows")
        result.archived = try await connection.query(Leftover.countEnded(at: now)).only().decode("rows")
      } else {
        // What waits for its push stays. Other work has most of the time, however many have expired.
        let hasNotes: Bool = try await connection.query(.mayReadProviders).only().decode("may")
        (result.expiredPushes, result.isComplete) = try await change(until: end - timeLimit * 0.75) {
          Leftover.endPushes(limit: batch, hasNotes: hasNotes, at: now)
        }
        let (rows, isComplete) = try await change(until: end) { Leftover.archiveEnded(limit: batch, at: now) }
        result.archived = rows
        result.isComplete = result.isComplete && isComplete
      }
      for leftover in Leftover.allCases {
        if context.dryRun {
          result.deleted[leftover.rawValue] =
            try await connection.query(leftover.count(at: now)).only().decode("rows")
        } else {
          let (rows, isComplete) = try await change(until: end) { leftover.delete(limit: batch, at: now) }
          result.deleted[leftover.rawValue] = rows
          result.isComplete = result.isComplete && isComplete
        }
      }
      // The log's days are last: a long read of the log stops nothing else.
      result.deleted["logDays"] = try await dropLogDays(at: now, until: end, context)
      if !context.dryRun, .now < end {
        _ = try await GivingWay.repeating { () throws(PostgresError) in
          try await connection.query(Leftover.makeLogDays(at: now))
        }
      }
      return result
    } catch {
      throw FunctionError(database: error)
    }
  }

  /// Drops whole days of the log of attempts; counts them in a dry run.
  private func dropLogDays(
    at now: Date, until end: ContinuousClock.Instant, _ context: Context
  ) async throws(PostgresError) -> Int {
    if context.dryRun { return try await connection.query(Leftover.countLogDays(at: now)).only().decode("days") }
    guard .now < end else { return 0 }
    return try await GivingWay.repeating { () throws(PostgresError) in
      try await connection.query(Leftover.dropLogDays(at: now)).only().decode("days")
    }
  }

  /// The database's time, which rows are stamped with; a deletion is final, so no other clock counts.
  private func now() async throws(PostgresError) -> Date {
    let hasRunner: SQL = """
      SELECT CASE WHEN EXISTS (
        SELECT FROM pg_namespace WHERE nspname = 'runner' AND has_schema_privilege(oid, 'USAGE')
      ) THEN to_regprocedure('runner.now()') IS NOT NULL ELSE false END AS has
      """
    let clock: SQL = try await connection.query(hasRunner).only().decode("has") ? "runner.now()" : "now()"
    return try await connection.query("SELECT \(clock) AS now").only().decode("now")
  }

  /// Repeats a statement that changes a batch of rows, as our own write, until a batch is not full or the time is over.
  private func change(
    until end: ContinuousClock.Instant, _ statement: () -> SQL
  ) async throws(PostgresError) -> (rows: Int, isComplete: Bool) {
    var total = 0
    while ContinuousClock.now < end {
      let rows = try await GivingWay.repeating { () throws(PostgresError) in
        let answer = try await connection.pipeline([statement()].asOwnWrites)[1]
        return try answer.first?.decode("rows") ?? answer.affectedRows
      }
      total += rows
      if rows < batch { return (total, true) }
    }
    return (total, false)
  }

  /// The numbers of rows that were ended, archived and deleted.
  package struct Result: Codable, Sendable, Equatable {
    /// How many pushes expired in the queue, which no sender has ended; in a dry run, how many there are.
    package internal(set) var expiredPushes = 0
    /// How many ended unread entries were archived; in a dry run, how many there are to archive.
    package internal(set) var archived = 0
    /// How many rows of each sort were deleted; in a dry run, how many there are to delete.
    ///
    /// `logDays` counts days of the log of attempts that were dropped whole, and `logs` single rows of it.
    package internal(set) var deleted: [String: Int] = [:]
    /// Whether the time was enough for all rows.
    package internal(set) var isComplete = true
    /// `true` in a dry run, else `nil`.
    package internal(set) var dryRun: Bool?
  }
}
