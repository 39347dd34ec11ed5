import CLI
import FunctionKit
import Glibc
import Lifecycle
import Manifest

/// The local runner: gets events to functions over HTTP, on schedules and from PostgreSQL row changes.
@main
struct Runner {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var words = Array(CommandLine.arguments.dropFirst())
    // The guard is started in a hurry and alone: nothing else of the runner may stand in its way.
    if words.first == "guard" { exit(Guard.main(Array(words.dropFirst()))) }
    guard !words.isEmpty else {
      Console.write(overview, to: STDERR_FILENO)
      exit(FunctionError.Code.usage.exitStatus)
    }
    let name = words.removeFirst()
    do {
      exit(try await run(name, Words(words, of: name, options: Help.of(name)?.options ?? [])))
    } catch {
      exit(Console.complain(error))
    }
  }

  private static func run(_ name: String, _ words: Words) async throws -> Int32 {
    var words = words
    if CommandEntry.takesSubjects(name), let subject = words.subject() {
      return try ExternalCommand("\(name) \(subject)", words).run()
    }
    if let help = Help.of(name), words.flag("--help", "-h") { return say(help.page(with: commands)) }
    switch name {
    case "--help", "-h", "help":
      return say(words.subject().flatMap(Help.of).map { $0.page(with: commands) } ?? overview)
    case "--version": return Console.say("runner \(bundleVersion)\(BuiltCommit.suffix)")
    case "serve": return try await ServeCommand(words).run()
    case "up": return try await UpCommand(words).run()
    case "status": return try await StatusCommand(words).run()
    case "down": return try await DownCommand(words).run()
    case "reset": return try await ResetCommand(words).run()
    case "logs": return try await LogsCommand(words).run()
    case "events": return try await EventsCommand(words).run()
    case "rerun": return try await RerunCommand(words).run()
    case "record": return try await RecordCommand(words).run()
    case "invoke": return try InvokeCommand(words).run()
    case "list": return try ListCommand(words).run()
    case "resume": return try await ResumeCommand(words).run()
    case "migrate": return try await MigrateCommand(words).run()
    case "env": return try EnvCommand(words).run()
    case "validate": return try ValidateCommand(words).run()
    case "schedules": return try await SchedulesCommand(words).run()
    case "clock": return try await ClockCommand(words).run()
    case "completions": return try CompletionsCommand(words).run()
    case "doctor": return try await DoctorCommand(words).run()
    default: return try ExternalCommand(name, words).run()
    }
  }

  private static var overview: String {
    Help.overview(commands)
  }

  private static var commands: [CommandEntry] { (try? Project())?.manifest.commands ?? [] }

  private static func say(_ text: String) -> Int32 {
    Console.write(text, to: STDOUT_FILENO)
    return 0
  }
}
