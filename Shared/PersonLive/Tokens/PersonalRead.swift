import FoundationEssentials
package import Postgres

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
