/// SQL text whose interpolated values become parameters.
///
/// `"select * from users where id = \(id)"` sends `select * from users where id = $1` and, apart from it, the value:
/// a value never becomes part of the text. Fragments nest (`\(condition)`) and join (`+`); parameters keep their order.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
  /// The text before, between and after the parameters: always one piece more than there are parameters.
  var pieces: [String]
  var parameters: [PostgresParameter]

  /// Creates a statement from its literal text.
  package init(stringLiteral text: String) {
    self.init(unescaped: text)
  }

  /// Creates a statement from text made at run time.
  ///
  /// The text must not come from outside the program.
  package init(unescaped text: String) {
    pieces = [text]
    parameters = []
  }

  /// Creates a statement from a literal with interpolations.
  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.sql
  }

  /// The text as the server sees it, with `$1`, `$2` … in the places of the parameters.
  package var text: String {
    var text = pieces[0]
    for (index, piece) in pieces.dropFirst().enumerated() {
      text += "$\(index + 1)"
      text += piece
    }
    return text
  }

  /// Joins two fragments, numbering the parameters of both in order.
  package static func + (left: SQL, right: SQL) -> SQL {
    var joined = left
    joined += right
    return joined
  }

  /// Adds a fragment at the end.
  package static func += (left: inout SQL, right: SQL) {
    left.pieces[left.pieces.count - 1] += right.pieces[0]
    left.pieces += right.pieces.dropFirst()
    left.parameters += right.parameters
  }
}

extension SQL {
  /// Collects the text and the parameters of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    var sql = SQL(unescaped: "")

    /// Creates an empty collector.
    package init(literalCapacity: Int, interpolationCount: Int) {
      sql.pieces.reserveCapacity(interpolationCount + 1)
      sql.parameters.reserveCapacity(interpolationCount)
    }

    /// Adds literal text.
    package mutating func appendLiteral(_ literal: String) {
      sql.pieces[sql.pieces.count - 1] += literal
    }

    /// Binds a value to the next parameter.
    package mutating func appendInterpolation<Value: PostgresBindable>(_ value: Value) {
      sql.parameters.append(PostgresParameter(type: Value.postgresType, value: value.postgresValue))
      sql.pieces.append("")
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
