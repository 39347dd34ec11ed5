import FunctionKit

/// What a serving runner tells other commands, in `.runner/runner.json`: readable by its owner only.
struct RunnerState: Codable {
  /// Where the gateway listens.
  var url: String
  var pid: Int32
  /// What services offer to functions and commands.
  var environment: [String: String]

  static func path(_ project: Project) throws -> String { "\(try project.stateDirectory())/runner.json" }

  /// What the running runner has written, `nil` when none has.
  static func read(_ project: Project) -> RunnerState? {
    guard let text = TextFile.read("\(project.directory)/.runner/runner.json"),
      let document = try? RawJSON(validating: Array(text.utf8)[...])
    else { return nil }
    return try? JSONCoding.decode(RunnerState.self, from: document)
  }

  func write(_ project: Project) throws {
    let text = String(decoding: try JSONCoding.encode(self).bytes, as: UTF8.self)
    try TextFile.replace(Self.path(project), with: text + "\n")
  }
}
