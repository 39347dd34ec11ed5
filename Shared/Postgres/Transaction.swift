/// An open transaction, valid until its body returns.
package struct Transaction: SQLExecutor {
  let connection: Connection
  let turn: Turn

  /// How much a transaction sees of others, with the names of the SQL standard.
  package enum Isolation: String, Sendable {
    /// Each statement sees what was committed before it.
    case readCommitted = "read committed"
    /// All statements see what was committed before the first.
    case repeatableRead = "repeatable read"
  }

  /// Runs one statement.
  package func query(_ sql: SQL) async throws(PostgresError) -> Rows {
    try await connection.perform(in: turn) { session throws(PostgresError) in try session.query(sql) }
  }

  /// Runs statements in one round trip.
  package func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [Rows] {
    try await connection.perform(statements: statements.count, in: turn) { session throws(PostgresError) in
      try session.pipeline(statements)
    }
  }

  /// Runs statements in one round trip, and a body while the server works on them.
  ///
  /// The body runs on the connection's thread, when the statements are sent; without statements it runs alone. It should
  /// be short: the server waits for the rest of a request that is larger than the socket's buffer.
  package func pipeline<Answer: Sendable>(
    _ statements: [SQL], meanwhile body: @Sendable () -> Answer
  ) async throws(PostgresError) -> (rows: [Rows], answer: Answer) {
    guard !statements.isEmpty else { return ([], body()) }
    return try await connection.perform(statements: statements.count, in: turn) { session throws(PostgresError) in
      try session.pipeline(statements, meanwhile: body)
    }
  }

  /// Runs the last statements and commits, in one round trip; no other statement may follow in the body.
  ///
  /// - Throws: ``PostgresError``, as ``Connection/transaction(_:readOnly:_:)`` does of the commit.
  package func commit(after statements: [SQL]) async throws(PostgresError) -> [Rows] {
    try await connection.commit(after: statements, in: turn)
  }

  /// Runs the text of any number of statements; none of them may begin or end a transaction.
  package func script(_ text: String) async throws(PostgresError) {
    try await connection.perform(in: turn) { session throws(PostgresError) in try session.script(text) }
  }

  /// Runs a script that the server may refuse: nothing of it stays then, and the transaction goes on.
  ///
  /// - Returns: the refusal; `nil` if all was run.
  package func attempt(_ text: String) async throws(PostgresError) -> PostgresError? {
    try await script("SAVEPOINT attempt")
    do throws(PostgresError) { try await script(text) } catch {
      guard case .sqlState = error.code else { throw error }
      try await script("ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt")
      return error
    }
    try await script("RELEASE SAVEPOINT attempt")
    return nil
  }

  /// Inserts rows by `COPY`, each value in its text form, and returns how many the server took.
  package func copy(
    into table: SQL, columns: [String], rows: some Sequence<[String?]> & Sendable
  ) async throws(PostgresError) -> Int {
    let command = SQL.copy(into: table, columns: columns).text
    return try await connection.perform(in: turn) { session throws(PostgresError) in try session.copy(command, rows) }
  }
}
