/// Runs statements.
package protocol QueryExecutor: Sendable {
  /// Runs one statement.
  func query(_ sql: SQL) async throws(PostgresError) -> Rows
  /// Runs statements in one round trip. The first failure undoes them all.
  func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [Rows]
}

/// Runs statements, scripts and copies: a connection runs each by itself, a transaction runs them together.
package protocol SQLExecutor: QueryExecutor {
  /// Runs the text of any number of statements without parameters.
  func script(_ text: String) async throws(PostgresError)
  /// Inserts rows by `COPY`.
  func copy(
    into table: SQL, columns: [String], rows: some Sequence<[String?]> & Sendable
  ) async throws(PostgresError) -> Int
}

extension Connection: SQLExecutor {
  /// Runs one statement, prepared once in a session for each text, and returns its rows.
  ///
  /// - Throws: ``PostgresError``. After a loss, `outcomeIsUnknown` says whether the statement may have been carried
  ///   out.
  package func query(_ sql: SQL) async throws(PostgresError) -> Rows {
    try await perform { session throws(PostgresError) in
      try session.withFreshPlans { () throws(PostgresError) in try session.query(sql) }
    }
  }

  /// Runs statements in one round trip and one transaction: all take effect or none.
  ///
  /// - Throws: ``PostgresError`` with the `statementIndex` of the first failure;
  ///   ``PostgresError/Code/commitUnknown`` when the answer was lost.
  package func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [Rows] {
    try await pipeline(statements, in: nil).rows
  }

  /// Runs statements as ``pipeline(_:)`` does, and returns the number of their session: 1 for the first, 2 for the
  /// next.
  ///
  /// - Parameter session: the only session in which they may run; `nil` for any.
  /// - Throws: also ``PostgresError/Code/otherSession``, before anything is sent.
  package func pipeline(
    _ statements: [SQL], in session: Int?
  ) async throws(PostgresError) -> (rows: [Rows], session: Int) {
    do throws(PostgresError) {
      return try await perform(statements: statements.count) { current throws(PostgresError) in
        guard session == nil || session == current.number else {
          throw PostgresError(.otherSession, "The session was lost, and another one has been opened.")
        }
        let rows = try current.withFreshPlans { () throws(PostgresError) in try current.pipeline(statements) }
        return (rows, current.number)
      }
    } catch {
      throw error.asCommit
    }
  }

  /// Runs the text of any number of statements, which are one transaction unless they hold `BEGIN` and `COMMIT`.
  ///
  /// - Throws: ``PostgresError`` with the `statementIndex` and, for errors of syntax and names, the `line`.
  package func script(_ text: String) async throws(PostgresError) {
    try await perform { session throws(PostgresError) in try session.script(text) }
  }

  /// Inserts rows by `COPY`, each value in its text form, and returns how many the server took.
  package func copy(
    into table: SQL, columns: [String], rows: some Sequence<[String?]> & Sendable
  ) async throws(PostgresError) -> Int {
    let command = SQL.copy(into: table, columns: columns).text
    return try await perform { session throws(PostgresError) in try session.copy(command, rows) }
  }
}

extension SQL {
  static func copy(into table: SQL, columns: [String]) -> SQL {
    var command: SQL = "copy \(table) ("
    for (index, column) in columns.enumerated() {
      if index > 0 { command += ", " }
      command += "\(identifier: column)"
    }
    return command + ") from stdin"
  }
}

extension Session {
  /// Repeats a request that failed without effect, because its plan was older than a change of its tables.
  ///
  /// Inside a transaction this does not help: the failure has ended the transaction.
  fileprivate func withFreshPlans<Answer>(
    _ request: () throws(PostgresError) -> Answer
  ) throws(PostgresError) -> Answer {
    do throws(PostgresError) {
      return try request()
    } catch {
      guard error.isStalePlan else { throw error }
      return try request()
    }
  }
}

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
