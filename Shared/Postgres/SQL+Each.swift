extension SQL {
  /// The column with the number of the query, from 1, in the answer to ``each(_:)``.
  static let number = "query_number"
  /// The name of the parameters, which no query uses for anything else.
  private static let alias = "query_values"

  /// What queries must have in common to be one statement.
  struct Shape: Hashable {
    private let pieces: [String]
    private let types: [UInt32]

    init(_ query: SQL) { (pieces, types) = (query.pieces, query.parameters.map(\.oid)) }

    /// The texts are long and seldom differ where this is equal.
    func hash(into hasher: inout Hasher) {
      hasher.combine(types)
      hasher.combine(pieces.reduce(0) { $0 + $1.utf8.count })
    }
  }

  /// Whether it can be one of ``each(_:)``.
  var canBeOneOfEach: Bool {
    !parameters.isEmpty && parameters.allSatisfy { !$0.type.isArray || $0.value.arrayCount != nil }
  }

  /// Whether it has the same values in the places of the parameters as one of the same shape.
  func hasValues(of other: SQL) -> Bool { zip(parameters, other.parameters).allSatisfy { $0.value.isEqual($1.value) } }

  /// Two or more queries of one shape as one statement.
  ///
  /// Its rows are those of the first query, then those of the second, and so on; each row begins with the number of its
  /// query. The rows of a query keep their order. A parameter whose type the server would infer is text here.
  static func each(_ queries: [SQL]) -> SQL {
    var columns: [SQL] = []
    var names: [String] = []
    var body = SQL(unescaped: queries[0].pieces[0])
    for (index, parameter) in queries[0].parameters.enumerated() {
      let values = queries.map(\.parameters[index].value)
      if parameter.type.isArray {
        // There is no array of arrays: the arrays stand in one, and each query has its part of it.
        let (array, ends) = PostgresValue.joined(values)
        columns += ["\(([0] + ends.dropLast()).map { $0 + 1 })", "\(ends)"]
        names += ["s\(index)", "e\(index)"]
        body += "(" + SQL(PostgresParameter(type: parameter.type, value: array))
        body += SQL(unescaped: ")[\(alias).s\(index):\(alias).e\(index)]")
      } else {
        let type = PostgresType(oid: parameter.type.arrayOID, arrayOID: 0)
        columns.append(SQL(PostgresParameter(type: type, value: .array(values, of: parameter.type))))
        names.append("p\(index)")
        body += SQL(unescaped: "\(alias).p\(index)")
      }
      body += SQL(unescaped: queries[0].pieces[index + 1])
    }
    // With OFFSET, PostgreSQL runs the query once for each row of values, in their order.
    let list = columns.dropFirst().reduce(columns[0]) { $0 + ", " + $1 }
    return """
      SELECT \(unescaped: alias).\(unescaped: number), q.*
      FROM unnest(\(list)) WITH ORDINALITY
        AS \(unescaped: alias) (\(unescaped: (names + [number]).joined(separator: ", ")))
      CROSS JOIN LATERAL (SELECT * FROM (\(body)) AS q OFFSET 0) AS q
      """
  }

  private init(_ parameter: PostgresParameter) {
    (pieces, parameters) = (["", ""], [parameter])
  }
}

extension Rows {
  /// The rows of each query of ``SQL/each(_:)``.
  func divided(among count: Int) throws(PostgresError) -> [Rows] {
    var parts: [Rows] = []
    var start = 0
    for number in 1...count {
      var end = start
      while end < self.count, try self[end].decode(at: 0, as: Int.self) == number { end += 1 }
      parts.append(Rows(self, start..<end))
      start = end
    }
    guard start == self.count else { throw PostgresError(.decoding, "The rows of several queries are mixed.") }
    return parts
  }
}
