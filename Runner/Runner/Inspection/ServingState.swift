import FunctionKit
import Glibc
import HTTPClient

/// What the runner that serves this project says of itself, at `GET /_/state`.
struct ServingState: Decodable {
  struct Function: Decodable {
    struct Pause: Decodable, Equatable {
      var code: String
      var message: String
    }

    var name: String
    /// Why its events wait, where it is misconfigured.
    var paused: Pause?
    var processes: Int
    var running: Int
    var waiting: Int
    /// The ids of the events that it handles now.
    var events: [String]
  }

  /// Nothing waits or runs in memory.
  var idle: Bool
  /// The lanes that it holds.
  var lanes: [Int]
  var functions: [Function]

  subscript(name: String) -> Function? { functions.first { $0.name == name } }

  /// Asks the runner; `nil` when none serves or it does not answer within a few seconds.
  static func ask(_ project: Project) async -> ServingState? {
    guard let state = RunnerState.serving(project) else { return nil }
    return await ask(state.url, key: Environment.current()["RUNNER_KEY"])
  }

  /// - Parameter key: what the gateway asks for, where it has one.
  static func ask(_ url: String, key: String? = nil) async -> ServingState? {
    let client = HTTPClient(limits: HTTPLimits(connect: .seconds(1), total: .seconds(5)))
    let headers = key.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
    guard let answer = try? await client.send(HTTPCall(.get, "\(url)/_/state", headers: headers)), answer.status == 200,
      let document = try? RawJSON(validating: answer.body[...])
    else { return nil }
    return try? JSONCoding.decode(ServingState.self, from: document)
  }
}

extension RunnerState {
  /// What the runner has written whose process lives.
  static func serving(_ project: Project) -> RunnerState? {
    guard let state = read(project), kill(state.pid, 0) == 0 || errno == EPERM else { return nil }
    return state
  }
}
