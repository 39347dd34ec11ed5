import Glibc

/// SQL text whose interpolated values become parameters.
///
/// `"select * from users where id = \(id)"` sends `select * from users where id = $1` and, apart from it, the value:
/// a value never becomes part of the text. Fragments nest (`\(condition)`) and join (`+`); parameters keep their order.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
  /// The text without its parameters.
  ///
  /// Statements are made for each event, of fragments that nest: one text is joined sooner than a list of parts.
  private(set) var literals: String
  /// Where each parameter stands in it, in bytes of UTF-8 from its start.
  private var places: [Int]
  private(set) var parameters: [PostgresParameter]

  /// Creates a statement from its literal text.
  package init(stringLiteral text: String) {
    self.init(unescaped: text)
  }

  /// Creates a statement from text made at run time.
  ///
  /// The text must not come from outside the program.
  package init(unescaped text: String) {
    (literals, places, parameters) = (text, [], [])
  }

  /// Creates a statement from a literal with interpolations.
  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.sql
  }

  /// The text as the server sees it, with `$1`, `$2` … in the places of the parameters.
  package var text: String {
    let pieces = pieces
    var text = String(pieces[0])
    for (index, piece) in pieces.dropFirst().enumerated() {
      text += "$\(index + 1)"
      text.append(contentsOf: piece)
    }
    return text
  }

  /// The text before, between and after the parameters: always one piece more than there are parameters.
  private var pieces: [Substring] {
    let bytes = literals.utf8
    let edges = [bytes.startIndex] + places.map { bytes.index(bytes.startIndex, offsetBy: $0) } + [bytes.endIndex]
    return zip(edges, edges.dropFirst()).map { literals[$0..<$1] }
  }

  /// Joins two fragments, numbering the parameters of both in order.
  package static func + (left: SQL, right: SQL) -> SQL {
    var joined = left
    joined += right
    return joined
  }

  /// Adds a fragment at the end.
  package static func += (left: inout SQL, right: SQL) {
    let start = left.literals.utf8.count
    left.literals += right.literals
    for place in right.places { left.places.append(start + place) }
    left.parameters += right.parameters
  }

  /// Rows of values, as a table: the name of each column stands beside its values, one for each row.
  ///
  /// - Parameter number: the name of a last column, which counts the rows from 1.
  package static func rows(
    _ alias: String, _ columns: KeyValuePairs<String, SQL>, numbered number: String? = nil
  ) -> SQL {
    let numbers: SQL = number == nil ? "" : " WITH ORDINALITY"
    let names = names(columns) + (number.map { [SQL(unescaped: $0)] } ?? [])
    return "unnest(\(list(columns.map(\.value))))\(numbers) AS \(unescaped: alias) (\(list(names)))"
  }

  /// The beginning of an insert: the name of each column stands beside what is selected for it.
  ///
  /// The query's FROM follows it.
  package static func insert(into table: String, _ columns: KeyValuePairs<String, SQL>) -> SQL {
    "INSERT INTO \(unescaped: table) (\(list(names(columns)))) SELECT \(list(columns.map(\.value)))"
  }

  /// Inserts rows of values, with what is the same for all.
  package static func insert(
    into table: String, each columns: KeyValuePairs<String, SQL>, all constants: KeyValuePairs<String, SQL>
  ) -> SQL {
    """
    INSERT INTO \(unescaped: table) (\(list(names(columns) + names(constants))))
    SELECT \(list(names(columns) + constants.map(\.value))) FROM \(rows("i", columns))
    """
  }

  private static func names(_ columns: KeyValuePairs<String, SQL>) -> [SQL] {
    columns.map { SQL(unescaped: $0.key) }
  }

  private static func list(_ parts: [SQL]) -> SQL {
    var list = parts.first ?? ""
    for part in parts.dropFirst() {
      list += ", "
      list += part
    }
    return list
  }

  /// The column with the number of the query, from 1, in the answer to ``each(_:)``.
  static let number = "query_number"
  /// The name of the parameters, which no query uses for anything else.
  private static let alias = "query_values"

  /// The texts and types that statements have in common to be prepared once, and queries to be one statement.
  struct Shape: Hashable {
    private let literals: String
    private let places: [Int]
    /// The types to declare.
    let types: [UInt32]

    init(_ sql: SQL) { (literals, places, types) = (sql.literals, sql.places, sql.parameters.map(\.oid)) }

    /// Compares the texts byte by byte: names that Swift takes for equal (é in one piece or in two) are two to the server.
    static func == (left: Self, right: Self) -> Bool {
      left.types == right.types && left.places == right.places && left.literals.hasSameBytes(as: right.literals)
    }

    /// Texts of one length and one number of parameters seldom differ in anything but the last place.
    func hash(into hasher: inout Hasher) {
      hasher.combine(literals.utf8.count)
      hasher.combine(places.count)
      hasher.combine(places.last)
    }
  }

  /// Whether it can be one of ``each(_:)``.
  var canBeOneOfEach: Bool {
    !parameters.isEmpty && parameters.allSatisfy { !$0.type.isArray || $0.value.arrayCount != nil }
  }

  /// The values of a query's parameters, byte by byte: by them it is told from others of its shape.
  struct Values: Hashable {
    private var bytes: [UInt8] = []

    init(_ query: SQL) {
      for parameter in query.parameters {
        switch parameter.value {
        case .null: bytes.append(0)
        case .text(let text): add(text.utf8, as: 1)
        case .binary(let binary): add(binary, as: 2)
        case .invalid: bytes.append(3)
        }
      }
    }

    private mutating func add(_ value: some Collection<UInt8>, as form: UInt8) {
      bytes.append(form)
      bytes.append(bigEndian: Int32(truncatingIfNeeded: value.count))
      bytes.append(contentsOf: value)
    }

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }

  /// Two or more queries of one shape as one statement.
  ///
  /// Its rows are those of the first query, then those of the second, and so on; each row begins with the number of its
  /// query. The rows of a query keep their order. A parameter whose type the server would infer is text here.
  static func each(_ queries: [SQL]) -> SQL {
    var columns: [SQL] = []
    var names: [String] = []
    let pieces = queries[0].pieces.map { SQL(unescaped: String($0)) }
    var body = pieces[0]
    for (index, parameter) in queries[0].parameters.enumerated() {
      // A key path with an index is made and followed at run time, for each value.
      let values = queries.map { $0.parameters[index].value }
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
      body += pieces[index + 1]
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
    (literals, places, parameters) = ("", [0], [parameter])
  }
}

extension SQL {
  /// Collects the text and the parameters of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    var sql = SQL(unescaped: "")

    /// Creates an empty collector.
    package init(literalCapacity: Int, interpolationCount: Int) {
      sql.literals.reserveCapacity(literalCapacity)
      sql.places.reserveCapacity(interpolationCount)
      sql.parameters.reserveCapacity(interpolationCount)
    }

    /// Adds literal text.
    package mutating func appendLiteral(_ literal: String) {
      sql.literals += literal
    }

    /// Binds a value to the next parameter.
    package mutating func appendInterpolation<Value: PostgresBindable>(_ value: Value) {
      sql.places.append(sql.literals.utf8.count)
      sql.parameters.append(PostgresParameter(type: Value.postgresType, value: value.postgresValue))
    }

    /// Adds a fragment with its own parameters.
    package mutating func appendInterpolation(_ fragment: SQL) {
      sql += fragment
    }

    /// Adds text as it is.
    ///
    /// The text must not come from outside the program.
    package mutating func appendInterpolation(unescaped text: String) {
      appendLiteral(text)
    }

    /// Adds a quoted identifier: a table, column, channel or schema name taken literally.
    package mutating func appendInterpolation(identifier name: String) {
      appendLiteral("\"")
      for character in name.unicodeScalars {
        appendLiteral(character == "\"" ? "\"\"" : String(character))
      }
      appendLiteral("\"")
    }
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

extension String {
  /// `==` also takes letters for equal that differ in their bytes.
  fileprivate func hasSameBytes(as other: String) -> Bool {
    let answer = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { theirs in
        guard mine.count == theirs.count, let first = mine.baseAddress, let second = theirs.baseAddress else {
          return mine.count == theirs.count
        }
        return memcmp(first, second, mine.count) == 0
      }
    }
    return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
