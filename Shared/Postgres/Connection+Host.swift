import CPostgres

extension Connection {
  /// The host that the session is connected to, as libpq names it: a directory where it is a Unix socket.
  public func host() async throws(PostgresError) -> String {
    try await perform { session throws(PostgresError) in
      PQhost(session.raw).map { String(cString: $0) } ?? ""
    }
  }
}
