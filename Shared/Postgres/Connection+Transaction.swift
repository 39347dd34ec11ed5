extension Connection {
  /// Runs a body between `BEGIN` and `COMMIT`; an error that the body throws rolls back and is thrown on.
  ///
  /// From beginning to end the connection belongs to the body: other tasks' requests wait, and the body's own go
  /// through the value it is given. Parts of the body that belong to no actor run on the connection's thread, so that
  /// no request waits for two threads to wake each other: while another task carries out one of the body's requests,
  /// the body stands still.
  ///
  /// - Throws: what the body throws, or ``PostgresError``; ``PostgresError/Code/commitUnknown`` when the answer to the
  ///   commit was lost.
  package nonisolated func transaction<Answer>(
    _ isolation: Transaction.Isolation = .readCommitted, readOnly: Bool = false,
    _ body: (Transaction) async throws -> Answer
  ) async throws -> Answer {
    let turn = try await begin(isolation, readOnly: readOnly)
    let answer: Answer
    do {
      answer = try await Turn.$held.withValue(Turn.held + [turn]) {
        try await withTaskExecutorPreference(executor) {
          try await body(Transaction(connection: self, turn: turn))
        }
      }
    } catch {
      await rollBack(turn)
      throw error
    }
    try await commit(turn)
    return answer
  }

  /// Takes the turn; the server learns of the transaction with its first request.
  private func begin(_ isolation: Transaction.Isolation, readOnly: Bool) async throws(PostgresError) -> Turn {
    let turn = try await takeTurn()
    do throws(PostgresError) {
      try opened().beginTransaction(
        SQL(unescaped: "begin isolation level \(isolation.rawValue), \(readOnly ? "read only" : "read write")"))
      return turn
    } catch {
      turns.end(turn)
      throw error
    }
  }

  private func commit(_ turn: Turn) async throws(PostgresError) {
    defer { turns.end(turn) }
    guard committed != turn else { return }
    let session = try session(of: turn)
    if session.forgetBeginning() { return }
    session.begin(isCancellable: false)
    do throws(PostgresError) {
      _ = try await commit(after: [], in: session)
    } catch {
      // The server rolls back when the session ends.
      if session.isInTransaction { self.session = nil }
      throw error
    }
  }

  /// Commits the transaction that holds the turn together with its last statements.
  func commit(after statements: [SQL], in turn: Turn) async throws(PostgresError) -> [Rows] {
    let session = try session(of: turn)
    session.begin(statements: statements.count + 1)
    let rows = try await commit(after: statements, in: session)
    committed = turn
    return rows
  }

  private func commit(after statements: [SQL], in session: Session) async throws(PostgresError) -> [Rows] {
    let rows: [Rows]
    do throws(PostgresError) {
      rows = try await carryOut(
        { session throws(PostgresError) in try session.pipeline(statements + ["commit"]) }, in: session,
        leaving: .commit)
    } catch {
      throw error.asCommit
    }
    // If a statement failed and the body went on, the server answers COMMIT with a rollback.
    if rows.last?.result.tag == "ROLLBACK" {
      var error = PostgresError(.sqlState("25P02"), "A statement had failed, so the transaction was rolled back.")
      error.sqlState = "25P02"
      throw error
    }
    return rows.dropLast()
  }

  private func rollBack(_ turn: Turn) async {
    defer { turns.end(turn) }
    guard let session = try? session(of: turn), session.isInTransaction else { return }
    if session.forgetBeginning() { return }
    session.begin(isCancellable: false)
    do {
      try await carryOut(
        { session throws(PostgresError) in try session.script("rollback") }, in: session, leaving: .noTransaction)
    } catch {
      // The server rolls back when the session ends.
      self.session = nil
    }
  }
}

extension PostgresError {
  /// The same for a request that ends with a commit.
  var asCommit: PostgresError {
    guard outcomeIsUnknown, code == .connection || code == .timedOut else { return self }
    return with { $0.code = .commitUnknown }
  }
}
