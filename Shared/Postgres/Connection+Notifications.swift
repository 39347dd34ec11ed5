extension Connection {
  /// Asks for the notifications of a channel, in this session and in every one after a loss.
  public func listen(_ channel: String) async throws(PostgresError) {
    try await perform { session throws(PostgresError) in
      try session.script(SQL("listen \(identifier: channel)").text)
    }
    if !channels.contains(channel) { channels.append(channel) }
  }

  /// Waits for notifications for a limited time; meanwhile nothing else runs on this connection.
  ///
  /// Empty when none came, and at once when it had to open a new session: what was said in between is lost, and the
  /// caller has to look for itself. The same holds after ``PostgresError/Code/connection``.
  public func notifications(waitingUpTo duration: Duration) async throws(PostgresError) -> [Notification] {
    let turn = try await takeTurn()
    defer { turns.end(turn) }
    let known = session
    let session = try opened()
    guard session === known else { return [] }
    session.limit = Limit(after: duration)
    return try await carryOut(
      { session throws(PostgresError) in try session.notifications() }, in: session, leaving: .noTransaction)
  }

  /// Ends the current wait for notifications, or else the next one, from any thread.
  public nonisolated func wake() {
    signal.wake()
  }
}
