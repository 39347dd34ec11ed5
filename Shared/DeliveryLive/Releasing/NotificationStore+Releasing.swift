package import FoundationEssentials
import FunctionKit
import Postgres
package import StoreLive

extension NotificationStore {
  /// Asks the gates again about every held notification that is due, and sends, merges, holds or ends it.
  ///
  /// Two concurrent releases may run. Each transaction locks its people first, so a concurrent release and event see each
  /// other's pushes.
  /// - Parameter dryRun: whether it only says what would become of the first people's.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func release(at now: Date, dryRun: Bool) async throws -> ReleaseResult {
    do {
      var run = ReleaseRun(connection, at: now)
      return try await dryRun ? run.rehearse() : run.release()
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }
}
