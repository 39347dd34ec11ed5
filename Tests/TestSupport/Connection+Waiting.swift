// A release build makes this library too, and has no test library then.
#if canImport(Testing)
  package import Postgres
  import Testing

  extension Connection {
    /// Asks the database until the answer is yes.
    package func wait(within limit: Duration = .seconds(120), until question: SQL) async throws {
      let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
      while try await !query("SELECT (\(question)) AS yes").only().decode("yes", as: Bool.self) {
        try #require(ContinuousClock.now < deadline, "The database does not come to say yes to: \(question.text)")
        try await pauses.next()
      }
    }

    /// Waits until the database has none of its other sessions left of which a condition holds.
    ///
    /// A client hears that its session ends, or is gone itself, before the server lets go of the session's locks:
    /// what passes over locked rows would still pass over those.
    package func waitForEnd(ofSessionsWhere condition: SQL = "true") async throws {
      try await wait(until: "NOT EXISTS (SELECT \(Self.others(condition)))")
    }

    /// Ends the database's other sessions of which a condition holds, and waits until they have let go of their locks.
    ///
    /// - Returns: how many they were.
    @discardableResult
    package func endSessions(where condition: SQL = "true") async throws -> Int {
      let gone = try await query("SELECT pg_terminate_backend(pid, 10000) AS gone \(Self.others(condition))")
        .decode("gone", as: Bool.self)
      try #require(gone.allSatisfy { $0 }, "A session does not end of which this holds: \(condition.text)")
      return gone.count
    }

    /// Has this connection's session report what it has read and written so far.
    ///
    /// PostgreSQL adds that to its figures at the session's end, and before that once a second or later.
    package func reportFigures() async throws { _ = try await query("SELECT pg_stat_force_next_flush()") }

    private static func others(_ condition: SQL) -> SQL {
      """
      FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND (\(condition))
      """
    }
  }
#endif
