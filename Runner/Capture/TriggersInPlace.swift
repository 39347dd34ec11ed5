package import Manifest
package import Postgres

/// Whether the triggers that make events for functions are there, as two short queries tell.
///
/// ``TriggerPlan`` looks at the tables, too, and at what `runner migrate` would do: it takes queries for each table.
package struct TriggersInPlace: Sendable {
  /// Why a function does not get all events of a table that it asks for.
  private var problems: [String: [TableName: String]] = [:]

  /// Looks, and changes nothing.
  package init(_ manifest: Manifest, on database: some SQLExecutor) async throws {
    let store = TriggerStore(database: database)
    let memories = try await store.memories().filter { $0.bundle == manifest.bundle }
    let present = try await store.present(memories)
    func find(_ table: TableName, _ name: String) -> PresentTrigger? {
      present.first { $0.table == table && $0.name == name }
    }
    for (table, asked) in manifest.subscriptions {
      for (operation, subscriptions) in asked.sorted(by: { $0.key < $1.key }) {
        let trigger = find(table, CaptureSQL.name(operation, of: manifest.bundle))
        for one in subscriptions where problems[one.function]?[table] == nil {
          guard let trigger else {
            problems[one.function, default: [:]][table] =
              "\(table) has no trigger for \(operation.rawValue.lowercased()): runner migrate makes it"
            continue
          }
          guard !trigger.makesEvents(for: one, of: manifest) else { continue }
          problems[one.function, default: [:]][table] =
            "the trigger for \(operation.rawValue.lowercased()) on \(table) is not as functions.json says: runner migrate"
        }
      }
    }
    for function in manifest.functions {
      for case .notify(let notify) in function.triggers {
        let table = notify.name
        let trigger = find(table, CaptureSQL.notifyName(function.name, of: manifest.bundle))
        guard trigger?.isEnabled != true else { continue }
        problems[function.name, default: [:]][table] =
          "\(table) has no trigger that wakes it: runner migrate makes it"
      }
    }
  }

  /// The fault of what a function's trigger needs in the database; `nil` if it is there, or nothing is needed.
  package func problem(of trigger: Trigger, for function: String) -> String? {
    switch trigger {
    case .table(let rows): problems[function]?[rows.name]
    case .notify(let rows): problems[function]?[rows.name]
    case .schedule, .http: nil
    }
  }
}

extension PresentTrigger {
  /// Whether it does what a function asks for, be it in the words of a later version.
  fileprivate func makesEvents(for subscription: Subscription, of manifest: Manifest) -> Bool {
    guard let memory, isInPlace, memory.functions.contains(subscription.function) else { return false }
    if memory.generation > CaptureSQL.generation || memory.version > manifest.version { return true }
    return memory.subscriptions?.contains(subscription) ?? true
  }
}
