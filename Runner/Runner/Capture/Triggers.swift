import FunctionKit

/// A trigger as `functions.json` asks for it.
struct WantedTrigger {
  var table: TableName
  var name: String
  /// Whom it tells.
  var functions: [String]
  /// What each of them wants to hear of; empty for a trigger that only notifies.
  var subscriptions: [Subscription] = []
  /// All statements that make it.
  var sql: String
}

/// A trigger of the runner's as it stands in the database.
struct PresentTrigger {
  var table: TableName
  var name: String
  /// What it calls.
  var procedure: String
  /// Nil for one that nobody remembers.
  var memory: Memory?

  /// What is remembered of a trigger in `runner.triggers`.
  struct Memory {
    /// The table's name when it was made; it may have been renamed since.
    var table: TableName
    var name: String
    var definition: String
    var bundle: String
    var generation: Int
    var version: Int
    var functions: [String]
    /// Nil where an earlier version of the runner made it.
    var subscriptions: [Subscription]?

    /// What it calls, as the trigger's maker named it.
    var procedure: String { shortened("\(table).\(name)") }
  }

  /// Whether it only notifies a function.
  var isNotify: Bool { procedure == Self.notifyProcedure }

  static let notifyProcedure = "notify_trigger"

  /// Whether it was made for this place: a table may have been renamed, or made again.
  var isInPlace: Bool { memory?.table == table }

  var place: String { "trigger \(name) on \(table)" }
}
