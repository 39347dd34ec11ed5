import CLI
import FunctionKit
import Glibc
import Lifecycle
import Manifest

/// The local runner: delivers events to functions from HTTP calls, schedules and row changes in PostgreSQL.
@main
struct Runner {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var words = Array(CommandLine.arguments.dropFirst())
    // The guard has to start fast, and without the rest of the runner.
    if words.first == "guard" { _exit(Guard.main(Array(words.dropFirst()))) }
    guard !words.isEmpty else {
      TerminalWriter.write(Commands.overview(bundled([])), to: STDERR_FILENO)
      _exit(FunctionError.Code.usage.exitStatus)
    }
    let name = words.removeFirst()
    do {
      _exit(try await run(name, words))
    } catch {
      _exit(TerminalWriter.complain(error))
    }
  }

  private static func run(_ name: String, _ words: [String]) async throws -> Int32 {
    let next = words.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    if CommandEntry.takesSubjects(name), let next {
      return try ExternalCommand("\(name) \(next)", Array(words.dropFirst())).run()
    }
    switch name {
    case "--version": return TerminalWriter.say("runner \(bundleVersion)\(BuiltCommit.suffix)")
    case "--help", "-h", "help":
      guard let next, Commands.of(next) != nil else { return say(Commands.overview(bundled(words))) }
      return try await run(next, ["--help"] + words.dropFirst())
    default: break
    }
    guard let command = Commands.of(name) else { return try ExternalCommand(name, words).run() }
    guard CommandSpec.isAskedForHelp(words) else { return try await command.run(words) }
    let entries = bundled(words)
    if entries.contains(where: { $0.name == name }) { return try ExternalCommand(name, words).run() }
    return say(Commands.page(of: command, entries))
  }

  /// The bundle's own commands; none if there is no bundle.
  private static func bundled(_ words: [String]) -> [CommandEntry] {
    (try? Project(ExternalCommand.arguments(words)))?.manifest.commands ?? []
  }

  private static func say(_ text: String) -> Int32 {
    TerminalWriter.write(text, to: STDOUT_FILENO)
    return 0
  }
}
