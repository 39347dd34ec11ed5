import EventLoop
package import FunctionKit
package import Gateway
import Glibc
import HTTPClient
import LocalPostgres
package import Logging
package import Manifest
package import Metrics
import Queue
package import System
import Targets
import Traces
import Workers

/// Everything that `runner serve` runs.
///
/// It stops in the opposite order of its start.
@RunnerLoop
package final class Server {
  /// The options of the command line.
  package struct Options: Sendable {
    package var host = "127.0.0.1"
    package var port: UInt16 = 54321
    package var startsServices = true
    /// Whether a database that is not the runner's own is only for tests, so that stand-ins may be used with it.
    package var emulates = false
    /// Whether the runner may change a database that is not its own.
    package var migrates = false
    /// How long a silent runner keeps its partitions, in seconds.
    package var leaseSeconds = 15
    /// Whether the runner follows changes of `functions.json` and of executables.
    package var watches = false
    /// The functions that this runner has.
    package var selection = FunctionSelection()
    /// How long the runner still takes calls after the signal to end, in seconds.
    ///
    /// It is not ready during that time.
    package var drainSeconds = 0
    /// Makes the pages for people, once the server has its database; `nil` if there are none.
    package var pages: (@RunnerLoop @Sendable (Server) -> (any PageServer)?)?
    /// Networks and addresses of proxies whose word counts about who calls; `nil` for those of the environment.
    package var trustedProxies: String?
    /// The key that was made because none was set, to be said once it counts.
    package var madeKey: String?
    /// The least level of lines that are logged; `nil` for what is logged usually.
    package var logLevel: LogLevel?
    /// How long the runner waits for a database that starts, in seconds.
    package var waitSeconds = 60

    package init() {}
  }

  package var project: Project
  let options: Options
  package let printer: LogPrinter
  package let log: Log
  private let claim: ServingClaim?
  let ended = WakeUp()
  package var isEnding = false
  /// The exit status: 0 unless the server had to stop by itself.
  package private(set) var status: Int32 = 0
  /// Cancels the work of ``untilSignal(_:)``.
  var breakOff: (@RunnerLoop () -> Void)?
  var postgres: LocalPostgres?
  /// Where the runner itself connects; functions may have a pooler.
  package private(set) var databaseURL: String?
  private var watchman: Watchman?
  var record: RunRecord?
  var services: [ServiceProcess] = []
  let slots: WorkerSlots
  var pools: [String: FunctionPool] = [:]
  /// The pools of functions that are no longer in `functions.json` but still have events to finish.
  var retired: [String: FunctionPool] = [:]
  private(set) lazy var supervisor = Supervisor(log: log) { [self] in giveUp($0) }
  var files: ProjectFiles
  var fileWatch: FileWatch
  var pausedFunctions: PausedFunctions
  /// What a changed schema has no more, by the functions whose events wait because of it.
  var held: [String: String] = [:]
  let clockFiles = ClockFiles()
  private(set) var queue: EventQueue?
  var gateway: Gateway?
  var http: HTTPServer?
  var history: CallHistory?
  package let figures = RunnerFigures()
  package var environment: FunctionEnvironment
  /// The settings of the functions that run elsewhere.
  var targetSettings: [String: TargetSettings] = [:]
  var targets: [String: Target] = [:]
  let manager = ServiceManager { FunctionKit.Environment.current()[$0] }
  private(set) lazy var client = LoopHTTPClient(
    on: RunnerLoop.loop, connections: TargetEntry.mostInFlight,
    memory: ((try? BodyMemory.mebibytes(project.environment)) ?? BodyMemory.usual) << 20)
  /// `nil` unless traces are wanted.
  private(set) var traces: Traces?

  /// - Parameter claim: the claim on the project's folder, which the server holds while it lives.
  package init(project: Project, options: Options, claim: ServingClaim?) {
    self.project = project
    self.options = options
    self.claim = claim
    environment = FunctionEnvironment(own: project.environment, stampsEvents: true)
    let printer = LogPrinter(
      file: (try? project.stateDirectory()).map { LogFile(directory: $0) }, least: options.logLevel)
    self.printer = printer
    environment.logLevel = options.logLevel
    log = Log(least: options.logLevel ?? .info) { printer.print($0) }
    slots = WorkerSlots(limit: project.manifest.concurrency)
    files = ProjectFiles(project)
    fileWatch = FileWatch(files.watched)
    pausedFunctions = PausedFunctions(project, files)
  }

  /// Where the gateway listens.
  package var url: String {
    "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(http?.port ?? 0)"
  }

  /// Starts everything; then calls and events are answered.
  ///
  /// - Returns: `false` if a signal came first and everything was stopped again.
  package func start() async throws -> Bool {
    followSignals()
    traces = Traces(project.environment, of: project.manifest, client: client, log: log)
    environment.gathersSpans = traces != nil
    let access = try GatewayAccess(
      host: options.host, manifest: project.manifest, environment: project.environment,
      trustedProxies: options.trustedProxies)
    do {
      try await untilSignal { [self] in try await startAll(access) }
    } catch {
      await stop()
      if isEnding { return false }
      throw error
    }
    return true
  }

  private func startAll(_ access: GatewayAccess) async throws {
    let watchman = try Watchman(project: project.hasOwnDatabase ? project.directory : nil)
    self.watchman = watchman
    supervisor.start("guard", .startAgain(after: .seconds(1))) { try await watchman.run() }
    environment.marker = watchman.marker
    await keepRecord(of: watchman)
    if project.hasOwnDatabase {
      let local = try await LocalPostgres.start(project: project.directory)
      postgres = local
      log.info("PostgreSQL is up", ["adopted": "\(local.adopted)", "data": local.dataDirectory])
      supervisor.start("postgres") { [self] in try await keepPostgres() }
    }
    let databaseURL = try postgres?.url ?? project.databaseURL()
    self.databaseURL = databaseURL
    environment.databaseURL = try postgres?.url ?? project.functionDatabaseURL()
    environment.isLocal = isLocal
    try await waitForDatabase(databaseURL)
    if !project.hasOwnDatabase, (try? await Pooler.sharesSessions(of: databaseURL)) == true {
      throw FunctionError(.misconfigured, "\(Pooler.advice).")
    }
    try await migrate(project.manifest)
    try await startServices()
    targetSettings = try targetSettings(of: project.manifest, environment)
    for entry in project.manifest.functions { pools[entry.name] = makePool(entry) }
    let queue = try await startEvents(databaseURL)
    try await startGateway(access, databaseURL, queue)
    if options.watches { supervisor.start("files") { [self] in await followFiles() } }
    await announce()
    log.info("Serving", ["url": url, "functions": "\(pools.count)"])
    if let key = options.madeKey { log.info("RUNNER_KEY is not set: calls need the key that was made", ["key": key]) }
    tellServiceManager()
  }

  /// Stops the server although nobody asked for it.
  private func giveUp(_ code: FunctionError.Code) {
    (isEnding, status) = (true, code.exitStatus)
    ended.signal()
    breakOff?()
  }

  /// Waits for what runs, records how it ended, and stops everything that was started.
  package func stop() async {
    log.info("Stopping")
    manager?.tell("STOPPING=1", "STATUS=Stopping")
    await supervisor.cancel("files")
    http?.drain()
    queue?.stop()
    await supervisor.finish("gateway", "events")
    await supervisor.cancel("schedules", "listener", "paused functions", "history")
    await drain()
    await http?.finish(within: .seconds(5))
    http?.stop()
    await history?.close()
    await traces?.close()
    await supervisor.cancel()
    await queue?.close()
    for service in services { await service.stop() }
    if claim != nil { unlink("\(project.state)/\(RunnerState.file)") }
    do { _ = try await postgres?.stop() } catch {
      log.warning("PostgreSQL could not be stopped", ["error.cause": "\(error)"])
    }
    await watchman?.dismiss()
    record?.remove()
    await printer.finish()
  }

  private func startEvents(_ url: String) async throws -> EventQueue {
    let queue = try await EventQueue.join(
      url, project.manifest, pools: pools, group: options.selection.group(of: project.manifest.bundle),
      leaseSeconds: options.leaseSeconds, log: log
    ) { [clockFiles, log] in await clockFiles.write($0, log: log) }
    self.queue = queue
    for function in held.keys { queue.hold(function) }
    for part in EventQueue.Part.allCases {
      supervisor.start(part.rawValue, part == .events ? .endServer(.failed) : .startAgain()) { await queue.run(part) }
    }
    supervisor.start("paused functions") { [self] in await resumeMended(of: queue) }
    return queue
  }

  private func drain() async {
    let open = Array(pools.values) + retired.values
    var left = open.count
    guard left > 0 else { return }
    await withCheckedContinuation { done in
      for pool in open {
        pool.close(grace: .seconds(10)) {
          left -= 1
          if left == 0 { done.resume() }
        }
      }
    }
  }
}
