package import Postgres

extension Connection {
  /// Waits for a server that starts, stops or recovers, or whose connections are all taken.
  ///
  /// Any other reason why it does not answer is thrown at once.
  ///
  /// - Parameters:
  ///   - orSilent: whether this also waits for a server that does not listen yet.
  ///   - waiting: called once when the wait begins, with the error of the first try.
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
        guard error.code == .connection, !error.isRefusal, ContinuousClock.now < deadline else { throw error }
        let state = error.refusal == .full ? .rejecting : try await serverState()
        // It may have come up between the two questions. If it was up both times, it refuses this client.
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
