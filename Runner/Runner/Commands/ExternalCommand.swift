import CLI
import FunctionKit
import Lifecycle
import Manifest

/// A command that `functions.json` assigns to another executable of the bundle.
struct ExternalCommand {
  private let project: Project
  private let command: CommandEntry
  /// The words for the executable, without the project's options.
  let words: [String]

  init(_ name: String, _ words: [String]) throws {
    let arguments = try Self.arguments(words)
    project = try Project(arguments)
    guard let command = project.manifest.commands.first(where: { $0.name == name }) else {
      let near = Suggestion.phrase(for: name, among: Commands.all.map(\.word) + project.manifest.commands.map(\.name))
      throw FunctionError(.usage, "There is no command \(name);\(near) see runner --help.")
    }
    self.command = command
    self.words = arguments.rest
  }

  /// The words of a command; only the project's options of it are known.
  static func arguments(_ words: [String]) throws(FunctionError) -> CommandArguments {
    try CommandArguments(words, of: Commands.with(CommandSpec("", "", [], isOpen: true)))
  }

  func run() throws -> Int32 {
    // Paths in settings begin in the project's folder, where functions work. Those in a command's words begin where the
    // person stands, and a doctor has none.
    let isDoctor = command.name.hasPrefix("doctor ")
    throw Exec.become(
      project.executable(command.executable), command.arguments + words,
      environment: CommandEnvironment.variables(project),
      in: isDoctor ? project.directory : nil)
  }
}
