import CLI
import FunctionKit
import Hosting
import Manifest

/// `runner host NAME...`: runs functions for an engine until a signal comes.
struct HostCommand {
  private var project: Project
  private var options = HostOptions()

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    project = try Project(&arguments)
    let environment = project.environment
    let isOpen = arguments.flag("--open")
    let isService = environment[HostOptions.service] != nil
    options.isBehindEngine = isOpen || isService || environment[HostOptions.upstream] != nil
    let (host, number) = (try arguments.value("--host"), try arguments.number("--port", in: 0...65_535))
    options.engine = try HostEngine(listens: host != nil || number != nil, environment)
    options.host = host ?? environment["RUNNER_HOST"] ?? (isService ? "0.0.0.0" : options.host)
    if options.engine == .http {
      let port = try number ?? environment.port
      guard port != nil || !isService else {
        throw FunctionError(.misconfigured, "\(HostOptions.service) is set, but PORT is missing.")
      }
      options.port = port.map { UInt16($0) } ?? options.port
    }
    options.trustedProxies = try arguments.value("--trusted-proxy")
    options.logLevel = try LogLevel.asked(&arguments, environment)
    options.isDryRun = arguments.flag("--dry-run")
    let asked = try arguments.number("--concurrency", in: 1...1_000)
    let concurrency = try options.engine.concurrency(environment) ?? asked
    var names = arguments.operands()
    try arguments.finish()
    if names.isEmpty, let name = options.engine.function(environment) { names = [name] }
    guard !names.isEmpty else {
      throw FunctionError(.usage, "Which functions? Give their names: runner host NAME...; see runner list.")
    }
    guard names.count == 1 || options.engine == .http else {
      throw FunctionError(.usage, "This engine takes one function: runner host NAME.")
    }
    try select(names, concurrency, timeout: environment.timeLimit)
  }

  /// - Parameter timeout: the time limit of each function in seconds, in place of its own.
  private mutating func select(_ names: [String], _ concurrency: Int?, timeout: Double?) throws {
    let selection = try FunctionSelection(only: names).checked(by: project.manifest)
    project.manifest = project.manifest.selecting(selection)
    for index in project.manifest.functions.indices {
      let entry = project.manifest.functions[index]
      guard entry.target == nil else {
        throw FunctionError(.usage, "\(entry.name) has a \"url\" and runs elsewhere: it cannot be hosted here.")
      }
      if let concurrency { project.manifest.functions[index].concurrency = concurrency }
      if let timeout { project.manifest.functions[index].timeout = Int(min(timeout, 86_400).rounded(.up)) }
    }
  }

  func run() async throws -> Int32 { try await FunctionHost(project, options).run() }
}
