import Manifest

/// One function's interest in one operation on a table.
struct Subscription: Equatable, Codable {
  var function: String
  /// The column whose value orders the function's events.
  var key: String?
  /// For updates: at least one of these columns must change; any column where the list is empty.
  var columns: [String] = []
  /// Values of columns, as text: a row must have all of one element; every row is taken where there is none.
  var filters: [[String: String]] = []
  /// Whether it takes what functions write for themselves.
  var ownWrites = true

  /// The columns that the filters look at, each with a value that lets a row through.
  var filtered: [(column: String, value: String)] {
    let values = filters.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// A table with all functions that want to hear of its changes, and what is known of its shape.
struct CapturedTable: Equatable {
  var name: TableName
  /// The columns that identify a row which is too large for an event; empty if the table has no key.
  var primaryKey: [String]
  /// A partition, a partitioned table or one that inherits is captured row by row: the rows of a statement on another
  /// table may be its own, and its transition tables would not have them.
  var isPartitioned: Bool
  /// Columns of text, however it is limited.
  var textColumns: [String]
  /// Other columns of varying size.
  var sizedColumns: [String]
  /// Whether there is a column of type `json`, which may hold what no `jsonb` can, such as a NUL character.
  var hasJSON: Bool
  /// How the database writes money, where there is a column of that type.
  var money: String?
  var subscriptions: [TableTrigger.Operation: [Subscription]]
}

extension Manifest {
  var subscriptions: [TableName: [TableTrigger.Operation: [Subscription]]] {
    var tables: [TableName: [TableTrigger.Operation: [Subscription]]] = [:]
    for function in functions {
      for case .table(let trigger) in function.triggers {
        for operation in Set(trigger.operations) {
          let columns = operation == .update ? trigger.columns : []
          tables[trigger.name, default: [:]][operation, default: []]
            .add(
              Subscription(
                function: function.name, key: function.key, columns: columns,
                filters: trigger.filter.isEmpty ? [] : [trigger.filter], ownWrites: trigger.ownWrites))
        }
      }
    }
    return tables
  }
}

extension [Subscription] {
  /// A function hears of a change once, however many of its triggers name it.
  fileprivate mutating func add(_ subscription: Subscription) {
    guard let index = firstIndex(where: { $0.function == subscription.function }) else { return append(subscription) }
    let (present, added) = (self[index].columns, subscription.columns)
    self[index].columns = present.isEmpty || added.isEmpty ? [] : present + added.filter { !present.contains($0) }
    self[index].ownWrites = self[index].ownWrites || subscription.ownWrites
    let (filters, more) = (self[index].filters, subscription.filters)
    self[index].filters = filters.isEmpty || more.isEmpty ? [] : filters + more.filter { !filters.contains($0) }
  }
}
