import CLI
import FunctionKit
import Glibc
import Lifecycle
import Manifest

/// `runner invoke`: runs one function on one event, without the gateway.
enum InvokeCommand {
  private static let file = Option.text("--event", "FILE|-", "the event; - or nothing is stdin")
  private static let sample = Flag("--sample", "the sample that functions.json names")
  private static let dryRun = Flag("--dry-run", "decide everything, change nothing")
  private static let eventID = Option.text("--event-id", "ID", "the id for an event that has none")
  private static let name = Operand("NAME").offering(.functions).required

  static let spec = CommandSpec(
    "invoke", "run a function once, on an event from a file, stdin or its sample",
    [name, file, dryRun, eventID], [name, sample.required, dryRun, eventID], run: { try run($0) })

  private static func run(_ arguments: CommandArguments) throws -> Int32 {
    let project = try Project(arguments)
    let entry = try project.function(arguments)
    guard entry.target == nil else {
      throw FunctionError(
        .usage, "\(entry.name) runs elsewhere: call POST /functions/v1/\(entry.name) of a runner that serves.")
    }
    var event = arguments[file]
    if arguments[sample] {
      guard let sample = entry.sample else {
        throw FunctionError(.usage, "\(entry.name) has no sample in functions.json.")
      }
      event = "\(project.directory)/\(sample)"
    }
    if let event, event != "-" {
      let descriptor = open(event, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FunctionError(.noInput, "The event \(event) cannot be read.") }
      dup2(descriptor, STDIN_FILENO)
      close(descriptor)
    }
    let words =
      (arguments[dryRun] ? ["--dry-run"] : []) + (arguments[eventID].map { ["--event-id", $0] } ?? [])
    let environment = project.functionEnvironment()
    throw Exec.become(
      project.executable(of: entry), words, environment: environment.variables(for: entry), in: project.directory)
  }
}
