import FunctionKit
import Manifest
import Postgres
import Queue

extension Server {
  /// Takes part in the queue, before anything runs.
  ///
  /// Others see by the lock of the listening session that a runner lives, so that comes first.
  ///
  /// - Throws: `FunctionError` while another runner with other functions has one of these, too.
  func join(_ store: EventStore, listening ear: Connection) async throws {
    _ = try await ear.query("SELECT pg_try_advisory_lock(7265827, \(store.holder)::int)")
    do throws(PostgresError) {
      _ = try await store.hold(project.manifest.functions.map(\.name).sorted())
    } catch {
      guard error.sqlState == EventStore.groupConflict else { throw error }
      throw FunctionError(
        .unavailable,
        """
        Another runner on this database has some of these functions and others besides: \(error.message). Divide them \
        by --only and --except, or start all runners with the same ones.
        """, cause: error)
    }
  }
}
