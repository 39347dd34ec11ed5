import FunctionKit
package import Manifest

/// A trigger as `functions.json` asks for it.
package struct WantedTrigger {
  package var table: TableName
  package var name: String
  /// The names of the functions that get its events.
  package var functions: [String]
  /// The changes that each of them subscribes to; empty for a trigger that only notifies.
  var subscriptions: [Subscription] = []
  /// All statements that make it.
  package var sql: String
}

/// A trigger of the runner's as it stands in the database.
package struct PresentTrigger {
  package var table: TableName
  package var name: String
  /// The SQL function that it calls.
  var procedure: String
  /// Whether it runs, as far as somebody has not switched it off.
  var isEnabled = true
  /// The owner of the table where that is another role, so that nobody else can drop the trigger.
  var stranger: String?
  /// Nil for one that nobody remembers.
  package var memory: Memory?

  /// The record of a trigger in `runner.triggers`.
  package struct Memory {
    /// The table's name when it was made; it may have been renamed since.
    package var table: TableName
    package var name: String
    var definition: String
    package var bundle: String
    var generation: Int
    package var version: Int
    package var functions: [String]
    /// Nil where an earlier version of the runner made it.
    var subscriptions: [Subscription]?

    /// The SQL function that it calls, by the name that the trigger's maker gave it.
    var procedure: String { shortened("\(table).\(name)") }
  }

  /// Whether it only notifies a function.
  package var isNotify: Bool { procedure == Self.notifyProcedure }

  static let notifyProcedure = "notify_trigger"

  /// Whether it was made for this place, where it runs: a table may have been renamed, or made again.
  var isInPlace: Bool { memory?.table == table && isEnabled }

  package var place: String { "trigger \(name) on \(table)" }

  /// The statement that takes it away; nil where only the table's owner can do that.
  ///
  /// A trigger that makes events has a function of its own, with which it goes.
  var removal: String? {
    guard stranger != nil else { return "DROP TRIGGER \(quoted(name)) ON \(table.sql);" }
    return isNotify ? nil : "DROP FUNCTION runner.\(quoted(procedure))() CASCADE;"
  }
}
