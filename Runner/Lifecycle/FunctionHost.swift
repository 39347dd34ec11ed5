package import FunctionKit
import Gateway
import HTTPClient
import Logging
package import Manifest
import Metrics
import Postgres
package import System
import Traces
import Workers

/// What `runner host` runs: functions behind the gateway, without a queue.
@RunnerLoop
package final class FunctionHost {
  /// The variable by which Knative and Cloud Run say that they run a service.
  package nonisolated static let service = "K_SERVICE"
  /// The time between two questions whether the functions' database answers.
  private static let interval = Duration.seconds(5)

  package struct Options: Sendable {
    package var host = "127.0.0.1"
    package var port: UInt16 = 8_080
    /// Whether an engine decides who may call.
    package var isBehindEngine = false
    /// Networks and addresses of proxies whose word counts about who calls; `nil` for those of the environment.
    package var trustedProxies: String?
    /// The least level of lines that are logged; `nil` for what is logged usually.
    package var logLevel: LogLevel?

    package init() {}
  }

  private let project: Project
  private let options: Options
  private let printer: LogPrinter
  private let log: Log
  private let figures = RunnerFigures()
  private let ended = WakeUp()
  private var isEnding = false
  /// The exit status: 0 unless the host had to stop by itself.
  package private(set) var status: Int32 = 0
  private var watchman: Watchman?
  private var pools: [String: FunctionPool] = [:]
  private var http: HTTPServer?
  private var isDatabaseAway = false
  /// `nil` unless traces are wanted.
  private var traces: Traces?
  private lazy var supervisor = Supervisor(log: log) { [self] code in
    status = code.exitStatus
    end()
  }

  package init(_ project: Project, _ options: Options) {
    (self.project, self.options) = (project, options)
    let printer = LogPrinter(least: options.logLevel)
    self.printer = printer
    log = Log(least: options.logLevel ?? .info) { printer.print($0) }
  }

  /// Starts everything; then calls are answered.
  package func start() async throws {
    Signals.watch { [self] in end() }
    let functions = project.manifest.functions
    let access = try GatewayAccess(
      host: options.host, manifest: project.manifest, environment: project.environment,
      trustedProxies: options.trustedProxies, isBehindEngine: options.isBehindEngine)
    var environment = project.functionEnvironment()
    for entry in functions {
      guard let name = environment.missing(for: entry).first else { continue }
      throw FunctionError(.misconfigured, "\(entry.name) needs the variable \(name), which is not set.")
    }
    traces = Traces(
      project.environment, of: project.manifest, client: LoopHTTPClient(on: RunnerLoop.loop, connections: 1),
      log: log)
    environment.gathersSpans = traces != nil
    environment.logLevel = options.logLevel
    let watchman = try Watchman(project: nil)
    self.watchman = watchman
    supervisor.start("guard", .startAgain(after: .seconds(1))) { try await watchman.run() }
    environment.marker = watchman.marker
    // Every call that is taken has a place for its process.
    let processes = functions.reduce(0) { $0 + $1.concurrency }
    let slots = WorkerSlots(limit: processes)
    for entry in functions { pools[entry.name] = makePool(entry, environment, slots) }
    if let url = environment.databaseURL, functions.contains(where: { $0.environment.contains("DATABASE_URL") }) {
      let database = Connection(
        url: url, applicationName: "runner host", connectTimeout: .seconds(2), statementTimeout: .seconds(2))
      // /_/ready is never asked before the database was.
      await ask(database)
      supervisor.start("database") { [self] in await follow(database) }
    }
    try await startGateway(access, processes)
  }

  /// Waits for a signal.
  package func waitForEnd() async {
    while !isEnding { await ended.wait(upTo: .seconds(3_600)) }
  }

  /// Answers the calls that run, and ends the processes.
  package func stop() async {
    log.info("Stopping")
    http?.drain()
    await supervisor.finish("gateway")
    for pool in pools.values {
      await withCheckedContinuation { done in pool.close(grace: nil) { done.resume() } }
    }
    await http?.finish(within: .seconds(5))
    http?.stop()
    await traces?.close()
    await supervisor.cancel()
    await watchman?.dismiss()
    await printer.finish()
  }

  private func end() {
    isEnding = true
    ended.signal()
  }

  private func makePool(
    _ entry: FunctionEntry, _ environment: FunctionEnvironment, _ slots: WorkerSlots
  ) -> FunctionPool {
    let launch = Launch(
      executable: project.executable(of: entry), environment: environment.variables(for: entry),
      directory: project.directory)
    let pool = FunctionPool(entry, launch: launch, slots: slots) { [printer] in printer.print($0, from: entry.name) }
    traces?.follow(pool)
    pool.report = { [figures = figures.of(entry.name)] job, outcome in figures.add(job.trigger, outcome) }
    return pool
  }

  private func startGateway(_ access: GatewayAccess, _ processes: Int) async throws {
    let report: @RunnerLoop () -> RunnerReport = { [self] in RunnerReport(pools, EventReport()) }
    let gateway = Gateway(
      access: access, limit: .concurrency,
      .init(
        readiness: { [self] in
          Readiness(problems: (isEnding ? [.draining] : []) + (isDatabaseAway ? [.database] : []))
        }, report: report, virtualTime: { nil }, figures: figures,
        metrics: MetricsPage(
          figures: figures, database: nil, report: report, leftOut: { 0 },
          lostSpans: { [traces] in traces?.lost ?? 0 }, services: { [] }),
        queue: nil, history: nil, log: log, traces: traces))
    gateway.publish(pools)
    let server = HTTPServer(
      gateway, reserving: DescriptorLimit.needed(forProcesses: processes),
      memory: BodyMemory(mebibytes: access.bodyMemory))
    try await server.start(host: options.host, port: options.port)
    http = server
    supervisor.start("gateway", .endServer(.unavailable)) { try await server.run() }
    if let advice = access.advice { log.warning(advice) }
    let host = options.host.contains(":") ? "[\(options.host)]" : options.host
    log.info("Serving", ["url": "http://\(host):\(server.port)", "functions": "\(pools.count)"])
  }

  /// Asks whether the functions' database answers, on a connection of its own.
  private func ask(_ database: Connection) async {
    do {
      _ = try await database.query("SELECT 1")
      isDatabaseAway = false
    } catch {
      let message: StaticString =
        error.refusal == nil
        ? "The functions' database does not answer" : "The functions' database refuses the connection"
      if !isDatabaseAway { log.warning(message, ["error.cause": "\(error)"]) }
      isDatabaseAway = true
    }
  }

  private func follow(_ database: Connection) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
      if !Task.isCancelled { await ask(database) }
    }
    await database.close()
  }
}
