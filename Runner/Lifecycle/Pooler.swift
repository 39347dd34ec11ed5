import Postgres

/// A pooler between the runner and PostgreSQL that hands a client another session for each transaction.
///
/// LISTEN, prepared statements and the lock by which runners see that another one lives belong to a session: behind
/// such a pooler events wait for the next look at the queue, statements fail, and runners take each other for dead.
package enum Pooler {
  /// What to do about it.
  package static let advice = """
    a pooler in transaction mode stands before PostgreSQL: DATABASE_URL must name the server itself or a pooler in \
    session mode (at Supabase: port 5432 instead of 6543)
    """

  /// Whether connections to a database share the server's sessions.
  package static func sharesSessions(of url: String) async throws -> Bool {
    let first = Connection(url: url, applicationName: "runner session check")
    let second = Connection(url: url, applicationName: "runner session check")
    let answer: Bool
    do {
      answer = try await isShared(first, second)
    } catch let error as PostgresError where error.code == .decoding || ["26000", "42P05"].contains(error.sqlState) {
      // The prepared statement is gone, or another connection's stands in its place.
      answer = true
    }
    await first.close()
    await second.close()
    return answer
  }

  private static func isShared(_ first: Connection, _ second: Connection) async throws -> Bool {
    // A pooler that takes turns gives several sessions to one who asks again.
    let own = Set([try await session(first), try await session(first), try await session(first)])
    guard own.count == 1 else { return true }
    return try await second.transaction { transaction in
      // One that takes what was used last gives the first one's session away.
      guard try await !own.contains(session(transaction)) else { return true }
      return try await !own.contains(session(first))
    }
  }

  private static func session(_ database: some SQLExecutor) async throws -> Int {
    try await database.query("SELECT pg_backend_pid() AS pid").only().decode("pid")
  }
}
