import FunctionKit
import Gateway
import HTTPClient
import Lifecycle
import Logging
package import Manifest
import Metrics
package import System
import Traces
import Workers

/// The parts that `runner host` runs: functions for an engine that has the events, with the runner's processes and
/// gateway, and without a queue.
@RunnerLoop
package final class FunctionHost {
  let project: Project
  let options: HostOptions
  let log: Log
  private(set) var isEnding = false
  private(set) lazy var supervisor = Supervisor(log: log) { [self] code in end(code.exitStatus) }
  /// Where the functions' database is; `nil` if none of them uses it.
  private(set) var databaseURL: String?
  /// How many processes there may be.
  var processes: Int { functions.reduce(0) { $0 + $1.concurrency } }
  private let printer: LogPrinter
  private let figures = RunnerFigures()
  private let ended = WakeUp()
  /// Called at once when the host is to end.
  var onEnd: (@RunnerLoop () -> Void)?
  private var status: Int32 = 0
  private var guardKeeper: GuardKeeper?
  private var pools: [String: FunctionPool] = [:]
  /// `nil` unless traces are wanted.
  private var traces: Traces?

  /// - Parameter project: its functions are those that are run.
  package init(_ project: Project, _ options: HostOptions) {
    (self.project, self.options) = (project, options)
    let printer = LogPrinter(least: options.logLevel)
    self.printer = printer
    log = Log(least: options.logLevel ?? .info) { printer.print($0) }
  }

  /// Runs until a signal comes, or until the engine has nothing more to do.
  ///
  /// - Returns: the exit status: 0 unless the host had to stop by itself, or a watchdog's request has failed.
  package func run() async throws -> Int32 {
    do {
      switch options.engine {
      case .http:
        try await start()
        try await HTTPFront(self).run()
      case .watchdog:
        let request = WatchdogRequest.read()
        try await start()
        try await WatchdogFront(self).run(request)
      case .lambda(let address):
        let front = LambdaFront(self, address)
        let gateway: Gateway
        do {
          try await start()
          gateway = try makeGateway()
        } catch {
          if !isEnding { await front.fail(error) }
          throw error
        }
        await front.run(gateway)
      }
    } catch is CancellationError where isEnding {
      // A signal came while it started.
    } catch {
      await stop()
      throw error
    }
    await stop()
    return status
  }

  /// Refuses texts of the app's own that nobody would be told, unless a signal ends the host first.
  ///
  /// A watchdog's host is there for one request, which would have to wait for the answer. Lambda gives a start 10 seconds.
  private func checkLanguages(marks: [String: String]) async throws {
    guard options.engine != .watchdog else { return }
    let limit: Duration = options.engine == .http ? .seconds(20) : .seconds(5)
    let doctors = BundleDoctors(project, marks: marks, timeLimit: limit)
    let check = Task { try await doctors.checkLanguages(log: log) }
    onEnd = { check.cancel() }
    defer { onEnd = nil }
    if isEnding { check.cancel() }
    try await check.value
  }

  var functions: [FunctionEntry] { project.manifest.functions }

  /// Waits for a signal, or for another reason to end.
  func waitForEnd() async {
    while !isEnding { await ended.wait(upTo: .seconds(3_600)) }
  }

  /// Ends the host.
  ///
  /// - Parameter status: its exit status; the first that is not 0 counts.
  func end(_ status: Int32 = 0) {
    if self.status == 0 { self.status = status }
    guard !isEnding else { return }
    isEnding = true
    ended.signal()
    onEnd?()
  }

  /// Brings an event to a process of a function.
  func outcome(of event: Envelope, by function: String) async -> WorkerOutcome {
    guard let pool = pools[function] else { return WorkerOutcome(ending: .couldNotStart("there is no \(function)")) }
    return await withCheckedContinuation { done in
      let trigger: InvocationTrigger = event.type == EventType.schedule ? .schedule : .queue
      pool.submit(
        Job(id: event.id, line: event.document.line, trigger: trigger) { done.resume(returning: $0) })
    }
  }

  /// A gateway for an engine that lets callers in, and asks nothing else of it.
  func makeGateway() throws -> Gateway {
    let access = try GatewayAccess(
      host: options.host, manifest: project.manifest, environment: project.environment, isBehindEngine: true)
    return makeGateway(access) { Readiness() }
  }

  /// A gateway that leads to the functions.
  func makeGateway(_ access: GatewayAccess, readiness: @escaping @RunnerLoop () -> Readiness) -> Gateway {
    let report: @RunnerLoop () -> RunnerReport = { [self] in RunnerReport(pools, EventReport()) }
    let gateway = Gateway(
      access: access, limit: .concurrency, isForOne: functions.count == 1,
      .init(
        readiness: readiness, report: report, virtualTime: { nil }, figures: figures,
        metrics: MetricsPage(
          figures: figures, database: nil, report: report, leftOut: { 0 },
          lostSpans: { [traces] in traces?.lost ?? 0 }, services: { [] }),
        queue: nil, history: nil, log: log, traces: traces))
    gateway.publish(pools)
    return gateway
  }

  /// Lets the processes finish what they do, each event within its own time limit, and waits for their end.
  func closePools() async {
    for pool in pools.values {
      await withCheckedContinuation { done in pool.close(grace: nil) { done.resume() } }
    }
  }

  /// Ends the processes, whatever they do.
  func endProcesses() {
    for pool in pools.values { pool.close(grace: .zero) {} }
  }

  private func start() async throws {
    Signals.watch { [self] in end() }
    var environment = project.functionEnvironment()
    for entry in functions {
      guard let name = environment.missing(for: entry).first else { continue }
      throw FunctionError(.misconfigured, "\(entry.name) needs the variable \(name), which is not set.")
    }
    if functions.contains(where: { $0.environment.contains("DATABASE_URL") }) { databaseURL = environment.databaseURL }
    traces = Traces(
      project.environment, of: project.manifest, client: LoopHTTPClient(on: RunnerLoop.loop, connections: 1),
      log: log)
    environment.gathersSpans = traces != nil
    environment.logLevel = options.logLevel
    let guardKeeper = try GuardKeeper(project: nil)
    self.guardKeeper = guardKeeper
    supervisor.start("guard", .startAgain(after: .seconds(1))) { try await guardKeeper.run() }
    environment.marker = guardKeeper.marker
    try await checkLanguages(marks: environment.base)
    // Every call that is taken has a place for its process.
    let slots = WorkerSlots(limit: processes)
    for entry in functions { pools[entry.name] = makePool(entry, environment, slots) }
  }

  private func makePool(
    _ entry: FunctionEntry, _ environment: FunctionEnvironment, _ slots: WorkerSlots
  ) -> FunctionPool {
    var variables = environment.variables(for: entry)
    variables[FunctionKit.Environment.largestEvent] = options.engine.largestEvent.map { "\($0)" }
    let launch = Launch(
      executable: project.executable(of: entry), arguments: options.isDryRun ? ["--dry-run"] : [],
      environment: variables, directory: project.directory)
    let pool = FunctionPool(entry, launch: launch, slots: slots) { [printer] in printer.print($0, from: entry.name) }
    traces?.follow(pool)
    pool.observer.report = { [figures = figures.of(entry.name)] job, outcome in figures.add(job.trigger, outcome) }
    return pool
  }

  private func stop() async {
    await closePools()
    await traces?.close()
    await supervisor.cancel()
    await guardKeeper?.dismiss()
    await printer.finish()
  }
}
