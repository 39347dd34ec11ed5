extension Connection {
  /// Asks for the notifications of a channel, in this session and in every one after a loss.
  package func listen(_ channel: String) async throws(PostgresError) {
    try await perform { session throws(PostgresError) in
      guard !session.isPooled else {
        throw PostgresError(.usage, "A pooler in transaction mode keeps no session that could LISTEN.")
      }
      try session.script(SQL("listen \(identifier: channel)").text)
    }
    if !channels.contains(channel) { channels.append(channel) }
  }

  /// Waits for notifications for a limited time.
  ///
  /// Nothing else runs on this connection during that time.
  ///
  /// Returns an empty list if none came, and also, at once, after it had to open a new session. Then notifications may
  /// be lost, and the caller must look for itself. This is also so after ``PostgresError/Code/connection``.
  package func notifications(waitingUpTo duration: Duration) async throws(PostgresError) -> [Notification] {
    let turn = try await takeTurn()
    defer { turns.end(turn) }
    let known = session
    let session = try opened()
    guard session === known else { return [] }
    session.begin(waitingUpTo: duration)
    return try await carryOut(
      { session throws(PostgresError) in try session.notifications() }, in: session, leaving: .noTransaction)
  }

  /// Ends the current wait for notifications, or else the next one, from any thread.
  package nonisolated func wake() {
    signal.wake()
  }
}
