import EventLoop
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import System
import Workers

/// The notified functions that the runner has now.
@RunnerLoop
final class NotifiedFunctions {
  private(set) var all: [String: NotifiedFunction] = [:]
  /// The functions that are gone; one of them may still run.
  private var retired: [NotifiedFunction] = []
  /// The values that `functions.json` itself gives to each.
  private var settings: [String: [String: String]] = [:]
  private let clock: VirtualClock
  private let wakeUps: WakeUps
  private let log: Log

  init(clock: VirtualClock, wakeUps: WakeUps, log: Log) {
    (self.clock, self.wakeUps, self.log) = (clock, wakeUps, log)
  }

  var names: [String] { Array(all.keys) }

  var isIdle: Bool { all.values.allSatisfy(\.isIdle) }

  /// How many runs of those that are here have ended.
  var ended: Int { all.values.reduce(0) { $0 + $1.ended } }

  /// How many of them were asked for and are written down.
  var recorded: Int { all.values.reduce(0) { $0 + $1.recorded } }

  /// Sets up those among these functions that are notified, and stops all others.
  ///
  /// - Returns: those that may have work now: the new ones, and those to which `functions.json` gives other values.
  @discardableResult
  func use(_ pools: [String: FunctionPool]) -> [NotifiedFunction] {
    let wanted = pools.filter { $0.value.entry.triggers.contains(where: \.isNotify) }
    retired.removeAll(where: \.hasEnded)
    for (name, function) in all where wanted[name] == nil {
      function.stop()
      retired.append(function)
      all[name] = nil
    }
    let new = wanted.filter { all[$0.key] == nil }.mapValues {
      NotifiedFunction($0, clock: clock, wakeUps: wakeUps, log: log)
    }
    all.merge(new) { $1 }
    let former = settings
    settings = wanted.mapValues(\.entry.settings)
    return all.filter { settings[$0.key] != former[$0.key] }.map(\.value)
  }

  /// The database signals that there may be work for a function.
  func signal(_ name: String) { all[name]?.signal() }

  func stop() { all.values.forEach { $0.stop() } }

  /// Waits until everything is stored that runs asked for, after the last of them has ended.
  func finish() async { for function in Array(all.values) + retired { await function.finish() } }
}

/// A function that is run when there may be work for it: by a signal from the database, or when it asked to be.
///
/// Signals are volatile and become one: at most one run and one that waits. Nothing is lost with them, because such a
/// function looks itself for all there is to do, and runs whenever the runner starts or hears the database again.
/// When it asked to be run is stored, and follows the virtual clock; the wait after a failure is real time.
@RunnerLoop
final class NotifiedFunction {
  private let pool: FunctionPool
  private let clock: VirtualClock
  private let wakeUps: WakeUps
  private let gate: SignalGate
  private let log: Log
  private var isRunning = false
  private var isWanted = false
  private var isStopped = false
  /// The task that writes down when the function asked to be run.
  private var storing: Task<Void, Never>?
  private var failures = 0
  private var backOff: TimerID?
  private var wakeUp: TimerID?
  /// When the function asked to be run, by the virtual clock.
  private var wakeAt: Date?
  /// The moment of ``wakeAt`` that stands in the database.
  private var stored: Date?
  /// The moment for which the present run was asked.
  private var due: Date?
  /// Runs that were asked for and are not in the history yet.
  private var unrecorded: [(due: Date, outcome: WorkerOutcome)] = []
  /// How many runs have ended.
  private(set) var ended = 0
  /// How many of those were asked for and are written down.
  private(set) var recorded = 0

  init(_ pool: FunctionPool, clock: VirtualClock, wakeUps: WakeUps, log: Log) {
    self.pool = pool
    self.clock = clock
    self.wakeUps = wakeUps
    self.log = log
    gate = SignalGate(pool.entry.name, database: wakeUps.database, log: log)
  }

  /// Whether nothing runs or is about to; a function that has failed three times in a row and waits is idle.
  ///
  /// After fewer failures the clock of a command waits for the next try, or it would leave work undone that one bad
  /// moment has put off.
  var isIdle: Bool {
    !isRunning && storing == nil && !gate.isHeld && (backOff != nil ? failures >= 3 : !isWanted && !isDue)
  }

  /// Runs the function, because there may be work.
  ///
  /// After a failure the next try waits for its time, whatever is signalled meanwhile.
  func notify() {
    isWanted = true
    start()
  }

  /// The database signals that there may be work.
  func signal() {
    notify()
    if failures == 0, !isStopped { gate.heard { [self] in notify() } }
  }

  /// The clock was set, and this is what stands in the database.
  func follow(_ wakeAt: Date?) {
    if !isRunning, storing == nil { (self.wakeAt, stored) = (wakeAt, wakeAt) }
    arm()
  }

  /// Starts no more.
  func stop() {
    isStopped = true
    gate.stop()
    cancel(&backOff)
    cancel(&wakeUp)
  }

  /// Whether it was stopped and has nothing left to write down.
  var hasEnded: Bool { isStopped && !isRunning && storing == nil }

  /// Waits until what the last run asked for is stored, after the end of that run.
  func finish() async { await storing?.value }

  private var isDue: Bool { wakeAt.map { $0 <= clock.now } ?? false }

  private func start() {
    guard isWanted, !isRunning, !isStopped, backOff == nil else { return }
    (isWanted, isRunning) = (false, true)
    due = isDue ? wakeAt : nil
    cancel(&wakeUp)
    let id = RandomID.make()
    let now = clock.stamp.map { [("now", RawJSON($0))] } ?? []
    let envelope = Envelope(
      id: id, source: "/notify/\(pool.entry.name)", type: EventType.notify, extensions: now,
      data: RawJSON(object: []))
    pool.submit(Job(id: id, line: envelope.document.line, trigger: .notify) { [self] outcome in end(outcome) })
  }

  private func end(_ outcome: WorkerOutcome) {
    isRunning = false
    ended += 1
    if case .exited(0, let output) = outcome.ending {
      failures = 0
      wakeAt = output?["wakeAt"]?.stringValue.flatMap(RFC3339.date)
    } else {
      failures += 1
      log.warning(
        "A notified function failed and will be tried again",
        ["function": pool.entry.name, "error.code": outcome.code, "error.message": outcome.message])
      waitAfterFailure(atMost: outcome.isDatabaseAway ? Backoff.longestOutage : 60)
    }
    store(outcome)
    arm()
    start()
  }

  private func waitAfterFailure(atMost limit: Double) {
    guard !isStopped else { return }
    backOff = RunnerLoop.loop.schedule(after: .seconds(min(limit, Double(1 << min(failures, 7)) / 2))) { [self] in
      backOff = nil
      notify()
    }
  }

  /// Sets the timer for the time that the function asked for.
  private func arm() {
    cancel(&wakeUp)
    guard let wakeAt, !isRunning, !isStopped else { return }
    wakeUp = RunnerLoop.loop.schedule(after: clock.wait(until: wakeAt)) { [self] in
      wakeUp = nil
      notify()
    }
  }

  /// Until what was asked for has been replaced in the database, the clock is not moved on by a command.
  private func store(_ outcome: WorkerOutcome) {
    if let due { unrecorded.append((due, outcome)) }
    guard storing == nil, mustStore else { return }
    storing = BackgroundTask.start("storing the wake-up of \(pool.entry.name)", log: log) { [self] in
      defer { storing = nil }
      // Another run may end meanwhile.
      while mustStore { try await storeOnce() }
    }
  }

  private var mustStore: Bool { !unrecorded.isEmpty || wakeAt != stored }

  private func storeOnce() async throws {
    let (function, asked, runs) = (pool.entry.name, wakeAt, unrecorded)
    unrecorded = []
    for (due, outcome) in runs {
      try await wakeUps.record(function, at: due, outcome)
      recorded += 1
    }
    if asked != stored { try await wakeUps.store(function, asked) }
    stored = asked
  }

  private func cancel(_ timer: inout TimerID?) {
    if let timer { RunnerLoop.loop.cancel(timer) }
    timer = nil
  }
}

/// When notified functions asked to be run, as it stands in the database.
struct WakeUps: Sendable {
  let database: Connection

  init(database: Connection) {
    self.database = database
  }

  /// The clock's setting and every wake-up that is stored.
  func load() async throws(PostgresError) -> (clock: ClockSetting, wakeUps: [String: Date]) {
    let rows = try await database.query(
      """
      SELECT extract(epoch FROM c."offset")::float8 AS offset, w.function, w.at
      FROM runner.clock AS c LEFT JOIN runner.wakeups AS w ON true
      """)
    guard let first = rows.first else { return (ClockSetting(), [:]) }
    let setting = ClockSetting(offset: try first.decode("offset"))
    var wakeUps: [String: Date] = [:]
    for row in rows {
      if let function = row["function"] { wakeUps[function] = try row.decode("at", as: Date.self) }
    }
    return (setting, wakeUps)
  }

  /// Lets nothing wait for a time that a clock wrote which was ahead: retries wait from now, wake-ups are due.
  ///
  /// A time less than a minute ahead is left to pass. Each look corrects a part of many.
  func correct() async throws(PostgresError) {
    _ = try await database.pipeline([
      """
      UPDATE runner.retries AS r SET run_at = runner.now() + (r.run_at - r.noted_at), noted_at = runner.now()
      FROM (SELECT partition, id, noted_at FROM runner.retries ORDER BY run_at DESC LIMIT \(unescaped: "\(Self.most)")) AS l
      WHERE r.partition = l.partition AND r.id = l.id AND l.noted_at > runner.now() + interval '1 minute'
        AND r.noted_at = l.noted_at
      """,
      """
      UPDATE runner.wakeups SET at = runner.now(), noted_at = runner.now()
      WHERE noted_at > runner.now() + interval '1 minute' AND at > runner.now()
      """,
    ])
  }

  /// The retries that a look goes through, those with the latest times.
  private static let most = 10_000

  /// Stores when a function wants to be run, or that it does not.
  func store(_ function: String, _ at: Date?) async throws(PostgresError) {
    _ = try await database.query(
      at.map {
        """
        INSERT INTO runner.wakeups (function, at) VALUES (\(function), \($0))
        ON CONFLICT (function) DO UPDATE SET at = excluded.at, noted_at = excluded.noted_at
        """
      } ?? "DELETE FROM runner.wakeups WHERE function = \(function)")
  }

  /// Answers commands that wait on the channel `runner_answers`.
  func answer(_ answers: [String]) async throws(PostgresError) {
    _ = try await database.query("SELECT pg_notify('runner_answers', a) FROM unnest(\(answers)::text[]) AS a")
  }

  /// Writes down what came of a run that a function had asked for.
  func record(_ function: String, at: Date, _ outcome: WorkerOutcome) async throws(PostgresError) {
    let error = outcome.disposition == .done ? nil : outcome.message
    _ = try await database.query(
      """
      INSERT INTO runner.history (ended_at, function, kind, at, attempt, code, exit_status, duration_us, error)
      VALUES (runner.now(), \(function), 'wake-up', \(at), 0, \(outcome.code), \(outcome.exitStatus as Int?), \(outcome.microseconds),
        \(error as String?))
      """)
  }
}
