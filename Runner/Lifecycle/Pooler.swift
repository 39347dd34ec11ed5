import Postgres

/// A pooler between the runner and PostgreSQL that gives a client another session for each transaction.
///
/// Functions work behind it if their URL says `pgbouncer=true`. The runner needs sessions: LISTEN belongs to one, and so
/// does the lock that shows other runners that this one lives. Behind a pooler pushes would wait for ever, and runners would
/// think that others are dead: it serves nothing there.
package enum Pooler {
  /// Advice about it.
  package static let advice = """
    PostgreSQL is behind a pooler in transaction mode, but the runner needs sessions of its own, for LISTEN and for the \
    locks that show that it lives: RUNNER_DATABASE_URL must name the server itself or a pooler in session mode (at \
    Supabase: port 5432 instead of 6543)
    """
  /// Advice where functions connect to such a pooler and do not know it.
  package static let functionAdvice = """
    functions connect to a pooler in transaction mode: add pgbouncer=true to DATABASE_URL, so that they prepare nothing
    """

  /// Whether functions connect to such a pooler and do not know it.
  package static func surprisesFunctions(at url: String) async throws -> Bool {
    guard !Connection.expectsPooler(at: url) else { return false }
    return try await sharesSessions(of: url)
  }

  /// Whether connections to a database share the server's sessions.
  ///
  /// A connection that is lost meanwhile and made again looks the same, so it has to look so several times.
  package static func sharesSessions(of url: String) async throws -> Bool {
    for _ in 1...3 {
      guard try await seemsToShareSessions(of: url) else { return false }
    }
    return true
  }

  private static func seemsToShareSessions(of url: String) async throws -> Bool {
    let first = Connection(url: url, applicationName: "runner session check")
    let second = Connection(url: url, applicationName: "runner session check")
    let answer: Bool
    do {
      answer = try await isShared(first, second)
    } catch let error as PostgresError
      where error.code == .decoding || ["26000", "42P05", "08P01"].contains(error.sqlState)
    {
      // The prepared statement is gone, or the session has another connection's statement.
      answer = true
    }
    await first.close()
    await second.close()
    return answer
  }

  private static func isShared(_ first: Connection, _ second: Connection) async throws -> Bool {
    // A pooler that uses its sessions in turn gives one client several of them.
    let own = Set([try await session(first), try await session(first), try await session(first)])
    guard own.count == 1 else { return true }
    return try await second.transaction { transaction in
      // A pooler that uses the last session again gives the first client's session to the second.
      guard try await !own.contains(session(transaction)) else { return true }
      return try await !own.contains(session(first))
    }
  }

  private static func session(_ database: some SQLExecutor) async throws -> Int {
    try await database.query("SELECT pg_backend_pid() AS pid").only().decode("pid")
  }
}
