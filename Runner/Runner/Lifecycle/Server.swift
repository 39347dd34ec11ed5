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
  }

  private let project: Project
  private let options: Options
  private let printer: LogPrinter
  private let log: Log
  private let ended = Bell()
  private var isEnding = false
  private var postgres: LocalPostgres?
  private var watchman: GuardHandle?
  private var services: [ServiceProcess] = []
  private var pools: [String: FunctionPool] = [:]
  private var notified: [String: NotifiedFunction] = [:]
  private var tasks: [Task<Void, Never>] = []
  private var connections: [Connection] = []
  private var engine: EventEngine?
  private var http: HTTPServer?
  private var environment = FunctionEnvironment()

  init(project: Project, options: Options, printer: LogPrinter = LogPrinter()) {
    self.project = project
    self.options = options
    self.printer = printer
    log = Log { printer.print($0) }
  }

  /// Where the gateway listens.
  var url: String { "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(http?.port ?? 0)" }

  /// Starts everything; when this returns, calls and events are answered.
  func start() async throws {
    do {
      try await startAll()
    } catch {
      await stop()
      throw error
    }
  }

  private func startAll() async throws {
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
    try await migrate(databaseURL)
    if options.startsServices { try await startServices() }
    makePools()
    try await startEvents(databaseURL)
    try startGateway()
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
    http?.stopAccepting()
    engine?.stop()
    notified.values.forEach { $0.stop() }
    if let last = tasks.first { await last.value }
    for task in tasks { task.cancel() }
    await drain()
    http?.stop()
    for connection in connections { await connection.close() }
    for service in services {
      await withCheckedContinuation { done in service.stop { done.resume() } }
    }
    unlink("\(project.directory)/.runner/runner.json")
    do { _ = try await postgres?.stop() } catch {
      log.warning("PostgreSQL was not stopped", ["error.cause": "\(error)"])
    }
    watchman?.dismiss()
  }

  private func migrate(_ url: String) async throws {
    let database = Connection(url: url, applicationName: "runner migrate", statementTimeout: .seconds(600))
    let mayChange = options.migrates || postgres != nil
    let report = try await Migrator(database: database).migrate(project.manifest, changing: mayChange)
    await database.close()
    if !report.migrations.isEmpty || !report.triggers.isEmpty {
      log.info(
        "The schema is up to date",
        ["migrations": "\(report.migrations.count)", "triggers": "\(report.triggers.count)"])
    }
  }

  private func startServices() async throws {
    for entry in project.manifest.services {
      if let unless = entry.unless, environment.own[unless] != nil { continue }
      let arguments = entry.arguments.map { $0 == "{state}" ? "\(project.directory)/.runner/\(entry.name)" : $0 }
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

  private func makePools() {
    for entry in project.manifest.functions {
      let pool = FunctionPool(entry, launch: launch(of: entry)) { [printer] in printer.print($0, from: entry.name) }
      // A line for each event is for people who watch; a function that is only notified would say it all the time.
      if printer.isForPeople, !entry.triggers.contains(where: \.isNotify) {
        pool.report = { [log] job, outcome in
          log.info(
            "Done", ["function": entry.name, "event.id": job.id, "outcome": outcome.code, "ms": outcome.milliseconds])
        }
      }
      pools[entry.name] = pool
    }
  }

  private func launch(of entry: FunctionEntry) -> Launch {
    Launch(
      executable: project.executable(of: entry), environment: environment.variables(for: entry),
      directory: project.directory)
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
    let queue = Connection(url: url, applicationName: "runner events", idleInTransactionTimeout: .seconds(10))
    let ear = Connection(url: url, applicationName: "runner listener", statementTimeout: nil)
    let clock = Connection(url: url, applicationName: "runner schedules")
    connections = [queue, ear, clock]
    let holder: Int = try await queue.query("SELECT nextval('runner.holders')::int AS holder").only().decode("holder")
    let store = EventStore(database: queue, owner: UUID().uuidString.lowercased())
    let engine = EventEngine(store: store, holder: holder, pools: pools, log: log)
    self.engine = engine
    for entry in project.manifest.functions where entry.triggers.contains(where: \.isNotify) {
      if let pool = pools[entry.name] { notified[entry.name] = NotifiedFunction(pool, log: log) }
    }
    let schedules = try ScheduleService(project.manifest, database: clock, log: log)
    let listener = Listener(database: ear, holder: holder, log: log)
    let paused = PausedFunctions(project)
    tasks = [
      Task { await engine.run() },
      Task { await schedules.run() },
      Task { [self] in
        await listener.run(
          all: {
            engine.ring()
            notified.values.forEach { $0.notify() }
          },
          events: { engine.ring() }, function: { notified[$0]?.notify() }, control: { [self] in obey($0) })
      },
      Task { [self] in await resumeMended(paused) },
      Task { [self] in await keepPostgres() },
    ]
  }

  private func obey(_ word: ControlWord) {
    switch word {
    case .resume(let function): engine?.resume(function)
    case .unblocked, .clock, .schedules: engine?.ring()
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

  private func resumeMended(_ paused: PausedFunctions) async {
    var paused = paused
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      for function in paused.mended(engine?.paused ?? []) {
        log.info("The function is tried again", ["resumed": function])
        engine?.resume(function)
      }
    }
  }

  private func startGateway() throws {
    let gateway = Gateway(pools: pools) { [self] in engine?.isReady ?? false }
    let server = HTTPServer { gateway.route($0, tooLarge: $1, $2) }
    try server.start(host: options.host, port: options.port)
    http = server
  }

  private func drain() async {
    for pool in pools.values {
      await withCheckedContinuation { done in pool.close(grace: .seconds(10)) { done.resume() } }
    }
  }
}

extension Trigger {
  var isNotify: Bool { if case .notify = self { true } else { false } }
}
