import CPostgres
package import FoundationEssentials

/// One row of a result, which it keeps in memory.
package struct Row: Sendable {
  let result: QueryResult
  let index: Int32

  /// The text of a column; nil for NULL and for a column that is not there.
  package subscript(column: String) -> String? {
    guard let position = result.position(of: column) else { return nil }
    return bytes(at: position).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a column; NULL is an error unless the type is an optional.
  package func decode<Value: PostgresDecodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value {
    guard let position = result.position(of: column) else {
      throw PostgresError(.decoding, "There is no column \(column).")
    }
    guard let bytes = bytes(at: position) else {
      guard let null = Value.postgresNull else { throw PostgresError(.decoding, "Column \(column) is NULL.") }
      return null
    }
    guard let value = withExtendedLifetime(result, { Value(postgresText: bytes.span) }) else {
      throw PostgresError(.decoding, "Column \(column) does not hold a value of type \(Value.self).")
    }
    return value
  }

  /// Reads a column that may be NULL, which is nil.
  package func optional<Value: PostgresDecodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value? {
    try decode(column, as: Value?.self)
  }

  /// Lends the UTF-8 text of a column without a copy; nil for NULL and for a column that is not there.
  package func withUTF8<Answer>(of column: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows
    -> Answer?
  {
    guard let position = result.position(of: column), let bytes = bytes(at: position) else { return nil }
    return try withExtendedLifetime(result) { try body(bytes) }
  }

  /// Reads a column by its position.
  ///
  /// This is for many rows, because a name is searched each time.
  package func decode<Value: PostgresDecodable>(
    at position: Int, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value {
    guard let bytes = bytes(at: Int32(position)) else {
      guard let null = Value.postgresNull else { throw PostgresError(.decoding, "Column \(position) is NULL.") }
      return null
    }
    guard let value = withExtendedLifetime(result, { Value(postgresText: bytes.span) }) else {
      throw PostgresError(.decoding, "Column \(position) does not hold a value of type \(Value.self).")
    }
    return value
  }

  /// Reads the text of a column by its position; nil for NULL.
  package func text(at position: Int) -> String? {
    bytes(at: Int32(position)).map { String(decoding: $0, as: UTF8.self) }
  }

  // A generic function is slow when another module calls it, so the usual types have functions of their own.
  package func decode(at position: Int) throws(PostgresError) -> String { try decode(at: position, as: String.self) }
  package func decode(at position: Int) throws(PostgresError) -> Bool { try decode(at: position, as: Bool.self) }
  package func decode(at position: Int) throws(PostgresError) -> Date { try decode(at: position, as: Date.self) }
  package func decode(at position: Int) throws(PostgresError) -> Date? { try decode(at: position, as: Date?.self) }

  /// Lends the UTF-8 text of a column by its position; nil for NULL.
  package func withUTF8<Answer>(at position: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows
    -> Answer?
  {
    guard let bytes = bytes(at: Int32(position)) else { return nil }
    return try withExtendedLifetime(result) { try body(bytes) }
  }

  /// The bytes belong to the result and live as long as it does.
  private func bytes(at position: Int32) -> UnsafeBufferPointer<UInt8>? {
    guard PQgetisnull(result.raw, index, position) == 0, let value = PQgetvalue(result.raw, index, position) else {
      return nil
    }
    let count = Int(PQgetlength(result.raw, index, position))
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self), count: count)
  }
}
