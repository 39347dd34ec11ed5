import CPostgres

/// The rows that a statement returned.
public struct Rows: Sendable, RandomAccessCollection {
  let result: QueryResult

  init(_ result: QueryResult) {
    self.result = result
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { Int(PQntuples(result.raw)) }

  /// The row at a position.
  public subscript(position: Int) -> Row {
    precondition(indices.contains(position), "There is no such row.")
    return Row(result: result, index: Int32(position))
  }

  /// The number of rows that the statement inserted, updated, deleted or returned.
  public var affectedRows: Int {
    PQcmdTuples(result.raw).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// The names of the columns.
  public var columns: [String] {
    (0..<PQnfields(result.raw)).compactMap { PQfname(result.raw, $0).map { String(cString: $0) } }
  }

  /// The only row; any other number of rows is an error.
  public func only() throws(PostgresError) -> Row {
    guard count == 1 else { throw PostgresError(.decoding, "There are \(count) rows instead of one.") }
    return self[0]
  }

  /// One column of all rows.
  public func decode<Value: PostgresDecodable>(
    _ column: String, as type: Value.Type = Value.self
  ) throws(PostgresError) -> [Value] {
    try map { row throws(PostgresError) in try row.decode(column, as: type) }
  }
}
