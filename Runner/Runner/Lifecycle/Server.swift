import EventLoop
import FoundationEssentials
import FunctionKit
import Glibc
import Postgres

/// Everything that `runner serve` runs, in the order in which it starts, and backwards when it stops.
@RunnerLoop
final class Server {
  /// What was asked for on the command line.
  struct Options: Sendable {
    var host = "127.0.0.1"
    var port: UInt16 = 54321
    var startsServices = true
    /// Whether a database that is not the runner's own may be changed.
    var migrates = false
    /// How long the lanes of a runner that is not heard of stay its own.
    var leaseSeconds = 15
    /// Whether changes of `functions.json` and of executables are followed.
    var watches = false
  }

  var project: Project
  let options: Options
  let printer: LogPrinter
  let log: Log
  private let ended = Bell()
  private var isEnding = false
  private var postgres: LocalPostgres?
  private var watchman: GuardHandle?
  private var services: [ServiceProcess] = []
  let slots: WorkerSlots
  var pools: [String: FunctionPool] = [:]
  /// The pools of functions that are no longer in `functions.json` and still have something to finish.
  var retired: [String: FunctionPool] = [:]
  var notified: [String: NotifiedFunction] = [:]
  private var tasks: [Task<Void, Never>] = []
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
  private(set) var environment = FunctionEnvironment()

  init(project: Project, options: Options) {
    self.project = project
    self.options = options
    let printer = LogPrinter(file: (try? project.stateDirectory()).map { LogFile(directory: $0) })
    self.printer = printer
    log = Log { printer.print($0) }
    slots = WorkerSlots(limit: project.manifest.concurrency)
    fileWatch = FileWatch(project.watchedFiles)
    pausedFunctions = PausedFunctions(project)
  }

  /// Where the gateway listens.
  var url: String { "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(http?.port ?? 0)" }

  /// Starts everything; when this returns, calls and events are answered.
  func start() async throws {
    let access = try GatewayAccess(host: options.host, manifest: project.manifest)
    do {
      try await startAll(access)
    } catch {
      await stop()
      throw error
    }
  }

  private func startAll(_ access: GatewayAccess) async throws {
    let own = Environment.current()["DATABASE_URL"]
    watchman = try GuardHandle.start(project: own == nil ? project.directory : nil)
    environment.marker = watchman?.marker
    if own == nil {
      let local = try await LocalPostgres.start(project: project.directory)
      postgres = local
      log.info("PostgreSQL is up", ["adopted": "\(local.adopted)", "data": local.dataDirectory])
    }
    let databaseURL = try postgres?.url ?? Environment.current().databaseURL()
    environment.databaseURL = databaseURL
    if own != nil, (try? await Pooler.sharesSessions(of: databaseURL)) == true {
      log.warning("The database cannot be relied on", ["problem": Pooler.advice])
    }
    try await migrate(project.manifest)
    if options.startsServices { try await startServices() }
    for entry in project.manifest.functions { pools[entry.name] = makePool(entry) }
    try await startEvents(databaseURL)
    try startGateway(access, databaseURL)
    if options.watches { watching = Task { [self] in await followFiles() } }
    announce()
    log.info("Serving", ["url": url, "functions": "\(pools.count)"])
  }

  /// Waits for a signal that asks the runner to end.
  func waitForEnd() async {
    Signals.watch { [self] in
      isEnding = true
      ended.ring()
    }
    while !isEnding { await ended.wait(upTo: .seconds(3_600)) }
  }

  /// Lets what runs finish, settles it, and stops everything that was started.
  func stop() async {
    log.info("Stopping")
    watching?.cancel()
    await watching?.value
    http?.drain()
    engine?.stop()
    timekeeper?.stop()
    notified.values.forEach { $0.stop() }
    if let last = tasks.first { await last.value }
    for task in tasks { task.cancel() }
    await drain()
    await http?.finish(within: .seconds(5))
    http?.stop()
    await history?.close()
    for connection in connections { await connection.close() }
    for service in services {
      await withCheckedContinuation { done in service.stop { done.resume() } }
    }
    unlink("\(project.directory)/.runner/runner.json")
    do { _ = try await postgres?.stop() } catch {
      log.warning("PostgreSQL was not stopped", ["error.cause": "\(error)"])
    }
    watchman?.dismiss()
    await printer.finish()
  }

  /// Brings the database to what the manifest needs, where it may be changed; throws where it may not.
  func migrate(_ manifest: Manifest) async throws {
    guard let url = environment.databaseURL else { return }
    let database = Connection(url: url, applicationName: "runner migrate", statementTimeout: .seconds(600))
    let report: Migrator.Report
    do {
      report = try await Migrator(database: database).migrate(manifest, changing: mayMigrate)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    if !report.migrations.isEmpty || !report.triggers.isEmpty {
      log.info(
        "The schema is up to date",
        ["migrations": "\(report.migrations.count)", "triggers": "\(report.triggers.count)"])
    }
  }

  /// Whether the database is the runner's own, or given to be changed.
  var mayMigrate: Bool { options.migrates || postgres != nil }

  private func startServices() async throws {
    for entry in project.manifest.services {
      if entry.unless.contains(where: { environment.own[$0] != nil }) { continue }
      let state = "\(project.directory)/.runner/\(entry.name)"
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
      try RunnerState(url: url, pid: getpid(), environment: environment.services).write(project)
    } catch {
      log.warning("Other commands cannot find this runner", ["error.cause": "\(error)"])
    }
  }

  private func startEvents(_ url: String) async throws {
    let queue = EventStore.connection(url)
    let ear = Connection(url: url, applicationName: "runner listener", statementTimeout: .seconds(10))
    let time = Connection(url: url, applicationName: "runner clock")
    connections = [queue, ear, time]
    let holder: Int = try await queue.query("SELECT nextval('runner.holders')::int AS holder").only().decode("holder")
    let store = EventStore(
      database: queue, owner: UUID().uuidString.lowercased(), holder: holder, name: "process \(getpid())",
      leaseSeconds: options.leaseSeconds, history: project.manifest.history)
    try await store.rotate()
    let engine = EventEngine(store: store, pools: pools, log: log) { [clock] in clock.now }
    self.engine = engine
    let timekeeper = try startClock(time, engine: engine, holder: holder)
    try await timekeeper.start()
    followNotifications()
    let listener = Listener(database: ear, holder: holder, log: log)
    tasks = [
      Task { await engine.run() },
      Task { [schedules] in await schedules?.run() },
      Task { [self] in
        await listener.run(
          all: {
            engine.ring()
            timekeeper.followAll()
          },
          events: { engine.heard() }, function: { notified[$0]?.signal() }, control: { [self] in obey($0) })
      },
      Task { [self] in await resumeMended() },
      Task { [self] in await keepPostgres() },
      Task { [self] in await rotate(engine) },
    ]
  }

  private func startClock(_ database: Connection, engine: EventEngine, holder: Int) throws -> Timekeeper {
    let wakeUps = WakeUps(database: database)
    clock.onSet = { [self] in clockFiles.tell($0, log: log) }
    let schedules = try ScheduleService(
      project.manifest, store: ScheduleStore(database: database), clock: clock, log: log)
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
    case .idle(let question): timekeeper?.answerWhenIdle(question)
    }
  }

  /// Starts the local PostgreSQL again when it has ended by itself.
  private func keepPostgres() async {
    while !Task.isCancelled, let running = postgres {
      try? await Task.sleep(for: .seconds(1))
      guard !Task.isCancelled, Postmaster.running(in: running.dataDirectory) == nil else { continue }
      log.warning("PostgreSQL ended and is started again")
      do { postgres = try await LocalPostgres.start(project: project.directory) } catch {
        log.error("PostgreSQL could not be started", ["error.cause": "\(error)"])
      }
    }
  }

  /// Begins a new day of history in time, and drops days that are over.
  private func rotate(_ engine: EventEngine) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(3_600))
      guard !Task.isCancelled else { return }
      do { try await engine.store.rotate() } catch {
        log.warning("The history could not be rotated", ["error.cause": "\(error)"])
      }
    }
  }

  private func resumeMended() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      for function in pausedFunctions.mended(engine?.paused ?? []) {
        log.info("The function is tried again", ["resumed": function])
        resume(function)
      }
    }
  }

  func resume(_ function: String) {
    pools[function]?.forgive()
    engine?.resume(function)
  }

  private func drain() async {
    for pool in [pools.values, retired.values].joined() {
      await withCheckedContinuation { done in pool.close(grace: .seconds(10)) { done.resume() } }
    }
  }
}

extension Trigger {
  var isNotify: Bool { if case .notify = self { true } else { false } }
}
