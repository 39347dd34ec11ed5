import FunctionKit
import HTTPClient

extension RunnerReport {
  /// What it says of a function; `nil` where it has none of that name.
  subscript(name: String) -> Function? { functions.first { $0.name == name } }

  /// Asks the runner that serves this project; `nil` when none serves or it does not answer within a few seconds.
  static func ask(_ project: Project) async -> RunnerReport? {
    guard let state = RunnerState.serving(project) else { return nil }
    return await ask(state.url, key: project.environment[Settings.keyVariable])
  }

  /// - Parameter key: what the gateway asks for, where it has one.
  static func ask(_ url: String, key: String? = nil) async -> RunnerReport? {
    let client = HTTPClient(limits: HTTPLimits(connect: .seconds(1), total: .seconds(5)))
    let headers = key.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
    guard let answer = try? await client.send(HTTPCall(.get, "\(url)/_/state", headers: headers)), answer.status == 200,
      let document = try? RawJSON(validating: answer.body[...])
    else { return nil }
    return try? JSONCoding.decode(RunnerReport.self, from: document)
  }
}

extension RunnerState {
  /// What the runner has written that serves; a file that a dead one left says nothing, whatever its process id is now.
  static func serving(_ project: Project) -> RunnerState? {
    ServingClaim.isTaken(project) ? read(project) : nil
  }
}
