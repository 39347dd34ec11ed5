import CLI
import FunctionKit
import Glibc
import Lifecycle
import Manifest

/// `runner invoke`: runs one function on one event, without the gateway.
struct InvokeCommand {
  private let project: Project
  private let entry: FunctionEntry
  private let event: String?
  private var arguments: [String] = []

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    project = try Project(&arguments)
    let (file, sample) = (try arguments.value("--event"), arguments.flag("--sample"))
    if arguments.flag("--dry-run") { self.arguments.append("--dry-run") }
    if let id = try arguments.value("--event-id") { self.arguments += ["--event-id", id] }
    entry = try project.function(&arguments)
    try arguments.finish()
    guard entry.target == nil else {
      throw FunctionError(
        .usage, "\(entry.name) runs elsewhere: call POST /functions/v1/\(entry.name) of a runner that serves.")
    }
    if sample, file != nil { throw FunctionError(.usage, "--event and --sample exclude each other.") }
    if sample, entry.sample == nil { throw FunctionError(.usage, "\(entry.name) has no sample in functions.json.") }
    let directory = project.directory
    event = sample ? entry.sample.map { "\(directory)/\($0)" } : file == "-" ? nil : file
  }

  func run() throws -> Int32 {
    if let event {
      let descriptor = open(event, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FunctionError(.noInput, "The event \(event) cannot be read.") }
      dup2(descriptor, STDIN_FILENO)
      close(descriptor)
    }
    let environment = project.functionEnvironment()
    throw Exec.become(
      project.executable(of: entry), arguments, environment: environment.variables(for: entry), in: project.directory)
  }
}
