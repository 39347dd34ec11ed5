import FunctionKit
package import Manifest
import System

/// A serving runner's message to other commands in `.runner/runner.json`, which only its owner may read.
package struct RunnerState: Codable {
  /// Where the gateway listens.
  package var url: String
  package var pid: Int32
  /// The variables that services offer to functions and commands.
  package var environment: [String: String]
  /// The SHA-256 of the database's URL.
  ///
  /// The URL itself may hold a password.
  package var database = ""
  /// Whether what a stand-in did counts in that database.
  package var isLocal = false
  /// The services that were not started although the real thing is not configured.
  package var missing: [String] = []

  package static let file = "runner.json"

  /// The state that the serving runner has written; `nil` if no runner of the project serves.
  package static func read(_ project: Project) -> RunnerState? {
    guard ServingClaim.other(project) == nil, let text = TextFile.read("\(project.state)/\(file)"),
      let document = try? RawJSON(validating: Array(text.utf8)[...])
    else { return nil }
    return try? JSONCoding.decode(RunnerState.self, from: document)
  }

  /// Whether it is the runner's database.
  package func uses(_ databaseURL: String?) -> Bool { databaseURL.map(Self.digest) == database }

  /// Whether what a stand-in did counts in a database.
  package func emulates(on databaseURL: String?) -> Bool { isLocal && uses(databaseURL) }

  package static func digest(_ databaseURL: String) -> String { SHA256.hex(databaseURL.utf8) }

  package func write(_ project: Project) throws {
    let text = String(decoding: try JSONCoding.encode(self).bytes, as: UTF8.self)
    try TextFile.replace("\(project.stateDirectory())/\(Self.file)", with: text + "\n")
  }
}
