import EventLoop
import FoundationEssentials
import FunctionKit
import Gateway
import Glibc
import LocalPostgres
package import Logging
package import Manifest
import Metrics
import Postgres
import Queue
package import System
import Workers

/// Everything that `runner serve` runs, in the order in which it starts, and backwards when it stops.
@RunnerLoop
package final class Server {
  /// What was asked for on the command line.
  package struct Options: Sendable {
    package var host = "127.0.0.1"
    package var port: UInt16 = 54321
    package var startsServices = true
    /// Whether a database that is not the runner's own is for trying out only, so that stand-ins may be used with it.
    package var emulates = false
    /// Whether a database that is not the runner's own may be changed.
    package var migrates = false
    /// How long the lanes of a runner that is not heard of stay its own.
    package var leaseSeconds = 15
    /// Whether changes of `functions.json` and of executables are followed.
    package var watches = false
    /// Which functions this runner has.
    package var selection = FunctionSelection()
    /// How long calls are still taken after the signal to end, in seconds, while readiness says no.
    package var drainSeconds = 0
    /// How long a database is waited for that is just starting, in seconds.
    package var waitSeconds = 60

    package init() {}
  }

  package var project: Project
  let options: Options
  package let printer: LogPrinter
  let log: Log
  private let claim: ServingClaim?
  let ended = Bell()
  package var isEnding = false
  /// How the process ends: 0 unless it had to give up.
  package private(set) var status: Int32 = 0
  /// Breaks off what a signal is not to wait for.
  var breakOff: (@RunnerLoop () -> Void)?
  var postgres: LocalPostgres?
  private var watchman: Watchman?
  var record: RunRecord?
  private var services: [ServiceProcess] = []
  let slots: WorkerSlots
  var pools: [String: FunctionPool] = [:]
  /// The pools of functions that are no longer in `functions.json` and still have something to finish.
  var retired: [String: FunctionPool] = [:]
  var notified: [String: NotifiedFunction] = [:]
  private var supervisor: Supervisor?
  private var handling: Task<Void, Never>?
  private var watching: Task<Void, Never>?
  var fileWatch: FileWatch
  var pausedFunctions: PausedFunctions
  private var connections: [Connection] = []
  let clock = VirtualClock()
  private var clockFiles = ClockFiles()
  private(set) var wakeUps: WakeUps?
  private(set) var schedules: ScheduleService?
  private(set) var timekeeper: Timekeeper?
  private(set) var engine: EventEngine?
  var gateway: Gateway?
  var http: HTTPServer?
  var history: CallHistory?
  let figures = RunnerFigures()
  var environment: FunctionEnvironment

  /// - Parameter claim: on the project's folder, held as long as the server lives.
  package init(project: Project, options: Options, claim: ServingClaim?) {
    self.project = project
    self.options = options
    self.claim = claim
    environment = FunctionEnvironment(own: project.environment, stampsEvents: true)
    let printer = LogPrinter(file: (try? project.stateDirectory()).map { LogFile(directory: $0) })
    self.printer = printer
    log = Log { printer.print($0) }
    slots = WorkerSlots(limit: project.manifest.concurrency)
    fileWatch = FileWatch(project.watchedFiles)
    pausedFunctions = PausedFunctions(project)
  }

  /// Where the gateway listens.
  package var url: String {
    "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(http?.port ?? 0)"
  }

  /// Starts everything; when this returns, calls and events are answered.
  ///
  /// - Returns: `false` when a signal came first: then everything is stopped again.
  package func start() async throws -> Bool {
    followSignals()
    let access = try GatewayAccess(host: options.host, manifest: project.manifest, environment: project.environment)
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
    let watchman = try Watchman(project: project.hasOwnDatabase ? project.directory : nil, log: log)
    self.watchman = watchman
    environment.marker = watchman.marker
    await keepRecord(of: watchman)
    if project.hasOwnDatabase {
      let local = try await LocalPostgres.start(project: project.directory)
      postgres = local
      log.info("PostgreSQL is up", ["adopted": "\(local.adopted)", "data": local.dataDirectory])
    }
    let databaseURL = try postgres?.url ?? project.databaseURL()
    (environment.databaseURL, environment.isLocal) = (databaseURL, isLocal)
    try await waitForDatabase(databaseURL)
    if !project.hasOwnDatabase, (try? await Pooler.sharesSessions(of: databaseURL)) == true {
      log.warning("The database cannot be relied on", ["problem": Pooler.advice])
    }
    try await migrate(project.manifest)
    try await startServices()
    for entry in project.manifest.functions { pools[entry.name] = makePool(entry) }
    try await startEvents(databaseURL)
    try startGateway(access, databaseURL)
    if options.watches { watching = Task { [self] in await followFiles() } }
    announce()
    log.info("Serving", ["url": url, "functions": "\(pools.count)"])
  }

  /// Has the runner stop by itself.
  private func giveUp() {
    (isEnding, status) = (true, FunctionError.Code.failed.exitStatus)
    ended.ring()
  }

  /// Lets what runs finish, settles it, and stops everything that was started.
  package func stop() async {
    log.info("Stopping")
    watching?.cancel()
    await watching?.value
    http?.drain()
    engine?.stop()
    timekeeper?.stop()
    notified.values.forEach { $0.stop() }
    supervisor?.stop()
    await handling?.value
    supervisor?.cancel()
    await drain()
    await http?.finish(within: .seconds(5))
    http?.stop()
    await history?.close()
    for connection in connections { await connection.close() }
    for service in services {
      await withCheckedContinuation { done in service.stop { done.resume() } }
    }
    if claim != nil { unlink("\(project.state)/\(RunnerState.file)") }
    do { _ = try await postgres?.stop() } catch {
      log.warning("PostgreSQL was not stopped", ["error.cause": "\(error)"])
    }
    watchman?.dismiss()
    record?.remove()
    await printer.finish()
  }

  private func startServices() async throws {
    for entry in missingServices {
      log.warning("A service is left out", ["service": entry.name, "problem": entry.absence])
    }
    guard options.startsServices else { return }
    for entry in project.manifest.services where entry.isStarted(isLocal: isLocal, environment.own) {
      let state = "\(project.state)/\(entry.name)"
      let arguments = entry.arguments.map { $0.replacing("{state}", with: state) }
      if arguments != entry.arguments { clockFiles.add(folder: state) }
      let service = ServiceProcess(
        name: entry.name,
        launch: Launch(
          executable: project.executable(entry.name), arguments: arguments, environment: environment.base,
          directory: project.directory),
        printer: printer, log: log)
      service.onReturn = { [self] offered in
        environment.services.merge(offered) { $1 }
        for entry in project.manifest.functions { pools[entry.name]?.replaceLaunch(launch(of: entry)) }
        announce()
      }
      services.append(service)
      environment.services.merge(try await service.start()) { $1 }
      log.info("A service is up", ["service": entry.name])
    }
  }

  /// Tells other commands where everything is.
  private func announce() {
    do {
      try RunnerState(
        url: url, pid: getpid(), environment: environment.services,
        database: RunnerState.digest(environment.databaseURL ?? ""), isLocal: isLocal,
        missing: missingServices.map(\.name)
      ).write(project)
    } catch {
      log.warning("Other commands cannot find this runner", ["error.cause": "\(error)"])
    }
  }

  private func startEvents(_ url: String) async throws {
    let queue = EventStore.connection(url)
    let ear = Connection(url: url, applicationName: "runner listener", statementTimeout: .seconds(5))
    let time = Connection(url: url, applicationName: "runner clock", statementTimeout: .seconds(8))
    connections = [queue, ear, time]
    let holder: Int = try await queue.query("SELECT nextval('runner.holders')::int AS holder").only().decode("holder")
    let store = EventStore(
      database: queue, owner: UUID().uuidString.lowercased(), holder: holder, name: "process \(getpid())",
      leaseSeconds: options.leaseSeconds, history: project.manifest.history,
      group: options.selection.group(of: project.manifest.bundle))
    try await store.rotate()
    try await join(store, listening: ear)
    let engine = EventEngine(store: store, pools: pools, log: log) { [clock] in clock.now }
    self.engine = engine
    let timekeeper = try startClock(time, engine: engine, holder: holder)
    try await timekeeper.start()
    followNotifications()
    let listener = Listener(database: ear, holder: holder, log: log)
    let supervisor = Supervisor(log: log) { [self] in giveUp() }
    self.supervisor = supervisor
    handling = supervisor.start("events") { await engine.run() }
    if let schedules { supervisor.keep("schedules") { await schedules.run() } }
    supervisor.keep("listener") { [self] in
      await listener.run(
        all: {
          engine.ring()
          engine.lookForLanes()
          timekeeper.followAll()
        },
        events: { engine.heard() }, notified: { [self] in Array(notified.keys) },
        function: { [self] in notified[$0]?.signal() }, control: { [self] in obey($0) })
    }
    supervisor.keep("resuming") { [self] in await resumeMended() }
    if postgres != nil { supervisor.keep("postgres") { [self] in await keepPostgres() } }
    supervisor.keep("history") { [self] in await rotate(engine) }
  }

  private func startClock(_ database: Connection, engine: EventEngine, holder: Int) throws -> Timekeeper {
    let wakeUps = WakeUps(database: database)
    clock.onSet = { [self] in clockFiles.tell($0, log: log) }
    let schedules = try ScheduleService(
      project.manifest, store: ScheduleStore(database: database, bundle: project.manifest.bundle), clock: clock,
      log: log)
    let timekeeper = Timekeeper(
      clock: clock, schedules: schedules, engine: engine, wakeUps: wakeUps, holder: holder, log: log
    ) { [self] in notified }
    (self.wakeUps, self.schedules, self.timekeeper) = (wakeUps, schedules, timekeeper)
    return timekeeper
  }

  private func obey(_ word: ControlWord) {
    switch word {
    case .resume(let function): resume(function)
    case .unblocked: engine?.unblock()
    case .clock, .schedules: timekeeper?.follow()
    case .lanes: engine?.lookForLanes()
    case .idle(let question): timekeeper?.answerWhenIdle(question)
    }
  }

  package func resume(_ function: String) {
    pools[function]?.forgive()
    engine?.resume(function)
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

extension Trigger {
  var isNotify: Bool { if case .notify = self { true } else { false } }
}
