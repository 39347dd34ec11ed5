/// Where an app's people stand, for functions that look for them in a table of the bundle's own.
package struct PeopleEntry: Sendable, Equatable {
  /// The function in SQL that makes the bundle's table follow the people's: of a document and of whether it only looks.
  package let schema: String
  package let function: String
  /// The bundle's table, as its migrations name it.
  package let into: TableName
  /// Where the people stand; nil where nobody said.
  package let table: TableName?
  /// The id's column and the expressions for the rest, by the names of what they say.
  package let facts: [String: String]

  private static let expressions = ["email", "name", "verified", "deleted"]

  init(_ node: ManifestNode) throws(ManifestError) {
    let members = try node.members(allowed: ["follow", "into", "table", "id"] + Self.expressions)
    guard let follow = members["follow"], let into = members["into"] else {
      throw node.error("needs \"follow\", a function in SQL, and \"into\", the table that follows")
    }
    let called = try follow.tableName()
    (schema, function) = (called.schema, called.table)
    self.into = try into.tableName()
    table = try members["table"]?.tableName()
    var facts: [String: String] = [:]
    if let id = members["id"] { facts["id"] = try id.string() }
    for name in Self.expressions {
      guard let expression = members[name] else { continue }
      let text = try expression.string()
      guard !text.contains(";"), !text.contains("--"), !text.contains("/*") else {
        throw expression.error("must be one expression over the table's columns, without ; and comments")
      }
      facts[name] = text
    }
    if let place = facts.keys.min(), table == nil {
      throw node.error("has \"\(place)\", but no \"table\" that it is said of")
    }
    self.facts = facts
  }
}
