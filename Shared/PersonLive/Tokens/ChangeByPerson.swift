import FoundationEssentials
package import Postgres

extension Connection {
  /// Runs a person's change in a transaction; its row events name the person as their actor.
  ///
  /// - Parameter dryRun: rolls the transaction back at the end, whatever the body returns.
  /// - Throws: what the body throws, or ``PostgresError``.
  package nonisolated func change<Answer: Sendable>(
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

/// Rolls back the transaction of a dry run.
private struct Undone<Answer: Sendable>: Error {
  let answer: Answer
}

extension SQL {
  /// Whether a row of `users` has an address; the case of ASCII letters does not matter, and everything else is compared
  /// exactly.
  static func hasAddress(_ user: SQL, _ address: SQL) -> SQL {
    "lower(\(user).email COLLATE \"C\") = lower(\(address) COLLATE \"C\")"
  }
}
