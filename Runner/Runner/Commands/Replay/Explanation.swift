import Documents
import FunctionKit
import Manifest
import Workers

/// Asks the command of the bundle's `explain` panel what functions decided, or would decide.
struct Explanation {
  private let launch: Launch

  /// - Parameter url: another database than the project's.
  /// - Throws: ``FunctionError/Code/misconfigured`` if the bundle has no such panel.
  init(_ project: Project, database url: String? = nil) throws(FunctionError) {
    let panel = project.manifest.panels.first { $0.kind == .explain }
    guard let command = project.manifest.commands.first(where: { $0.name == panel?.command }) else {
      throw FunctionError(
        .misconfigured, "functions.json names no explain panel, so nobody knows what was decided about people.")
    }
    var environment = CommandEnvironment.variables(project)
    if let url {
      environment["DATABASE_URL"] = url
      environment[Environment.database] = Environment.localDatabase
      environment["RUNNER_URL"] = nil
    }
    launch = Launch(
      executable: project.executable(command.executable), arguments: command.arguments, environment: environment,
      directory: project.directory)
  }

  /// - Throws: ``FunctionError`` with what the command has said.
  func ask(_ words: [String], input: [UInt8] = []) async throws -> ExplainDocument {
    var launch = launch
    launch.arguments += words + ["--json"]
    let run = await CommandRun.run(launch, input: input, timeLimit: .seconds(60))
    guard run.status == 0, let answer = try? RawJSON(validating: run.output[...]) else {
      let code = FunctionError.Code.allCases.first { $0.exitStatus == run.status } ?? .failed
      let line = run.complaint.split(whereSeparator: \.isNewline).last.map(String.init)
      throw FunctionError(code, line ?? "\(launch.executable) has not said what was decided.")
    }
    return try JSONCoding.decode(ExplainDocument.self, from: answer)
  }
}
