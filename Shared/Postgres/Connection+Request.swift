extension Connection {
  /// What a request leaves behind when it succeeds.
  enum Aftermath {
    case noTransaction, transaction
    /// No transaction. If a statement before the commit fails, the transaction is rolled back.
    case commit
  }

  var isInOwnTransaction: Bool { turns.holder.map { Turn.held.contains($0) } ?? false }

  /// Runs a request outside of any transaction, in its turn and in an open session.
  func perform<Answer>(
    statements: Int = 1, _ request: (Session) throws(PostgresError) -> Answer
  ) async throws(PostgresError) -> Answer {
    let turn = try await takeTurn()
    defer { turns.end(turn) }
    let session = try opened()
    session.begin(statements: statements)
    return try await carryOut(request, in: session, leaving: .noTransaction)
  }

  /// Runs a request inside the transaction that holds the turn.
  func perform<Answer>(
    statements: Int = 1, in turn: Turn, _ request: (Session) throws(PostgresError) -> Answer
  ) async throws(PostgresError) -> Answer {
    let session = try session(of: turn)
    session.begin(statements: statements)
    do throws(PostgresError) {
      return try await carryOut(request, in: session, leaving: .transaction)
    } catch {
      // A transaction that can no longer be committed has changed nothing.
      throw error.with { $0.outcomeIsUnknown = false }
    }
  }

  func takeTurn() async throws(PostgresError) -> Turn {
    guard !isInOwnTransaction else {
      throw PostgresError(.usage, "Inside a transaction, statements go through its own value.")
    }
    guard let turn = await turns.take() else { throw .cancelled }
    return turn
  }

  func session(of turn: Turn) throws(PostgresError) -> Session {
    guard turns.holder == turn, committed != turn else { throw PostgresError(.usage, "The transaction has ended.") }
    guard let session, session.isUsable else {
      throw PostgresError(.connection, "The connection was lost earlier in the transaction.")
    }
    return session
  }

  /// Runs a request on the connection's thread, without a point where another request could run.
  func carryOut<Answer>(
    _ request: (Session) throws(PostgresError) -> Answer, in session: Session, leaving aftermath: Aftermath
  ) async throws(PostgresError) -> Answer {
    if session.isCancellable, Task.isCancelled { throw .cancelled }
    let answer = await withTaskCancellationHandler {
      attempt(request, in: session)
    } onCancel: {
      signal.raise()
    }

    guard session.isUsable else {
      self.session = nil
      return try answer.get()
    }
    guard aftermath.allows(isInTransaction: session.isInTransaction, after: answer) else {
      self.session = nil
      _ = try answer.get()
      throw PostgresError(.usage, "Transactions are begun and ended by transaction(), not by statements.")
    }
    return try answer.get()
  }

  /// A method of the actor, because a closure that does not use the actor runs on a thread of the shared pool.
  private func attempt<Answer>(
    _ request: (Session) throws(PostgresError) -> Answer, in session: Session
  ) -> Result<Answer, PostgresError> {
    Result { () throws(PostgresError) in try request(session) }
  }
}

extension Connection.Aftermath {
  fileprivate func allows(isInTransaction: Bool, after answer: Result<some Any, PostgresError>) -> Bool {
    switch (self, answer) {
    case (.noTransaction, _), (.commit, .success): !isInTransaction
    case (.transaction, _): isInTransaction
    case (.commit, .failure): true
    }
  }
}

extension PostgresError {
  static let cancelled = PostgresError(.cancelled, "The task was cancelled.")

  func with(_ change: (inout PostgresError) -> Void) -> PostgresError {
    var changed = self
    change(&changed)
    return changed
  }
}
