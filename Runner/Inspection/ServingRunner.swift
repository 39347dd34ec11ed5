import FunctionKit
import Gateway
package import Lifecycle
package import Manifest
package import Metrics

extension RunnerReport {
  /// Asks the runner that serves this project; `nil` if none serves or it does not answer within a few seconds.
  package static func ask(_ project: Project) async -> RunnerReport? {
    guard let state = RunnerState.serving(project) else { return nil }
    return await ask(state.url, key: project.environment[Settings.keyVariable])
  }
}

extension RunnerState {
  /// The state file of the serving runner; `nil` if the runner is dead, even if another process has its id now.
  package static func serving(_ project: Project) -> RunnerState? {
    ServingClaim.isTaken(project) ? read(project) : nil
  }
}
