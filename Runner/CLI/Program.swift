package import FunctionKit
import Glibc

/// A program that the bundle gives the runner's commands to: `--help`, `--version`, its commands and its complaints.
package struct Program: Sendable {
  private let name: String
  private let about: String
  private let commands: [CommandSpec]
  private let failure: @Sendable (any Error) -> FunctionError

  /// - Parameters:
  ///   - commands: where there is only one, no word names it.
  ///   - failure: what an error says to a person.
  package init(
    _ name: String, _ about: String = "", commands: [CommandSpec],
    failure: @escaping @Sendable (any Error) -> FunctionError = { FunctionError($0) }
  ) {
    (self.name, self.about, self.commands, self.failure) = (name, about, commands, failure)
  }

  /// Does what the process's arguments ask for, and ends it.
  package func main() async -> Never {
    do {
      _exit(try await run(Array(CommandLine.arguments.dropFirst())))
    } catch {
      _exit(TerminalWriter.complain(name, failure(error)))
    }
  }

  /// The document with which a command answers, in place of printing it.
  ///
  /// - Parameter words: what the process could have as arguments.
  /// - Throws: what the command would say about its failure, without a sentence where it says none.
  package func document(_ words: [String]) async throws(FunctionError) -> RawJSON {
    let (taken, status): (RawJSON?, Int32)
    do {
      (taken, status) = try await Reply.taking { try await run(words) }
    } catch {
      let failure = failure(error)
      throw FunctionError(failure.code, TerminalWriter.reason(of: failure))
    }
    guard status == 0, let taken else {
      throw FunctionError(FunctionError.Code.allCases.first { $0.exitStatus == status } ?? .failed, "")
    }
    return taken
  }

  private func run(_ words: [String]) async throws -> Int32 {
    if words.first == "--version" { return TerminalWriter.say("\(name) \(bundleVersion)") }
    guard commands.count > 1 else { return try await run(commands[0], words) }
    switch words.first {
    case nil:
      TerminalWriter.write(overview, to: STDERR_FILENO)
      return FunctionError.Code.usage.exitStatus
    case "--help", "-h", "help":
      TerminalWriter.write(words.dropFirst().first.flatMap(command)?.page ?? overview, to: STDOUT_FILENO)
      return 0
    case let word?:
      guard let command = command(word) else {
        let near = Suggestion.phrase(for: word, among: commands.map(\.word))
        throw FunctionError(.usage, "There is no command \(word);\(near) see \(name) --help.")
      }
      return try await run(command, Array(words.dropFirst()))
    }
  }

  private func run(_ command: CommandSpec, _ words: [String]) async throws -> Int32 {
    if CommandSpec.isAskedForHelp(words) {
      TerminalWriter.write(command.page, to: STDOUT_FILENO)
      return 0
    }
    if words.prefix(while: { $0 != "--" }).contains("--version") {
      return TerminalWriter.say("\(name) \(bundleVersion)")
    }
    return try await command.run(words)
  }

  private func command(_ word: String) -> CommandSpec? { commands.first { $0.word == word } }

  private var overview: String {
    CommandSpec.overview(of: name, about, [("", commands)]) + "\n  --help, --version\n"
  }
}
