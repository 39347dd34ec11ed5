import Capture
import EventLoop
import FunctionKit
import Gateway
import HTTPClient
import Logging
import Manifest
import Metrics
import Postgres
import Queue
import System
import Targets
import Traces
import Workers

/// The project that a server runs now, as it was read last: its functions with their processes, and which of them wait.
@RunnerLoop
final class ServedProject {
  /// How often is looked whether the schema is as it was.
  private static let heldInterval = Duration.seconds(5)

  private(set) var project: Project
  /// The environment of every process.
  private(set) var environment: FunctionEnvironment
  private(set) var pools: [String: FunctionPool] = [:]
  /// The pools of functions that are no longer in `functions.json` but still have events to finish.
  private var retired: [String: FunctionPool] = [:]
  /// The settings of the functions that run elsewhere.
  private var targetSettings: [String: TargetSettings] = [:]
  private var targets: [String: Target] = [:]
  private(set) var queue: EventQueue?
  /// The things that a changed schema has no more, by the functions whose events wait because of them.
  private var held: [String: String] = [:]
  private var pausedFunctions: PausedFunctions
  /// Signalled when a function's events begin to wait: until then nothing need be looked at for it.
  private let waiting = WakeUp()
  private var files: ProjectFiles
  private var fileWatch: FileWatch
  /// `nil` unless traces are wanted.
  private(set) var traces: Traces?
  private lazy var client = LoopHTTPClient(
    on: RunnerLoop.loop, connections: TargetEntry.mostInFlight,
    memory: ((try? BodyMemory.mebibytes(project.environment)) ?? BodyMemory.usual) << 20)
  private let slots: WorkerSlots
  private let figures: RunnerFigures
  private let database: ServerDatabase
  private let options: Server.Options
  private let printer: LogPrinter
  private let log: Log

  init(
    _ project: Project, on database: ServerDatabase, _ options: Server.Options, figures: RunnerFigures,
    printer: LogPrinter, log: Log
  ) {
    (self.project, self.database, self.options) = (project, database, options)
    (self.figures, self.printer, self.log) = (figures, printer, log)
    environment = FunctionEnvironment(own: project.environment, stampsEvents: true)
    environment.logLevel = options.logLevel
    slots = WorkerSlots(limit: project.manifest.concurrency)
    let files = ProjectFiles(project)
    self.files = files
    fileWatch = FileWatch(files.watched)
    pausedFunctions = PausedFunctions(project, files)
  }

  /// Begins to record traces, if they are wanted.
  func trace() {
    traces = Traces(project.environment, of: project.manifest, client: client, log: log)
    environment.gathersSpans = traces != nil
  }

  /// Gives every process a mark, for the guard.
  func mark(_ marker: String) { environment.marker = marker }

  /// Refuses texts of the app's own that nobody would be told.
  func checkLanguages() async throws {
    try await BundleDoctors(project, marks: environment.base).checkLanguages(log: log)
  }

  /// Changes the database to what the functions need, and lets them use it.
  func useDatabase() async throws {
    (environment.databaseURL, environment.isLocal) = (database.functionURL, database.isLocal)
    try await migrate(project.manifest)
  }

  /// The services that are neither started nor replaced by the real thing.
  var missingServices: [ServiceEntry] {
    project.manifest.missingServices(
      isLocal: database.isLocal, startsServices: options.startsServices, environment.own)
  }

  /// The services that the database allows, unless none is wanted.
  var startedServices: [ServiceEntry] {
    guard options.startsServices else { return [] }
    return project.manifest.services.filter { $0.isStarted(isLocal: database.isLocal, environment.own) }
  }

  /// Gives functions the variables of a service.
  func offer(_ variables: [String: String]) { environment.services.merge(variables) { $1 } }

  /// The environment of functions that run has changed.
  func followEnvironment() {
    for entry in project.manifest.functions { pools[entry.name]?.replaceLaunch(launch(of: entry)) }
    if let changed = try? environment.targetSettings(of: project.manifest, in: project.directory) {
      targetSettings = changed
      for (name, target) in targets {
        if let settings = changed[name] { target.use(settings) }
      }
    }
  }

  /// How many connections may be open to targets.
  var mostSending: Int { project.manifest.functions.reduce(0) { $0 + ($1.target == nil ? 0 : $1.concurrency) } }

  /// Breaks off what still runs when its time is over.
  func breakOff(after grace: Duration) {
    RunnerLoop.loop.schedule(after: grace) { [self] in open.forEach { $0.breakOff() } }
  }

  private var open: [FunctionPool] { Array(pools.values) + retired.values }

  /// Ends all processes when their events and calls are done or broken off.
  func drain() async {
    let open = open
    var left = open.count
    guard left > 0 else { return }
    await withCheckedContinuation { done in
      for pool in open {
        pool.close(grace: nil) {
          left -= 1
          if left == 0 { done.resume() }
        }
      }
    }
  }
}

// What it is doing.
extension ServedProject {
  func report() -> RunnerReport { RunnerReport(pools, queue.map(eventReport) ?? EventReport()) }

  private func eventReport(of queue: EventQueue) -> EventReport {
    queue.lookForOvertaken()
    let state = queue.state()
    var report = EventReport()
    (report.isIdle, report.partitions, report.waiting) = (state.isIdle, state.partitions, state.waiting)
    (report.overtaken, report.outOfOrder, report.suspects) = (state.overtaken, state.outOfOrder, state.suspects)
    for name in queue.paused { report.paused[name] = pause(of: name) }
    return report
  }

  /// Why this runner does not run a function's events; `nil` if it does.
  private func pause(of function: String) -> EventReport.Pause? {
    held[function].map { EventReport.Pause(code: "SCHEMA_CHANGED", message: $0) } ?? figures.of(function).problem
  }

  /// Whether calls and events should come to this runner.
  func readiness(of queue: EventQueue, isEnding: Bool) -> Readiness {
    let state = queue.state()
    var problems: [Readiness.Problem] = []
    if isEnding { problems.append(.draining) }
    if state.isAway { problems.append(.database) }
    if !state.isReady { problems.append(.partitions) }
    return Readiness(problems: problems, degraded: held.keys.filter { pools[$0] != nil }.sorted())
  }
}

// The functions' pools.
extension ServedProject {
  func makePools() throws {
    targetSettings = try environment.targetSettings(of: project.manifest, in: project.directory)
    for entry in project.manifest.functions { pools[entry.name] = makePool(entry) }
  }

  /// Makes the pool of a function, without a process yet.
  private func makePool(_ entry: FunctionEntry) -> FunctionPool {
    let pool = FunctionPool(entry, launch: launch(of: entry), slots: slots) { [printer] in
      printer.print($0, from: entry.name)
    }
    pool.use(target(of: entry))
    pool.observer.report = report(on: entry)
    traces?.follow(pool)
    pool.observer.onBatch = { [figures = figures.of(entry.name)] in figures.addBatch(of: $0) }
    pool.observer.onBrokenBatch = { [log, figures = figures.of(entry.name)] count, outcome in
      figures.addBrokenBatch()
      log.warning(
        "A process ended with a batch: each of its events runs alone until it is known which one was the cause",
        ["function": entry.name, "events": "\(count)", "error.code": outcome.code, "error.message": outcome.message])
    }
    pool.observer.onBackoff = { [log] pause in
      log.warning(
        "Processes of the function die one after another: the next one waits",
        ["function": entry.name, "pause.ms": "\(pause / .milliseconds(1))"])
    }
    return pool
  }

  /// Counts each event that ends.
  ///
  /// The log has a line for each only if a person watches, and not for a function that is only notified: there would be
  /// too many. At the level `debug` it has a line for each.
  private func report(on entry: FunctionEntry) -> @RunnerLoop (Job, WorkerOutcome) -> Void {
    let isSaid = log.says(.debug) || printer.isForPeople && !entry.triggers.contains(where: \.isNotify)
    return { [log, figures = figures.of(entry.name)] job, outcome in
      figures.add(job.trigger, outcome)
      guard isSaid else { return }
      log.info(
        "Done", ["function": entry.name, "event.id": job.id, "outcome": outcome.code, "ms": outcome.milliseconds])
    }
  }

  /// How to start processes of the function from now on.
  private func launch(of entry: FunctionEntry) -> Launch {
    let executable = project.executable(of: entry)
    return Launch(
      executable: executable, environment: environment.variables(for: entry), directory: project.directory,
      edition: [files[executable]] + files.texts)
  }

  /// The target of a function that runs elsewhere; `nil` for one that runs here.
  private func target(of entry: FunctionEntry) -> Target? {
    guard let settings = targetSettings[entry.name] else {
      targets[entry.name] = nil
      return nil
    }
    if let target = targets[entry.name] {
      target.use(settings)
      return target
    }
    let target = Target(settings, client: client, log: log)
    target.onReady = { [weak self] in self?.queue?.resume(entry.name) }
    targets[entry.name] = target
    return target
  }

  /// A pool that is no longer wanted finishes its events.
  ///
  /// The events that it has not received wait in the queue.
  private func usePools() {
    for (name, pool) in pools where project.manifest[name] == nil {
      (pools[name], targets[name]) = (nil, nil)
      retired[name] = pool
      pool.close(grace: nil) { [self] in retired[name] = nil }
    }
    for entry in project.manifest.functions {
      guard let pool = pools[entry.name] ?? retired.removeValue(forKey: entry.name) else {
        pools[entry.name] = makePool(entry)
        continue
      }
      pool.observer.report = report(on: entry)
      pool.use(entry, launch: launch(of: entry))
      pool.use(target(of: entry))
      pools[entry.name] = pool
    }
  }
}

// Functions whose events wait until they are mended.
extension ServedProject {
  /// Goes on with the queue that brings events.
  func use(_ queue: EventQueue) {
    self.queue = queue
    queue.onPause = { [waiting] in waiting.signal() }
    for function in held.keys { queue.hold(function) }
    waiting.signal()
  }

  private func migrate(_ manifest: Manifest) async throws { try await database.migrate(manifest) { hold($0) } }

  /// Holds functions whose table or column is gone, and lets go the others that were held.
  ///
  /// Their events wait, and all others run.
  /// - Parameter misfits: a sentence for each.
  private func hold(_ misfits: [String: String]) {
    let former = held
    held = misfits
    for (function, problem) in misfits.sorted(by: { $0.key < $1.key }) where former[function] != problem {
      log.error("The function is held: the schema has changed", ["held": function, "error.message": problem])
    }
    guard let queue else { return }
    for function in misfits.keys { queue.hold(function) }
    waiting.signal()
    for function in former.keys where misfits[function] == nil {
      log.info("The function is tried again", ["resumed": function])
      queue.resume(function)
    }
  }

  /// Looks whether the schema is again as functions that are held need it.
  private func lookAtHeld() async {
    guard !held.isEmpty, let url = database.url else { return }
    let connection = Connection(url: url, applicationName: "runner", statementTimeout: .seconds(8))
    let plan = try? await TriggerPlan(project.manifest.whole, on: connection, prunes: false, holds: true)
    await connection.close()
    guard let plan, plan.misfits != held else { return }
    do { try await migrate(project.manifest) } catch {
      log.warning("The database lacks something that functions.json needs", ["error.message": "\(error)"])
      hold(plan.misfits)
    }
  }

  /// Resumes paused functions whose files have changed, and held ones whose tables are as they were.
  func resumeMended(of queue: EventQueue) async {
    var looked = ContinuousClock.now
    while !Task.isCancelled {
      if held.isEmpty, queue.paused.isEmpty {
        await waiting.wait()
        continue
      }
      try? await Task.sleep(for: .seconds(1))
      if ContinuousClock.now - looked > Self.heldInterval {
        await lookAtHeld()
        looked = .now
      }
      let paused = queue.paused.filter { held[$0] == nil }
      guard !paused.isEmpty else { continue }
      let files = await readFiles()
      for function in pausedFunctions.mended(paused, files) {
        log.info("The function is tried again", ["resumed": function])
        queue.resume(function)
      }
    }
  }

  /// Reads the present state of the project's files.
  private func readFiles() async -> ProjectFiles {
    let project = project
    return await BlockingThread.run { ProjectFiles(project) }
  }
}

// Changes of `functions.json` and of executables while the server runs.
extension ServedProject {
  /// Looks for changed files until the task is cancelled.
  ///
  /// - Parameter publish: shows the gateway the functions and, if it has changed, who may call them.
  func followFiles(_ publish: @RunnerLoop (GatewayAccess?) -> Void) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: FileWatch.interval)
      guard fileWatch.look(await readFiles().watched, at: .now) else { continue }
      while !Task.isCancelled, !(await reload(publish)) { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// Reads `functions.json` again and uses it if it is valid; `false` if this must be tried again.
  ///
  /// No event is dropped: the old processes finish theirs before new ones take their place.
  private func reload(_ publish: @RunnerLoop (GatewayAccess?) -> Void) async -> Bool {
    var manifest = project.manifest
    var access: GatewayAccess?
    do {
      let (read, settings) = try await readSettings()
      var (changed, next) = (environment, project)
      changed.own = settings.environment
      (next.manifest, next.settings) = (read, settings)
      try await BundleDoctors(next, marks: changed.base).checkLanguages(log: log)
      let targets = try changed.targetSettings(of: read, in: project.directory)
      let allowed = try GatewayAccess(
        host: options.host, manifest: read, environment: settings.environment, trustedProxies: options.trustedProxies)
      queue?.expect(read.functions.map(\.name))
      if read != manifest { try await prepareDatabase(for: read) }
      (manifest, access, project.settings, environment.own) = (read, allowed, settings, settings.environment)
      targetSettings = targets
    } catch let error as PostgresError {
      log.warning("The changed functions wait for the database", ["error.cause": "\(error)"])
      return false
    } catch is CancellationError {
      return true
    } catch {
      log.error("The changed functions.json cannot be used", ["error.message": "\(error)"])
    }
    guard !Task.isCancelled else { return true }
    let old = project.manifest
    project.manifest = manifest
    let texts = files.texts
    files = await readFiles()
    // Texts that cannot be used are no reason to end processes that have better ones.
    if access == nil { files.texts = texts }
    if let advice = access?.advice { log.warning(advice) }
    if manifest.services != old.services { log.warning("The changed services are used after the next start") }
    slots.limit = manifest.concurrency
    usePools()
    publish(access)
    await queue?.use(manifest, pools: pools)
    pausedFunctions = PausedFunctions(project, files)
    for function in queue?.paused ?? [] where pools[function] != nil && held[function] == nil {
      queue?.resume(function)
    }
    log.info("The functions were loaded again", ["functions": "\(pools.count)"])
    return true
  }

  private func readSettings() async throws -> (Manifest, Settings) {
    let (project, selection) = (project, options.selection)
    return try await BlockingThread.run {
      let (manifest, settings) = try project.reading()
      return (manifest.selecting(selection), settings)
    }
  }

  private func prepareDatabase(for manifest: Manifest) async throws {
    do { try await migrate(manifest) } catch let error as MigrationError where !database.mayMigrate {
      log.warning("The database lacks something that functions.json needs", ["error.message": "\(error)"])
    }
  }
}
