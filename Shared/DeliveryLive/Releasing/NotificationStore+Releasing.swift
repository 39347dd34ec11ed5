package import FoundationEssentials
package import FunctionKit
import Postgres
package import StoreLive

extension NotificationStore {
  /// Asks the gates again about every held notification that is due, and sends, merges, holds or ends it.
  ///
  /// Two concurrent releases may run. Each transaction locks its people first, so a concurrent release and event see each
  /// other's pushes.
  /// - Parameters:
  ///   - dryRun: whether it only says what would become of the first people's.
  ///   - log: learns if there was no second connection.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func release(at now: Date, dryRun: Bool, log: Log = Log()) async throws -> ReleaseResult {
    var run = ReleaseRun(connection, at: now)
    defer {
      if let refusal = run.refusal {
        log.warning(
          "There is no second connection: people with very many acts are released last",
          ["error.cause": "\(refusal)"])
      }
    }
    do {
      return try await dryRun ? run.rehearse() : run.release()
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }
}
