import Formats
import FoundationEssentials
package import FunctionKit
import Glibc
package import Manifest
import Postgres
package import System
package import Workers

/// A runner's share of the queue: what the server sees of this module.
///
/// It brings events to functions, fires schedules, runs notified functions, and follows the clock. Other programs see
/// the same queue through the database: commands ask the runners that serve (`ControlWord`, `ListeningRunners`), read
/// schedules from `functions.json` (`ScheduleEntry`), and read events from rows (`QueuedEvent`).
@RunnerLoop
package final class EventQueue {
  /// Work that goes on side by side, each under its own name.
  package enum Part: String, CaseIterable {
    /// Reads events, hands them to functions, and settles them.
    case events
    case schedules
    /// Hears the database's signals, and what commands ask for.
    case listener
    /// Starts the history of a new day in time, and drops old days.
    case history
  }

  /// How things are at one moment.
  package struct State {
    /// Whether everything that could run has run and is settled, and the schedules were looked at since the clock was set.
    package var isIdle: Bool
    /// Whether partitions are held and events flow.
    package var isReady: Bool
    /// Whether the database has not answered for some seconds.
    package var isAway: Bool
    package var partitions: [Int]
    /// How many events were found that had been passed by.
    package var overtaken: Int
    /// How many events were taken after a newer one of their key, although they could be seen.
    package var outOfOrder: Int
    /// Events that may have been passed by; the next look tells.
    package var suspects: [String]
    /// How many events are in memory and have not started, by function.
    package var waiting: [String: Int]
  }

  private let connections: [Connection]
  private let engine: EventEngine
  private let clock: VirtualClock
  private let schedules: ScheduleService
  private let notified: NotifiedFunctions
  private let clockFollower: ClockFollower
  private let listener: Listener
  private let log: Log

  /// Joins the runners of the queue and reads the clock; nothing runs yet.
  ///
  /// - Parameters:
  ///   - url: the database, whose schema is up to date.
  ///   - pools: the manifest's functions by their names.
  ///   - group: what this runner's choice of functions has in common with runners that share its partitions.
  ///   - leaseSeconds: how long its partitions stay its own when it is silent.
  ///   - onClockSet: told how many seconds the clock is ahead, before anything runs by it.
  /// - Throws: `FunctionError` while another runner has some of these functions together with other ones.
  package static func join(
    _ url: String, _ manifest: Manifest, pools: [String: FunctionPool], group: String, leaseSeconds: Int, log: Log,
    onClockSet: @escaping @RunnerLoop (Double) async -> Void
  ) async throws -> EventQueue {
    let events = EventStore.connection(url)
    let listener = Connection(url: url, applicationName: "runner listener", statementTimeout: .seconds(5))
    let time = Connection(url: url, applicationName: "runner clock", statementTimeout: .seconds(8))
    do {
      let holder: Int = try await events.query("SELECT nextval('runner.holders')::int AS holder")
        .only().decode("holder")
      let store = EventStore(
        database: events, owner: UUID().lowercased, holder: holder,
        name: "process \(getpid())", leaseSeconds: leaseSeconds, history: manifest.history, group: group)
      try await store.rotate()
      try await store.join(manifest.functions.map(\.name).sorted(), listening: listener)
      let schedules = try await ScheduleService(
        manifest.scheduled, store: ScheduleStore(database: time, bundle: manifest.bundle), log: log)
      let queue = EventQueue(
        (store, listener, time), pools, schedules, VirtualClock(onSet: onClockSet), log)
      try await queue.clockFollower.start()
      queue.notified.use(pools)
      return queue
    } catch {
      for connection in [events, listener, time] { await connection.close() }
      throw error
    }
  }

  private init(
    _ database: (store: EventStore, listener: Connection, time: Connection), _ pools: [String: FunctionPool],
    _ schedules: ScheduleService, _ clock: VirtualClock, _ log: Log
  ) {
    let (store, wakeUps) = (database.store, WakeUps(database: database.time))
    connections = [store.database, database.listener, database.time]
    (self.schedules, self.clock, self.log) = (schedules, clock, log)
    engine = EventEngine(store: store, pools: pools, log: log, offset: { clock.setting.offset })
    notified = NotifiedFunctions(clock: clock, wakeUps: wakeUps, log: log)
    clockFollower = ClockFollower(
      clock: clock, schedules: schedules, engine: engine, notified: notified, wakeUps: wakeUps, holder: store.holder,
      log: log)
    listener = Listener(database: database.listener, holder: store.holder, log: log)
  }

  /// Does a part's work until the task is cancelled; ``Part/events`` goes on until ``stop()`` and all has been settled.
  package func run(_ part: Part) async {
    switch part {
    case .events: await engine.run()
    case .schedules:
      await withTaskCancellationHandler {
        await schedules.run()
      } onCancel: {
        Task { @RunnerLoop in schedules.look() }
      }
    case .listener: await listen()
    case .history: await rotate()
    }
  }

  /// Goes on with other functions and schedules, or with the same ones in another way.
  ///
  /// Events for a function that is gone keep waiting. The log names schedules that cannot be used, and those before
  /// them go on.
  package func use(_ manifest: Manifest, pools: [String: FunctionPool]) async {
    engine.use(pools, history: manifest.history)
    notified.use(pools).forEach { $0.notify() }
    do { try await schedules.use(manifest.scheduled) } catch {
      log.error("The changed schedules cannot be used", ["error.message": "\(error)"])
    }
  }

  /// Functions come with the next ``use(_:pools:)``: their triggers are made before that.
  package func expect(_ functions: [String]) { engine.machine.expect(functions) }

  /// Counts up with all that was done and can be read in the database.
  package var changes: Int { engine.machine.settled + notified.ended + notified.recorded + schedules.fired }

  /// Called when a function joins ``paused`` by itself.
  package var onPause: @RunnerLoop () -> Void {
    get { engine.onPause }
    set { engine.onPause = newValue }
  }

  /// The functions whose events wait because they are misconfigured.
  package var paused: [String] { engine.machine.queues.filter(\.value.isPaused).map(\.key) }

  /// Lets a function's events wait until it is resumed.
  package func hold(_ function: String) { engine.hold(function) }

  /// Lets a paused function's events start again after it was mended.
  package func resume(_ function: String) { engine.resume(function) }

  /// The time as events state it; `nil` while the clock shows real time.
  package var virtualTime: String? { clock.stamp }

  /// Looks soon whether an event was passed by, for somebody who asks for ``State/suspects``.
  package func lookForOvertaken() { engine.lookForOvertaken() }

  package func state() -> State {
    let machine = engine.machine
    return State(
      isIdle: clockFollower.isIdle, isReady: machine.isReady(at: .now), isAway: machine.isAway(at: .now),
      partitions: machine.partitions, overtaken: machine.overtaken, outOfOrder: machine.outOfOrder,
      suspects: machine.suspects.map { "\($0.partition).\($0.id)" }.sorted(),
      waiting: machine.queues.mapValues { $0.count - $0.running })
  }

  /// Begins nothing more.
  package func stop() {
    engine.stop()
    clockFollower.stop()
    notified.stop()
  }

  /// Ends the sessions of the database, after all parts and the runs of functions have ended.
  ///
  /// The wishes of those runs are stored first: another runner may be the one that wakes the function.
  package func close() async {
    await notified.finish()
    for connection in connections { await connection.close() }
  }

  private func listen() async {
    await listener.run(
      all: {
        engine.wakeUp()
        engine.lookForPartitions()
        clockFollower.followAll()
      },
      events: { engine.heard() }, notified: { notified.names }, function: { notified.signal($0) },
      control: { obey($0) })
  }

  private func obey(_ word: ControlWord) {
    switch word {
    case .resume(let function): resume(function)
    case .unblocked: engine.unblock()
    case .clock, .schedules: clockFollower.follow()
    case .partitions: engine.lookForPartitions()
    case .idle(let question): clockFollower.answerWhenIdle(question)
    }
  }

  private func rotate() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(3_600))
      guard !Task.isCancelled else { return }
      do { try await engine.rotate() } catch {
        log.warning("The history of the next day could not be prepared", ["error.cause": "\(error)"])
      }
    }
  }
}
