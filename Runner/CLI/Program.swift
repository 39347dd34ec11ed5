package import FunctionKit
import Glibc

/// The action behind one word of a program's command line.
package protocol Command: Sendable {
  static var help: Help { get }
  /// Reads the arguments behind the command.
  init(_ arguments: CommandArguments) throws
  /// Does it, and gives the exit status.
  func run() async throws -> Int32
}

/// A program that the bundle gives the runner's commands to: `--help`, `--version`, its commands and its complaints.
package struct Program: Sendable {
  private let name: String
  private let about: String
  private let commands: [any Command.Type]
  private let failure: @Sendable (any Error) -> FunctionError

  /// - Parameters:
  ///   - commands: where there is only one, no word names it.
  ///   - failure: what an error says to a person.
  package init(
    _ name: String, _ about: String = "", commands: [any Command.Type],
    failure: @escaping @Sendable (any Error) -> FunctionError = { FunctionError($0) }
  ) {
    (self.name, self.about, self.commands, self.failure) = (name, about, commands, failure)
  }

  /// Does what the process's arguments ask for, and ends it.
  package func main() async -> Never {
    do {
      _exit(try await run(Array(CommandLine.arguments.dropFirst())))
    } catch {
      _exit(Console.complain(name, failure(error)))
    }
  }

  private func run(_ arguments: [String]) async throws -> Int32 {
    if arguments.first == "--version" { return say("\(name) \(bundleVersion)\n") }
    guard commands.count > 1 else { return try await run(commands[0], arguments) }
    switch arguments.first {
    case nil:
      Console.write(overview, to: STDERR_FILENO)
      return FunctionError.Code.usage.exitStatus
    case "--help", "-h", "help":
      let named = arguments.dropFirst().first.flatMap { command($0) }
      return say(named.map { $0.help.page } ?? overview)
    case let word?:
      guard let command = command(word) else {
        let near = Suggestion.phrase(for: word, among: commands.map { $0.help.command })
        throw FunctionError(.usage, "There is no command \(word);\(near) see \(name) --help.")
      }
      return try await run(command, Array(arguments.dropFirst()))
    }
  }

  private func run(_ command: any Command.Type, _ arguments: [String]) async throws -> Int32 {
    var arguments = CommandArguments(arguments, of: command.help)
    if arguments.flag("--help", "-h") { return say(command.help.page) }
    if arguments.flag("--version") { return say("\(name) \(bundleVersion)\n") }
    return try await command.init(arguments).run()
  }

  private func command(_ word: String) -> (any Command.Type)? { commands.first { $0.help.command == word } }

  private var overview: String {
    Help.overview(of: name, about, commands.map { $0.help }) + "\n  --help, --version\n"
  }

  private func say(_ text: String) -> Int32 {
    Console.write(text, to: STDOUT_FILENO)
    return 0
  }
}
