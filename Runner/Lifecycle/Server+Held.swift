import Capture
import FunctionKit
import Manifest
import Metrics
import Postgres
import Queue

// Functions whose table or column is gone: their events wait, and all others run.
extension Server {
  /// How often the runner looks whether the schema is as it was.
  static let heldInterval = Duration.seconds(5)

  /// Holds these functions, and lets go the others that were held.
  ///
  /// - Parameter misfits: a sentence for each.
  func hold(_ misfits: [String: String]) {
    let former = held
    held = misfits
    for (function, problem) in misfits.sorted(by: { $0.key < $1.key }) where former[function] != problem {
      log.error("The function is held: the schema has changed", ["held": function, "error.message": problem])
    }
    guard let queue else { return }
    for function in misfits.keys { queue.hold(function) }
    for function in former.keys where misfits[function] == nil {
      log.info("The function is tried again", ["resumed": function])
      queue.resume(function)
    }
  }

  /// Looks whether the schema is again as functions that are held need it.
  func lookAtHeld() async {
    guard !held.isEmpty, let url = databaseURL else { return }
    let database = Connection(url: url, applicationName: "runner", statementTimeout: .seconds(8))
    let plan = try? await TriggerPlan(project.manifest.whole, on: database, prunes: false, holds: true)
    await database.close()
    guard let plan, plan.misfits != held else { return }
    do { try await migrate(project.manifest) } catch {
      log.warning("The database lacks something that functions.json needs", ["error.message": "\(error)"])
      hold(plan.misfits)
    }
  }

  /// Why this runner does not run a function's events; `nil` if it does.
  func pause(of function: String) -> EventReport.Pause? {
    held[function].map { EventReport.Pause(code: "SCHEMA_CHANGED", message: $0) } ?? figures.of(function).problem
  }
}
