import Manifest
import Postgres

/// Makes, renews and takes away the triggers that carry row changes to the runner.
///
/// Present triggers are read from the catalog, so that a table that was renamed, or dropped and made again, is mended.
struct TriggerInstaller {
  let transaction: Transaction

  /// Returns what was changed, a line each, what was left, and what the schema has no more, by functions.
  ///
  /// - Throws: `MigrationError` when `functions.json` names a table or column that is not there, and is not to be held.
  func install(
    _ manifest: Manifest, prunes: Bool, holds: Bool
  ) async throws -> (changes: [String], notes: [String], held: [String: String]) {
    let plan = try await TriggerPlan(manifest, on: transaction, prunes: prunes, holds: holds)
    let store = TriggerStore(database: transaction)
    var changes: [String] = []
    for step in plan.steps {
      switch step {
      case .make(let trigger):
        try await store.make(trigger, for: manifest)
        changes.append("trigger \(trigger.name) on \(trigger.table)")
      case .renew(let present, let trigger):
        try await store.remove(present)
        try await store.make(trigger, for: manifest)
        changes.append("renewed trigger \(trigger.name) on \(trigger.table)")
      case .remember(let trigger):
        try await store.remember(trigger, for: manifest)
      case .remove(let trigger):
        try await store.remove(trigger)
        changes.append("removed trigger \(trigger.name) from \(trigger.table)")
      }
    }
    if !changes.isEmpty || prunes { try await store.forgetGone(of: manifest.bundle, but: plan.misfits.keys.sorted()) }
    return (changes, plan.notes, plan.misfits)
  }
}

/// A database that `functions.json` does not fit.
package struct MigrationError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
