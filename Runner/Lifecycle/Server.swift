package import FunctionKit
import Gateway
import Glibc
package import Logging
package import Manifest
package import Metrics
import Queue
package import System
import Traces

/// Everything that `runner serve` runs.
///
/// It stops in the opposite order of its start.
@RunnerLoop
package final class Server {
  private let options: Options
  package let printer: LogPrinter
  /// The log that is written while it serves.
  package let log: Log
  private let claim: ServingClaim?
  package let figures = RunnerFigures()
  private let shutdown = Shutdown()
  private let supervisor: Supervisor
  private let database: ServerDatabase
  private let served: ServedProject
  private let services: Services
  private var guardKeeper: GuardKeeper?
  private var record: RunRecord?
  private let calls: ServedCalls
  private let manager = ServiceManager { FunctionKit.Environment.current()[$0] }

  /// - Parameter claim: the claim on the project's folder, which the server holds while it lives.
  package init(project: Project, options: Options, claim: ServingClaim?) {
    (self.options, self.claim) = (options, claim)
    let printer = LogPrinter(
      file: (try? project.stateDirectory()).map { LogFile(directory: $0) }, least: options.logLevel)
    self.printer = printer
    log = Log(least: options.logLevel ?? .info) { printer.print($0) }
    supervisor = Supervisor(log: log) { [shutdown] in shutdown.giveUp($0) }
    database = ServerDatabase(options, log: log)
    served = ServedProject(project, on: database, options, figures: figures, printer: printer, log: log)
    services = Services(served, printer: printer, log: log)
    calls = ServedCalls(served, options, figures: figures, log: log)
  }

  /// Starts everything; then calls and events are answered.
  ///
  /// - Returns: `false` if a signal came first and everything was stopped again.
  package func start() async throws -> Bool {
    shutdown.followSignals()
    served.trace()
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
    try await startGuard()
    try await served.checkLanguages()
    let url = try await database.open(for: project, supervisor)
    try await served.useDatabase()
    try await services.start(supervisor) { [self] in await announce() }
    try served.makePools()
    let queue = try await startEvents(url)
    try await calls.start(access, url, queue, shutdown, supervisor, pages: options.pages?(self))
    if options.watches {
      supervisor.start("files") { [self] in
        await served.followFiles { [calls] in calls.publish($0) }
      }
    }
    await announce()
    log.info("Serving", ["url": self.url, "functions": "\(served.pools.count)"])
    if let key = options.madeKey { log.info("RUNNER_KEY is not set: calls need the key that was made", ["key": key]) }
    tellServiceManager()
  }

  /// Starts the guard, ends what dead runners of the project have left, and records the id that marks this runner's
  /// processes.
  private func startGuard() async throws {
    let guardKeeper = try GuardKeeper(project: project.hasOwnDatabase ? project.directory : nil)
    self.guardKeeper = guardKeeper
    supervisor.start("guard", .startAgain(after: .seconds(1))) { try await guardKeeper.run() }
    served.mark(guardKeeper.marker)
    let (project, id) = (project, guardKeeper.id)
    do {
      try await RunRecord.endLeftovers(of: project, log: log)
      record = try await BlockingThread.run { try RunRecord(id: id, in: project) }
    } catch {
      // The folder may be read-only.
      log.warning(
        "If this runner and its guard are killed, the next start will not find what they leave",
        ["error.cause": "\(error)"])
    }
  }

  private func startEvents(_ url: String) async throws -> EventQueue {
    let manifest = project.manifest
    let queue = try await EventQueue.join(
      url, manifest, pools: served.pools, group: options.selection.group(of: manifest.bundle),
      leaseSeconds: options.leaseSeconds, log: log
    ) { [services] in await services.setClock($0) }
    served.use(queue)
    for part in EventQueue.Part.allCases {
      supervisor.start(part.rawValue, part == .events ? .endServer(.failed) : .startAgain()) { await queue.run(part) }
    }
    supervisor.start("paused functions") { [served] in await served.resumeMended(of: queue) }
    return queue
  }

  /// Tells other commands where everything is.
  private func announce() async {
    let state = RunnerState(
      url: url, pid: getpid(), environment: environment.services,
      database: RunnerState.digest(databaseURL ?? ""), isLocal: database.isLocal,
      missing: served.missingServices.map(\.name))
    let project = project
    do { try await BlockingThread.run { try state.write(project) } } catch {
      log.warning("Other commands cannot find this runner", ["error.cause": "\(error)"])
    }
  }

  /// How long events and calls that run have once it stops.
  private static let grace = Duration.seconds(10)

  /// Waits for what runs, within limits, records how it ended, and stops everything that was started.
  package func stop() async {
    log.info("Stopping")
    manager?.tell("STOPPING=1", "STATUS=Stopping")
    await supervisor.cancel("files")
    calls.drain()
    served.queue?.stop()
    served.breakOff(after: Self.grace)
    await supervisor.finish("gateway", "events")
    await supervisor.cancel("schedules", "listener", "paused functions", "history")
    await served.drain()
    await calls.stop()
    await served.traces?.close()
    await supervisor.cancel()
    await served.queue?.close()
    await services.stop()
    if claim != nil { unlink("\(project.state)/\(RunnerState.file)") }
    await database.close()
    await guardKeeper?.dismiss()
    record?.remove()
    await printer.finish()
  }
}

// What others see.
extension Server {
  package var project: Project { served.project }
  package var environment: FunctionEnvironment { served.environment }

  /// Where the runner itself connects; functions may have a pooler.
  package var databaseURL: String? { database.url }

  /// Where the gateway listens.
  package var url: String {
    "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(calls.port)"
  }

  package var isEnding: Bool { shutdown.isAsked }

  /// The exit status: 0 unless the server had to stop by itself.
  package var status: Int32 { shutdown.status }

  /// Waits for work, which a signal cancels.
  package func untilSignal<Answer: Sendable>(
    _ work: @escaping @RunnerLoop () async throws -> Answer
  ) async throws -> Answer {
    try await shutdown.untilAsked(work)
  }

  /// Waits for a signal that asks the runner to end.
  ///
  /// Then, with `--drain`, shows balancers that it will end.
  ///
  /// Everything goes on until that time is over or another signal comes.
  package func waitForEnd() async { await shutdown.wait(draining: options.drainSeconds, log: log) }

  /// The runner's report on its work.
  package func report() -> RunnerReport { served.report() }

  /// Counts up with all that was done and can be read in the database.
  package var changes: Int { (served.queue?.changes ?? 0) + calls.written }

  /// The time of a virtual clock; `nil` while events go by the real one.
  package var virtualTime: String? { served.queue?.virtualTime }

  /// Tells systemd, or another service manager that has set `NOTIFY_SOCKET`, that calls are answered and events taken,
  /// and from then on that this thread goes on working.
  private func tellServiceManager() {
    guard let manager else { return }
    manager.tell("READY=1", "STATUS=\(serviceStatus)")
    supervisor.start("service manager") { [self] in
      while !Task.isCancelled {
        manager.tell("WATCHDOG=1", "STATUS=\(serviceStatus)")
        try await Task.sleep(for: manager.beat)
      }
    }
  }

  private var serviceStatus: String {
    guard let queue = served.queue else { return "Starting" }
    let problems = served.readiness(of: queue, isEnding: isEnding).problems
    guard !problems.isEmpty else { return "Serving \(served.pools.count) functions at \(url)" }
    return "Not ready: \(problems.map(\.text).joined(separator: ", "))"
  }
}
