import CPostgres
package import FoundationEssentials
import Glibc

/// The rows that a statement returned.
package struct Rows: Sendable, RandomAccessCollection {
  let result: QueryResult
  private let range: Range<Int>

  init(_ result: QueryResult) {
    (self.result, range) = (result, 0..<Int(PQntuples(result.raw)))
  }

  /// A part of a result.
  init(_ rows: Rows, _ range: Range<Int>) {
    (result, self.range) = (
      rows.result, rows.range.lowerBound + range.lowerBound..<rows.range.lowerBound + range.upperBound
    )
  }

  /// Always 0.
  package var startIndex: Int { 0 }
  /// The number of rows.
  package var endIndex: Int { range.count }

  /// The row at a position.
  package subscript(position: Int) -> Row {
    precondition(indices.contains(position), "There is no such row.")
    return Row(result: result, index: Int32(range.lowerBound + position))
  }

  /// The number of rows that the statement inserted, updated, deleted or returned.
  package var affectedRows: Int {
    PQcmdTuples(result.raw).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// The names of the columns.
  package var columns: [String] {
    (0..<PQnfields(result.raw)).compactMap { PQfname(result.raw, $0).map { String(cString: $0) } }
  }

  /// One column of all rows.
  package func decode<Value: PostgresDecodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws(PostgresError) -> [Value] {
    try map { row throws(PostgresError) in try row.decode(column, as: type) }
  }
}

extension Collection<Row> {
  /// The only row; any other number of rows is an error.
  package func only() throws(PostgresError) -> Row {
    guard count == 1, let row = first else {
      throw PostgresError(.decoding, "There are \(count) rows instead of one.")
    }
    return row
  }
}

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

/// The owner of a `PGresult`.
// libpq never changes a result after it has handed it out, and reading one from several threads is allowed
// (PostgreSQL documentation, 34.20); only `deinit` frees it.
final class QueryResult: @unchecked Sendable {
  let raw: OpaquePointer
  /// The positions of the columns by name, if there are many rows in which they are looked up.
  private let positions: [String: Int32]

  init(_ raw: OpaquePointer) {
    self.raw = raw
    guard PQntuples(raw) > 3 else {
      positions = [:]
      return
    }
    let names = (0..<PQnfields(raw)).map { ($0, PQfname(raw, $0).map { String(cString: $0) } ?? "") }
    positions = Dictionary(names.map { ($0.1, $0.0) }) { first, _ in first }
  }

  deinit {
    PQclear(raw)
  }

  /// The position of the first column with a name.
  ///
  /// It compares the names itself, because `PQfnumber` ignores the case of its argument and allocates memory.
  func position(of column: String) -> Int32? {
    if !positions.isEmpty { return positions[column] }
    return column.withCString { column in
      (0..<PQnfields(raw)).first { position in PQfname(raw, position).map { strcmp($0, column) == 0 } ?? false }
    }
  }

  var status: ExecStatusType { PQresultStatus(raw) }

  var isError: Bool { status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_NONFATAL_ERROR }

  var endsSession: Bool { Self.endsSession(raw) }

  /// Whether a result or notice has the severity after which the server closes the session.
  static func endsSession(_ raw: OpaquePointer?) -> Bool {
    PQresultErrorField(raw, shim_diag_severity).map { ["FATAL", "PANIC"].contains(String(cString: $0)) } ?? false
  }

  var message: String { PQresultErrorMessage(raw).map { String(cString: $0).oneLine } ?? "" }

  /// The command that was carried out: `COMMIT`, `INSERT 0 1`.
  var tag: String { PQcmdStatus(raw).map { String(cString: $0) } ?? "" }

  func diagnostic(_ field: Int32) -> String? {
    PQresultErrorField(raw, field).map { String(cString: $0) }
  }
}

extension String {
  /// libpq's messages end with a newline, and those about several hosts have more of them.
  var oneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
