package import Postgres

extension Connection {
  /// Waits for a server that is starting, stopping or recovering; what else keeps it from answering is thrown at once.
  ///
  /// - Parameters:
  ///   - orSilent: whether one is waited for, too, that does not listen yet.
  ///   - waiting: called once, when it has to be waited for, with what the server or the way to it says.
  package nonisolated func waitForServer(
    until deadline: ContinuousClock.Instant, orSilent: Bool = false,
    _ waiting: (PostgresError) -> Void = { _ in }
  ) async throws {
    var (isWaiting, wasUp) = (false, false)
    while true {
      do throws(PostgresError) {
        _ = try await query("SELECT 1")
        return
      } catch {
        guard error.code == .connection, ContinuousClock.now < deadline else { throw error }
        let state = try await serverState()
        // It may have come up between the two questions. When it is up both times, it refuses this client.
        guard state == .rejecting || state == .silent && orSilent || state == .up && !wasUp else { throw error }
        wasUp = state == .up
        if !wasUp, !isWaiting {
          isWaiting = true
          waiting(error)
        }
      }
      try await Task.sleep(for: .milliseconds(250))
    }
  }
}
