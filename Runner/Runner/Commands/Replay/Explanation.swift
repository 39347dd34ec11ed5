import Documents
import FunctionKit
import Glibc
import Lifecycle
import Manifest
import Workers

/// Asks the command of the bundle's `explain` panel what functions decided, or would decide.
struct Explanation {
  private let launch: Launch

  /// The variables of the environment that the command itself needs.
  private static let needed = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "LD_LIBRARY_PATH"]
  /// Parts of the names of variables that a dry run does without, because they let in somewhere.
  private static let keys = ["KEY", "SECRET", "TOKEN", "PASSWORD", "ACCOUNT", "CREDENTIAL"]

  /// - Throws: ``FunctionError/Code/misconfigured`` if the bundle has no such panel.
  init(_ project: Project) throws(FunctionError) {
    try self.init(project) { CommandEnvironment.variables(project) }
  }

  /// Decides on another database, because of an event that anybody may have written: without the project's secrets.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if the bundle has no such panel.
  init(_ project: Project, of function: String, database url: String) throws(FunctionError) {
    let own = project.manifest[function]?.environment ?? []
    let names = Set(Self.needed + [Manifest.topicsVariable, Manifest.languagesVariable] + own)
    try self.init(project) {
      var environment = CommandEnvironment.variables(project).filter { name, _ in
        names.contains(name) && !Self.keys.contains { name.contains($0) }
      }
      environment["DATABASE_URL"] = url
      environment[Environment.database] = Environment.localDatabase
      return environment
    }
  }

  /// - Throws: ``FunctionError`` where a test of one of the functions cannot be played.
  static func check(_ functions: [String], _ project: Project) throws(FunctionError) {
    let command = try command(project)
    let parts = project.executable(command.executable).split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    for name in functions {
      guard let entry = project.manifest[name] else { throw project.manifest.lacks(name) }
      guard entry.target == nil, access("\(folder)/\(name)", X_OK) == 0 else {
        throw FunctionError(
          .usage, "\(name) cannot be played: it does not stand beside \(command.executable), which makes the dry run.")
      }
    }
  }

  private static func command(_ project: Project) throws(FunctionError) -> CommandEntry {
    let panel = project.manifest.panels.first { $0.kind == .explain }
    guard let command = project.manifest.commands.first(where: { $0.name == panel?.command }) else {
      throw FunctionError(
        .misconfigured, "functions.json names no explain panel, so nobody knows what was decided about people.")
    }
    return command
  }

  private init(_ project: Project, environment: () -> [String: String]) throws(FunctionError) {
    let command = try Self.command(project)
    launch = Launch(
      executable: project.executable(command.executable), arguments: command.arguments, environment: environment(),
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
