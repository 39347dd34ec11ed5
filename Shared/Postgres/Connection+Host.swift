extension Connection {
  /// The host of the session, as libpq names it: a directory for a Unix socket.
  package func host() async throws(PostgresError) -> String {
    try await perform { session throws(PostgresError) in session.host }
  }
}
