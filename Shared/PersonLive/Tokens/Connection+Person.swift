import FoundationEssentials
public import Postgres

extension Connection {
  /// Runs a person's change in a transaction; the row events that come of it name the person as their actor.
  ///
  /// - Parameter dryRun: undoes it at the end, no matter what the body answered.
  /// - Throws: what the body throws, or ``PostgresError``.
  public nonisolated func change<Answer: Sendable>(
    by person: Person, dryRun: Bool = false, _ body: (Transaction) async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await transaction { transaction in
        _ = try await transaction.query("SELECT set_config('app.user_id', \(person.id)::text, true)")
        let answer = try await body(transaction)
        if dryRun { throw Undone(answer: answer) }
        return answer
      }
    } catch let undone as Undone<Answer> {
      return undone.answer
    }
  }
}

/// Ends a transaction that was only tried.
private struct Undone<Answer: Sendable>: Error {
  let answer: Answer
}
