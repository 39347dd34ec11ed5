/// Columns of one of the app's tables that functions write.
///
/// A row may only be locked by who may update a column of it, also with `FOR KEY SHARE`.
package struct AppWrite: Sendable, Equatable {
  package enum Operation: String, Sendable, CaseIterable {
    case insert = "INSERT"
    case update = "UPDATE"
  }

  package let table: String
  package let operation: Operation
  package let columns: [String]

  /// Reads `appWrites`: for each table the operations, each with its columns.
  static func all(_ node: ManifestNode, of tables: [String]) throws(ManifestError) -> [AppWrite] {
    var writes: [AppWrite] = []
    for (table, node) in try node.members() {
      guard tables.contains(table) else { throw node.error("is none of \"appTables\"") }
      let operations = try node.members(allowed: Operation.allCases.map(\.rawValue))
      for operation in Operation.allCases {
        guard let columns = operations[operation.rawValue] else { continue }
        writes.append(AppWrite(table: table, operation: operation, columns: try columns.strings()))
      }
    }
    return writes
  }
}
