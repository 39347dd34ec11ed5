import FunctionKit
public import Postgres

/// What people want to hear, in PostgreSQL: answered as documents, in which `null` stands for what is not set.
public struct PreferenceStore: Sendable {
  let connection: Connection

  /// A store on a connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// Writes, and reads what is there then; `nil` where the person may do neither.
  ///
  /// Each statement has to see to it itself that it writes only what is the person's.
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
