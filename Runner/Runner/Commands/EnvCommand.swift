import CLI
import FunctionKit
import Gateway
import Lifecycle
import Manifest
import Terminal

/// `runner env`: lists the variables of each function and the runner, their sources and what is missing; no values.
enum EnvCommand {
  static let spec = CommandSpec(
    "env", "which variables the functions get, and which are missing",
    [
      Operand("FUNCTION", "of these only; \"runner\" for what the runner itself reads").offering(.functions).repeated,
      Reply.option,
    ],
    notes: """
      No values are shown. A variable is set, missing, or optional: not set, and not
      needed by itself. Another one may need it, as a key of APNs needs
      APNS_PRODUCTION: then runner doctor names it. A value comes from the
      environment, .env beside functions.json, a file that NAME_FILE names, a
      service, or functions.json.
      """, run: { try run($0) })

  private static func run(_ arguments: CommandArguments) throws -> Int32 {
    let context = try CommandContext(arguments)
    let names = arguments.operands
    let known = [runner] + context.project.manifest.functions
    for name in names where !known.contains(where: { $0.name == name }) {
      let near = Suggestion.phrase(for: name, among: known.map(\.name))
      throw FunctionError(.usage, "There is no function \(name);\(near) see runner list.")
    }
    let lines = EnvReport(context.project).lines(names.isEmpty ? known : known.filter { names.contains($0.name) })
    var table = Table(["function", "variable", "state", "from"], flexible: ["from"])
    for line in lines { table.add([line.function, line.variable, line.state.rawValue, line.from ?? ""]) }
    return try context.answer(lines, text: table.text)
  }

  /// The runner's own variables, as the entry of a function.
  private static let runner = FunctionEntry(
    "runner",
    optional: [
      "DATABASE_URL", "RUNNER_DATABASE_URL", "RUNNER_HOST", "RUNNER_PORT", "PORT", Project.stateVariable,
      Settings.keyVariable, GatewayAccess.hostsVariable, GatewayAccess.proxiesVariable, CrossOrigin.variable,
      BodyMemory.variable, LogLevel.variable,
      "OTEL_EXPORTER_OTLP_ENDPOINT", Settings.traceHeadersVariable,
    ])
}

/// The variables of each function, without values.
struct EnvReport {
  enum State: String, Encodable {
    case set, missing, optional
  }

  struct Line: Encodable, Equatable {
    var function: String
    var variable: String
    var state: State
    /// The source of the value; `nil` if there is no value.
    var from: String?
  }

  private let settings: Settings
  private let environment: FunctionEnvironment
  private let hasOwnDatabase: Bool

  init(_ project: Project) {
    settings = project.settings
    environment = project.functionEnvironment()
    hasOwnDatabase = project.hasOwnDatabase
  }

  func lines(_ entries: [FunctionEntry]) -> [Line] {
    entries.flatMap { entry in
      (entry.environment + (entry.http.secret.map { [$0] } ?? [])).map { name in
        let source = source(of: name, in: entry)
        let state: State = source != nil ? .set : entry.optional.contains(name) ? .optional : .missing
        return Line(function: entry.name, variable: name, state: state, from: source)
      }
    }
  }

  private func source(of name: String, in entry: FunctionEntry) -> String? {
    switch settings.origin(of: name) {
    case .environment: "the environment"
    case .dotEnv: ".env"
    case .file(let path): path
    case nil where name == "DATABASE_URL": hasOwnDatabase ? "the runner's own database" : nil
    case nil where environment.services[name] != nil: "a service"
    case nil: entry.settings[name] == nil ? nil : "functions.json"
    }
  }
}
