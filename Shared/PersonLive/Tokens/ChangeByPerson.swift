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

/// A read of one person's rows: a statement, and the answer that its rows make.
///
/// The statement takes the person as an expression, so that it can also be part of the statement that finds the person
/// of a token: see ``TokenStore/read(_:bearing:)``.
package struct PersonalRead<Answer: Sendable>: Sendable {
  let statement: @Sendable (_ person: SQL) -> SQL
  let answer: @Sendable (Slice<Rows>) throws -> Answer

  /// - Parameters:
  ///   - statement: a query whose rows are in their final order; the person's id is an expression of type `uuid`.
  ///   - answer: makes the answer of the rows.
  init(
    _ statement: @escaping @Sendable (_ person: SQL) -> SQL,
    answer: @escaping @Sendable (Slice<Rows>) throws -> Answer
  ) {
    (self.statement, self.answer) = (statement, answer)
  }

  /// The same read with another answer.
  package func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Answer) throws -> Other
  ) -> PersonalRead<Other> {
    PersonalRead<Other>(statement) { [answer] rows in try transform(answer(rows)) }
  }
}

extension Connection {
  /// Reads for a person who is known.
  package nonisolated func read<Answer>(_ read: PersonalRead<Answer>, of person: Person) async throws -> Answer {
    try await read.answer(query(read.statement("\(person.id)"))[...])
  }
}
