extension Connection {
  /// Runs a body between `BEGIN` and `COMMIT`; an error that the body throws rolls back and is thrown on.
  ///
  /// From beginning to end the connection belongs to the body: other tasks' requests wait, and the body's own go
  /// through the value it is given.
  ///
  /// - Throws: what the body throws, or ``PostgresError``; ``PostgresError/Code/commitUnknown`` when the answer to the
  ///   commit was lost.
  public nonisolated func transaction<Answer>(
    _ isolation: Transaction.Isolation = .readCommitted, readOnly: Bool = false,
    _ body: (Transaction) async throws -> Answer
  ) async throws -> Answer {
    let turn = try await begin(isolation, readOnly: readOnly)
    let answer: Answer
    do {
      answer = try await Turn.$held.withValue(Turn.held + [turn]) {
        try await body(Transaction(connection: self, turn: turn))
      }
    } catch {
      await rollBack(turn)
      throw error
    }
    try await commit(turn)
    return answer
  }

  private func begin(_ isolation: Transaction.Isolation, readOnly: Bool) async throws(PostgresError) -> Turn {
    let turn = try await takeTurn()
    do {
      let session = try opened()
      session.begin()
      let command = "begin isolation level \(isolation.rawValue), \(readOnly ? "read only" : "read write")"
      try await carryOut(
        { session throws(PostgresError) in try session.script(command) }, in: session, leaving: .transaction)
      return turn
    } catch {
      turns.end(turn)
      throw error.with { $0.outcomeIsUnknown = false }
    }
  }

  private func commit(_ turn: Turn) async throws(PostgresError) {
    defer { turns.end(turn) }
    let session = try session(of: turn)
    let rows: Rows
    do {
      session.begin(isCancellable: false)
      rows = try await carryOut(
        { session throws(PostgresError) in try session.query("commit") }, in: session, leaving: .noTransaction)
    } catch {
      throw error.asCommit
    }
    // After a failed statement that the body has passed over, the server answers COMMIT by rolling back.
    if rows.result.tag == "ROLLBACK" {
      var error = PostgresError(.sqlState("25P02"), "A statement had failed, so the transaction was rolled back.")
      error.sqlState = "25P02"
      throw error
    }
  }

  private func rollBack(_ turn: Turn) async {
    defer { turns.end(turn) }
    guard let session = try? session(of: turn), session.isInTransaction else { return }
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
  /// The same, of a request that ends with a commit.
  var asCommit: PostgresError {
    guard outcomeIsUnknown, code == .connection || code == .timedOut else { return self }
    return with { $0.code = .commitUnknown }
  }
}
