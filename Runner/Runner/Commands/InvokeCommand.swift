import FunctionKit
import Glibc

/// `runner invoke`: one function, one event, without the gateway.
struct InvokeCommand {
  private let project: Project
  private let entry: FunctionEntry
  private let event: String?
  private var arguments: [String] = []

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    let (file, sample) = (try words.value("--event"), words.flag("--sample"))
    if words.flag("--dry-run") { arguments.append("--dry-run") }
    if let id = try words.value("--event-id") { arguments += ["--event-id", id] }
    guard let name = words.word() else { throw FunctionError(.usage, "Which function? See runner list.") }
    try words.finish()
    guard let entry = project.manifest[name] else {
      throw FunctionError(.usage, "There is no function \(name); see runner list.")
    }
    if sample, file != nil { throw FunctionError(.usage, "--event and --sample exclude each other.") }
    if sample, entry.sample == nil { throw FunctionError(.usage, "\(name) has no sample in functions.json.") }
    self.entry = entry
    let directory = project.directory
    event = sample ? entry.sample.map { "\(directory)/\($0)" } : file == "-" ? nil : file
  }

  func run() throws -> Int32 {
    if let event {
      let descriptor = open(event, O_RDONLY)
      guard descriptor >= 0 else { throw FunctionError(.noInput, "The event \(event) cannot be read.") }
      dup2(descriptor, STDIN_FILENO)
      close(descriptor)
    }
    let environment = FunctionEnvironment(
      databaseURL: try? Environment.current().databaseURL(in: project),
      services: RunnerState.read(project)?.environment ?? [:])
    throw Replacement.become(
      project.executable(of: entry), arguments, environment: environment.variables(for: entry))
  }
}

extension Environment {
  /// `DATABASE_URL`, else the project's own database.
  func databaseURL(in project: Project) throws(FunctionError) -> String {
    if let url = self["DATABASE_URL"] { return url }
    return try Environment([:], workingDirectory: project.directory).databaseURL()
  }
}
