import FunctionKit
import Glibc

/// The local runner: gets events to functions over HTTP, on schedules and from PostgreSQL row changes.
@main
struct Runner {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var words = Array(CommandLine.arguments.dropFirst())
    // The guard is started in a hurry and alone: nothing else of the runner may stand in its way.
    if words.first == "guard" { exit(Guard.main(Array(words.dropFirst()))) }
    guard !words.isEmpty else { exit(Console.help(to: STDERR_FILENO, status: 64)) }
    let name = words.removeFirst()
    do {
      exit(try await run(name, Words(words)))
    } catch {
      exit(Console.complain(error))
    }
  }

  private static func run(_ name: String, _ words: Words) async throws -> Int32 {
    switch name {
    case "--help", "-h", "help": return Console.help(to: STDOUT_FILENO, status: 0)
    case "--version": return Console.say("runner \(bundleVersion)")
    case "serve": return try await ServeCommand(words).run()
    case "up": return try await UpCommand(words).run()
    case "invoke": return try InvokeCommand(words).run()
    case "list": return try ListCommand(words).run()
    case "migrate": return try await MigrateCommand(words).run()
    case "validate": return try ValidateCommand(words).run()
    case "schedules": return try await SchedulesCommand(words).run()
    case "clock": return try await ClockCommand(words).run()
    case "doctor": return try await DoctorCommand(words).run()
    default: return try ExternalCommand(name, words).run()
    }
  }
}
