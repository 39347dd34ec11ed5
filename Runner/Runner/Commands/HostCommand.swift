import CLI
import FunctionKit
import Hosting
import Manifest

/// `runner host NAME...`: runs functions for an engine until a signal comes.
struct HostCommand {
  private static let port = ServeCommand.port.saying("the port; 0 takes a free one (8080)")
  private static let host = ServeCommand.host.saying("where it listens (127.0.0.1; with K_SERVICE 0.0.0.0)")
  private static let open = Flag(
    "--open",
    "something in front decides who may call: any address and any host name is accepted, no key is needed unless "
      + "RUNNER_KEY is set, and an event keeps its source")
  private static let concurrency = Option.number(
    "--concurrency", "N", in: 1...1_000,
    "how many calls of each function run at the same time, in place of its \"concurrency\"; one more gets 429")
  private static let dryRun = Flag("--dry-run", "functions decide everything and change nothing")

  static let spec = CommandSpec(
    "host", "some functions for an engine that has the events",
    [
      Operand("NAME").offering(.functions).required.repeated, port, host, open, concurrency, dryRun,
      ServeCommand.trustedProxies, LogLevel.option,
    ],
    about: """
      Serves these functions at the gateway's addresses: POST /functions/v1/NAME, and
      the routes of functions.json. One function alone takes every other path, too. It
      has no queue: it fires no schedules, follows no rows, and needs no database for
      itself. /_/health says that it answers, /_/ready that the functions' database
      does, too.
      """,
    notes: """
      On SIGTERM it takes nothing new, answers what has come, and exits with 0.

      Knative and Cloud Run set K_SERVICE and PORT, and of-watchdog's mode "http" sets
      upstream_url: then it is as with --open. Elsewhere, other addresses than
      127.0.0.1 and ::1 need RUNNER_KEY, and RUNNER_HOSTS has the names under which
      the gateway is called; see runner serve --help. RUNNER_PORT, PORT and
      RUNNER_HOST stand in for --port and --host, DATABASE_URL is where functions
      connect, and PUSH_FUNCTION_TIMEOUT is their time limit in seconds, in place of
      their "timeout".

      A watchdog of OpenFaaS that starts it for each request sets Http_Method: then it
      answers the request on stdin, and exits with 65, 70 or 75 if it has failed.

      AWS Lambda sets AWS_LAMBDA_RUNTIME_API: then it asks for events, as many at the
      same time as AWS_LAMBDA_MAX_CONCURRENCY says (1). Without a NAME it takes that
      of the handler.

      --port and --host count before these variables, Lambda's before Knative's, and
      Knative's before a watchdog's.

      exit: 64 an unknown function, or one that runs elsewhere, 70 the port is taken,
      75 Lambda gives no events, or an event has taken too long, 78 a variable is
      missing or cannot be used, or nobody would be told a text of "languages".
      """, run: { try await Self($0).run() })

  private var project: Project
  private var options = HostOptions()

  init(_ arguments: CommandArguments) throws {
    project = try Project(arguments)
    let environment = project.environment
    let isOpen = arguments[Self.open]
    let isService = environment[HostOptions.service] != nil
    options.isBehindEngine = isOpen || isService || environment[HostOptions.upstream] != nil
    let (host, number) = (arguments[Self.host], arguments[Self.port])
    options.engine = try HostEngine(listens: host != nil || number != nil, environment)
    options.host = host ?? environment["RUNNER_HOST"] ?? (isService ? "0.0.0.0" : options.host)
    if options.engine == .http {
      let port = try number ?? environment.port
      guard port != nil || !isService else {
        throw FunctionError(.misconfigured, "\(HostOptions.service) is set, but PORT is missing.")
      }
      options.port = port.map { UInt16($0) } ?? options.port
    }
    options.trustedProxies = arguments[ServeCommand.trustedProxies]
    options.logLevel = try LogLevel.asked(arguments, environment)
    options.isDryRun = arguments[Self.dryRun]
    let asked = arguments[Self.concurrency]
    let concurrency = try options.engine.concurrency(environment) ?? asked
    var names = arguments.operands
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
