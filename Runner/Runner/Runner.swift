import CLI
import FunctionKit
import Glibc
import Lifecycle
import Manifest
import Manual

/// The local runner: delivers events to functions from HTTP calls, schedules and row changes in PostgreSQL.
@main
struct Runner {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var arguments = Array(CommandLine.arguments.dropFirst())
    // The guard has to start fast, and without the rest of the runner.
    if arguments.first == "guard" { _exit(Guard.main(Array(arguments.dropFirst()))) }
    guard !arguments.isEmpty else {
      Console.write(Help.overview(commands(CommandArguments([]))), to: STDERR_FILENO)
      _exit(FunctionError.Code.usage.exitStatus)
    }
    let name = arguments.removeFirst()
    do {
      _exit(
        try await run(name, CommandArguments(arguments, of: "runner \(name)", options: Help.of(name)?.options ?? [])))
    } catch {
      _exit(Console.complain(error))
    }
  }

  private static func run(_ name: String, _ arguments: CommandArguments) async throws -> Int32 {
    var arguments = arguments
    if CommandEntry.takesSubjects(name), let subject = arguments.subject() {
      return try ExternalCommand("\(name) \(subject)", arguments).run()
    }
    let asked = arguments
    if let help = Help.of(name), arguments.flag("--help", "-h") {
      let commands = commands(arguments)
      guard !commands.contains(where: { $0.name == name }) else { return try ExternalCommand(name, asked).run() }
      return say(help.page(with: commands))
    }
    switch name {
    case "--help", "-h", "help":
      guard let command = arguments.subject(), let help = Help.of(command) else {
        return say(Help.overview(commands(arguments)))
      }
      return try await run(command, CommandArguments(["--help"] + arguments.all(), of: help))
    case "--version": return Console.say("runner \(bundleVersion)\(BuiltCommit.suffix)")
    case "serve": return try await ServeCommand(arguments).run()
    case "host": return try await HostCommand(arguments).run()
    case "up": return try await UpCommand(arguments).run()
    case "status": return try await StatusCommand(arguments).run()
    case "down": return try await DownCommand(arguments).run()
    case "reset": return try await ResetCommand(arguments).run()
    case "logs": return try await LogsCommand(arguments).run()
    case "why": return try await WhyCommand(arguments).run()
    case "events": return try await EventsCommand(arguments).run()
    case "resend": return try await ResendCommand(arguments).run()
    case "export":
      if let engine = try DeploymentExport.engine(&arguments) { return try DeploymentExport(engine, arguments).run() }
      return try await ExportCommand(arguments).run()
    case "invoke": return try InvokeCommand(arguments).run()
    case "list": return try ListCommand(arguments).run()
    case "resume": return try await ResumeCommand(arguments).run()
    case "migrate": return try await MigrateCommand(arguments).run()
    case "env": return try EnvCommand(arguments).run()
    case "validate": return try ValidateCommand(arguments).run()
    case "schedules": return try await SchedulesCommand(arguments).run()
    case "clock": return try await ClockCommand(arguments).run()
    case "completions": return try CompletionsCommand(arguments).run()
    case "doctor": return try await DoctorCommand(arguments).run()
    default: return try ExternalCommand(name, arguments).run()
    }
  }

  /// The bundle's own commands; none if there is no bundle.
  private static func commands(_ arguments: CommandArguments) -> [CommandEntry] {
    var arguments = arguments
    return (try? Project(&arguments))?.manifest.commands ?? []
  }

  private static func say(_ text: String) -> Int32 {
    Console.write(text, to: STDOUT_FILENO)
    return 0
  }
}
