/// SQL text whose interpolated values become parameters.
///
/// `"select * from users where id = \(id)"` sends `select * from users where id = $1` and, apart from it, the value:
/// a value never becomes part of the text. Fragments nest (`\(condition)`) and join (`+`); parameters keep their order.
public struct SQL: Sendable, ExpressibleByStringInterpolation {
  /// The text before, between and after the parameters: always one piece more than there are parameters.
  var pieces: [String]
  var parameters: [PostgresParameter]

  /// Creates a statement from its literal text.
  public init(stringLiteral text: String) {
    self.init(unescaped: text)
  }

  /// Creates a statement from text made at run time; it must not hold anything that a stranger chose.
  public init(unescaped text: String) {
    pieces = [text]
    parameters = []
  }

  /// Creates a statement from a literal with interpolations.
  public init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.sql
  }

  /// The text as the server sees it, with `$1`, `$2` … in the places of the parameters.
  public var text: String {
    var text = pieces[0]
    for (index, piece) in pieces.dropFirst().enumerated() {
      text += "$\(index + 1)"
      text += piece
    }
    return text
  }

  /// Joins two fragments, numbering the parameters of both in order.
  public static func + (left: SQL, right: SQL) -> SQL {
    var joined = left
    joined += right
    return joined
  }

  /// Adds a fragment at the end.
  public static func += (left: inout SQL, right: SQL) {
    left.pieces[left.pieces.count - 1] += right.pieces[0]
    left.pieces += right.pieces.dropFirst()
    left.parameters += right.parameters
  }
}

extension SQL {
  /// Collects the text and the parameters of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql = SQL(unescaped: "")

    /// Creates an empty collector.
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.pieces.reserveCapacity(interpolationCount + 1)
      sql.parameters.reserveCapacity(interpolationCount)
    }

    /// Adds literal text.
    public mutating func appendLiteral(_ literal: String) {
      sql.pieces[sql.pieces.count - 1] += literal
    }

    /// Binds a value to the next parameter.
    public mutating func appendInterpolation<Value: PostgresBindable>(_ value: Value) {
      sql.parameters.append(PostgresParameter(type: Value.postgresType, value: value.postgresValue))
      sql.pieces.append("")
    }

    /// Adds a fragment with its own parameters.
    public mutating func appendInterpolation(_ fragment: SQL) {
      sql += fragment
    }

    /// Splices text as it is; it must not hold anything that a stranger chose.
    public mutating func appendInterpolation(unescaped text: String) {
      appendLiteral(text)
    }

    /// Adds a quoted identifier: a table, column, channel or schema name taken literally.
    public mutating func appendInterpolation(identifier name: String) {
      appendLiteral("\"")
      for character in name.unicodeScalars {
        appendLiteral(character == "\"" ? "\"\"" : String(character))
      }
      appendLiteral("\"")
    }
  }
}
