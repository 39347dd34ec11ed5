import Capture
import FunctionKit
import Postgres

extension EventStore {
  /// Joins the other runners of the queue, before anything runs.
  ///
  /// First it takes the lock of the listening session, which shows other runners that this one lives.
  ///
  /// - Throws: `FunctionError` while another runner has some of these functions together with other ones.
  func join(_ functions: [String], listening ear: Connection) async throws {
    _ = try await ear.query("SELECT pg_try_advisory_lock(\(AdvisoryLock.life), \(holder)::int)")
    do throws(PostgresError) {
      _ = try await hold(functions)
    } catch {
      guard error.sqlState == Self.groupConflict else { throw error }
      throw FunctionError(
        .unavailable,
        """
        Another runner on this database has some of these functions and others besides: \(error.message). Divide them \
        by --only and --except, or start all runners with the same ones.
        """, cause: error)
    }
  }
}
