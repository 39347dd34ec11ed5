import FoundationEssentials
public import FunctionKit
public import Postgres
import StoreLive

/// Archives unread inbox entries that have ended, and deletes entries and traces that are older than 90 days.
public struct CleanupStore: Sendable {
  let connection: Connection
  let batch: Int
  let patience: Duration

  /// A store on a connection.
  /// - Parameters:
  ///   - batch: how many rows a statement changes at most; each is a transaction of its own.
  ///   - patience: no statement begins later than this after the first; the rest stays for the next time.
  public init(_ connection: Connection, batch: Int = 5_000, patience: Duration = .seconds(240)) {
    (self.connection, self.batch, self.patience) = (connection, batch, patience)
  }

  /// A store in the database that the environment names; nothing is connected before the first use.
  public static func live(_ environment: Environment, name: String) throws(FunctionError) -> CleanupStore {
    CleanupStore(try Connection(environment, name: name, statementTimeout: .seconds(30), givesWay: true))
  }

  /// Archives and deletes everything that is past its time by the database's clock, or counts it in a dry run.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` whenever another try makes sense.
  public func clean(_ context: Context) async throws(FunctionError) -> Result {
    var result = Result(dryRun: context.dryRun ? true : nil)
    let end = ContinuousClock.now + patience
    do throws(PostgresError) {
      let now = try await now()
      if context.dryRun {
        result.archived = try await connection.query(Leftover.countEnded(at: now)).only().decode("rows")
      } else {
        (result.archived, result.isComplete) = try await change(until: end) {
          Leftover.archiveEnded(limit: batch, at: now)
        }
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
      return result
    } catch {
      throw FunctionError(database: error)
    }
  }

  /// The time that rows are stamped with; a deletion is final, so no other clock is asked.
  private func now() async throws(PostgresError) -> Date {
    let hasRunner: SQL = """
      SELECT CASE WHEN EXISTS (
        SELECT FROM pg_namespace WHERE nspname = 'runner' AND has_schema_privilege(oid, 'USAGE')
      ) THEN to_regprocedure('runner.now()') IS NOT NULL ELSE false END AS has
      """
    let clock: SQL = try await connection.query(hasRunner).only().decode("has") ? "runner.now()" : "now()"
    return try await connection.query("SELECT \(clock) AS now").only().decode("now")
  }

  /// Runs a statement that changes a batch of rows, as nobody's act, until a batch is not full or the time is over.
  private func change(
    until end: ContinuousClock.Instant, _ statement: () -> SQL
  ) async throws(PostgresError) -> (rows: Int, isComplete: Bool) {
    var total = 0
    while ContinuousClock.now < end {
      let rows = try await GivingWay.repeating { () throws(PostgresError) in
        try await connection.pipeline([statement()].asOwnWrites)[1].affectedRows
      }
      total += rows
      if rows < batch { return (total, true) }
    }
    return (total, false)
  }

  /// What was archived and deleted.
  public struct Result: Codable, Sendable, Equatable {
    /// How many unread entries that have ended were archived; in a dry run, how many there are.
    public internal(set) var archived = 0
    /// How many rows of each sort; in a dry run, how many there are to delete.
    public internal(set) var deleted: [String: Int] = [:]
    /// Whether all were reached in time.
    public internal(set) var isComplete = true
    /// Only in a dry run: `true`.
    public internal(set) var dryRun: Bool?
  }
}
