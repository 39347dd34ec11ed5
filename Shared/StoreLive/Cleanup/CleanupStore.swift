import FoundationEssentials
public import FunctionKit
public import Postgres

/// Deletes what is not needed any more: inbox entries past their end, and traces older than 90 days.
public struct CleanupStore: Sendable {
  let connection: Connection
  let batch: Int
  let patience: Duration

  /// A store on a connection.
  /// - Parameters:
  ///   - batch: how many rows a statement deletes at most; each is a transaction of its own.
  ///   - patience: no statement begins later than this after the first; the rest stays for the next time.
  public init(_ connection: Connection, batch: Int = 5_000, patience: Duration = .seconds(240)) {
    (self.connection, self.batch, self.patience) = (connection, batch, patience)
  }

  /// A store in the database that the environment names; nothing is connected before the first use.
  public static func live(_ environment: Environment, name: String) throws(FunctionError) -> CleanupStore {
    CleanupStore(try Connection(environment, name: name, statementTimeout: .seconds(30)))
  }

  /// Deletes everything, or counts it in a dry run.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` whenever another try makes sense.
  public func clean(_ context: Context) async throws(FunctionError) -> Result {
    var result = Result(dryRun: context.dryRun ? true : nil)
    let end = ContinuousClock.now + patience
    do throws(PostgresError) {
      for leftover in Leftover.allCases {
        if context.dryRun {
          result.deleted[leftover.rawValue] =
            try await connection.query(leftover.count(at: context.now)).only().decode("rows")
        } else {
          let (rows, isComplete) = try await delete(leftover, at: context.now, until: end)
          result.deleted[leftover.rawValue] = rows
          result.isComplete = result.isComplete && isComplete
        }
      }
      return result
    } catch {
      throw FunctionError(error)
    }
  }

  private func delete(
    _ leftover: Leftover, at now: Date, until end: ContinuousClock.Instant
  ) async throws(PostgresError) -> (rows: Int, isComplete: Bool) {
    var total = 0
    while ContinuousClock.now < end {
      let rows = try await connection.query(leftover.delete(limit: batch, at: now)).affectedRows
      total += rows
      if rows < batch { return (total, true) }
    }
    return (total, false)
  }

  /// What was deleted.
  public struct Result: Codable, Sendable, Equatable {
    /// How many rows of each sort; in a dry run, how many there are to delete.
    public internal(set) var deleted: [String: Int] = [:]
    /// Whether all were reached in time.
    public internal(set) var isComplete = true
    /// Only in a dry run: `true`.
    public internal(set) var dryRun: Bool?
  }
}
