import CPostgres

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
