import System

/// A table's name, with its schema.
package struct TableName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var schema: String
  package var table: String

  package init(schema: String, table: String) { (self.schema, self.table) = (schema, table) }

  /// Reads a name as `functions.json` has it: `votes`, `app.votes`, or with quotes as in SQL, `"my.app"."my.votes"`.
  ///
  /// A name without quotes keeps its capital letters. Without a schema it is one of `public`.
  package init?(_ text: String) {
    var rest = text.unicodeScalars[...]
    var parts: [String] = []
    repeat {
      if !parts.isEmpty { rest.removeFirst() }
      guard parts.count < 2, let part = Self.part(&rest) else { return nil }
      parts.append(part)
    } while rest.first == "."
    guard rest.isEmpty, let table = parts.last else { return nil }
    self.init(schema: parts.count == 2 ? parts[0] : Self.usual, table: table)
  }

  /// The name as `functions.json` has it, always with the schema.
  package var description: String { "\(Self.written(schema)).\(Self.written(table))" }

  /// The name as `functions.json` has it, without the usual schema.
  package var short: String { schema == Self.usual ? Self.written(table) : description }

  /// The name as SQL writes it.
  package var sql: String { "\(Self.quoted(schema)).\(Self.quoted(table))" }

  /// An identifier as SQL writes it.
  package static func quoted(_ identifier: String) -> String { "\"\(identifier.escaping("\"", as: "\"\""))\"" }

  package static func < (left: Self, right: Self) -> Bool { (left.schema, left.table) < (right.schema, right.table) }

  private static let usual = "public"

  private static func written(_ part: String) -> String {
    part.unicodeScalars.first == "\"" || part.unicodeScalars.contains(".") ? quoted(part) : part
  }

  /// Takes one part; `nil` where it is empty, or its quotes do not end.
  private static func part(_ rest: inout Substring.UnicodeScalarView) -> String? {
    guard rest.first == "\"" else {
      let part = rest.prefix { $0 != "." }
      rest = rest[part.endIndex...]
      return part.isEmpty ? nil : String(part)
    }
    rest.removeFirst()
    var part = ""
    while let scalar = rest.popFirst() {
      if scalar == "\"" {
        guard rest.first == "\"" else { return part.isEmpty ? nil : part }
        rest.removeFirst()
      }
      part.unicodeScalars.append(scalar)
    }
    return nil
  }
}
