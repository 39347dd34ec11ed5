import FunctionKit

/// A column of one of the app's tables that a database may lack.
package struct SpareColumn: Sendable, Equatable {
  package let table: String
  package let column: String
  /// The work that fails without it, as the beginning of a sentence; nil if nothing uses it.
  package let cost: String?

  /// Reads `mayLack`: for each table the columns, each with what its lack costs.
  static func all(_ node: ManifestNode, of tables: [String]) throws(ManifestError) -> [SpareColumn] {
    var columns: [SpareColumn] = []
    for (table, node) in try node.members() {
      guard tables.contains(table) else { throw node.error("is none of \"appTables\"") }
      for (column, node) in try node.members() {
        columns.append(
          SpareColumn(table: table, column: column, cost: node.value.kind == .null ? nil : try node.string()))
      }
    }
    return columns
  }
}
