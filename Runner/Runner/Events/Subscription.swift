/// One function's interest in one operation on a table.
struct Subscription: Equatable {
  var function: String
  /// The column whose value orders the function's events.
  var key: String?
  /// For updates: the columns of which at least one must change; any column where the list is empty.
  var columns: [String] = []
}

/// A table with all functions that want to hear of its changes, and what is known of its shape.
struct CapturedTable: Equatable {
  var schema: String
  var table: String
  /// Pairs old and new rows of a statement.
  ///
  /// Empty where the table has none: it is then captured row by row.
  var primaryKey: [String]
  /// A partition or a partitioned table allows no transition tables everywhere: captured row by row as well.
  var isPartitioned: Bool
  var subscriptions: [TableTrigger.Operation: [Subscription]]

  /// Whether whole statements can be captured at once, which costs a third less for many rows.
  var capturesStatements: Bool { !primaryKey.isEmpty && !isPartitioned }
}

extension Manifest {
  /// The subscriptions to each table, by schema and table.
  var subscriptions: [String: [TableTrigger.Operation: [Subscription]]] {
    var tables: [String: [TableTrigger.Operation: [Subscription]]] = [:]
    for function in functions {
      for case .table(let trigger) in function.triggers {
        for operation in Set(trigger.operations) {
          let columns = operation == .update ? trigger.columns : []
          tables["\(trigger.schema).\(trigger.table)", default: [:]][operation, default: []]
            .append(Subscription(function: function.name, key: function.key, columns: columns))
        }
      }
    }
    return tables
  }
}
