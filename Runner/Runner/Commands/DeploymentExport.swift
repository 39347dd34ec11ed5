import CLI
import Export
import FunctionKit
import Manifest

/// `runner export ENGINE`: the files by which the bundle runs somewhere else.
struct DeploymentExport {
  private let engine: ExportEngine
  private let deployment: Deployment
  private let folder: String
  private let isForDevelopment: Bool
  private let force: Bool
  private let compares: Bool
  private let answer: Reply

  /// The engine that the word behind `export` names; `nil` if it is an event's id.
  ///
  /// - Throws: if the word was meant to name an engine.
  static func engine(_ arguments: inout CommandArguments) throws(FunctionError) -> ExportEngine? {
    var rest = arguments
    guard let word = rest.operand() else { return nil }
    let engines = ExportEngine.allCases.map(\.rawValue)
    guard let engine = ExportEngine(rawValue: word) else {
      let near = Suggestion.phrase(for: word, among: engines)
      let options = ["--out", "--diff", "--force", "--dev", "--name", "--image", "--beside"]
      guard near.isEmpty, !rest.all().contains(where: options.contains) else {
        throw FunctionError(
          .usage, "There is no engine \(word);\(near) it is one of \(engines.joined(separator: ", ")).")
      }
      return nil
    }
    arguments = rest
    return engine
  }

  init(_ engine: ExportEngine, _ arguments: CommandArguments) throws {
    var arguments = arguments
    self.engine = engine
    let project = try Project(&arguments)
    answer = Reply(&arguments)
    isForDevelopment = arguments.flag("--dev")
    force = arguments.flag("--force")
    compares = arguments.flag("--diff")
    guard !isForDevelopment || engine == .compose else {
      throw FunctionError(.usage, "--dev goes with runner export compose.")
    }
    let usual = isForDevelopment ? ".devcontainer" : "deploy/\(engine.rawValue)"
    folder = try arguments.value("--out") ?? "\(project.directory)/\(usual)"
    let beside = try arguments.value("--beside")
    guard beside == nil || engine == .nginx else {
      throw FunctionError(.usage, "--beside goes with runner export nginx.")
    }
    deployment = try Deployment(
      of: project.manifest, name: arguments.value("--name"), image: arguments.value("--image"), beside: beside,
      state: project.stateInside.flatMap { $0 == ".runner" ? nil : $0 })
    try arguments.finish()
  }

  func run() throws -> Int32 {
    let files = isForDevelopment ? deployment.development : try engine.files(of: deployment)
    if folder == "-", !compares {
      return Console.say(files.map { "# ----- \($0.path)\n\($0.text)" }.joined(separator: "\n"))
    }
    let target = ExportFolder(folder)
    if compares {
      let difference = target.difference(to: files)
      if !difference.isEmpty { Console.say(String(difference.dropLast())) }
      return difference.isEmpty ? 0 : 1
    }
    let written = try target.write(files, force: force)
    return try answer(written, text: text(of: written))
  }

  private func text(of result: ExportFolder.Written) -> String {
    let changed = result.written.map { "wrote    \(folder)/\($0)" } + result.removed.map { "removed  \(folder)/\($0)" }
    let same = result.unchanged.count
    let rest = same == 0 ? [] : ["\(same) \(same == 1 ? "file is" : "files are") as before in \(folder)"]
    return (changed + rest).joined(separator: "\n")
  }
}
