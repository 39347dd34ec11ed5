import FunctionKit
package import Postgres

/// People's preferences, in PostgreSQL.
///
/// The answers are documents with `null` for a value that is not set.
package struct PreferenceStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Writes, then reads the result; `nil` if the person may do neither.
  ///
  /// Each statement itself must write only what is the person's.
  func document(
    of person: Person, after writing: [SQL], _ reading: SQL, dryRun: Bool, _ document: (Row) throws -> RawJSON
  ) async throws -> RawJSON? {
    guard !writing.isEmpty else { return try await connection.query(reading).first.map(document) }
    return try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await transaction.pipeline(writing + [reading]).last?.first.map(document)
    }
  }
}

extension RawJSON {
  init(_ bool: Bool?) { self = bool.map { RawJSON($0 as Bool) } ?? .null }
  init(_ number: Int?) { self = number.map { RawJSON($0 as Int) } ?? .null }
  init(_ text: String?) { self = text.map { RawJSON($0 as String) } ?? .null }
}
