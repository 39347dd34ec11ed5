import FunctionKit
import Gateway
package import Lifecycle
package import Manifest
package import Metrics

extension RunnerReport {
  /// Asks the runner that serves this project; `nil` when none serves or it does not answer within a few seconds.
  package static func ask(_ project: Project) async -> RunnerReport? {
    guard let state = RunnerState.serving(project) else { return nil }
    return await ask(state.url, key: project.environment[Settings.keyVariable])
  }
}

extension RunnerState {
  /// What the runner has written that serves; a file that a dead one left says nothing, whatever its process id is now.
  package static func serving(_ project: Project) -> RunnerState? {
    ServingClaim.isTaken(project) ? read(project) : nil
  }
}
