import EventLoop
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import System
import Workers

/// Carries the queue's events to their functions: performs what ``QueueMachine`` says, on the runner's loop.
///
/// All state is in memory or in the rows themselves: after a crash, what was not settled is read again under the same
/// event id, and a function's effect under one id exists once.
@RunnerLoop
final class EventEngine {
  private(set) var store: EventStore
  private let log: Log
  private var pools: [String: FunctionPool]
  /// This machine's clock.
  private let clock: @RunnerLoop () -> Date
  /// How many seconds the events' clock is ahead of it.
  private let offset: @RunnerLoop () -> Double
  /// What the database's clock said last, and when.
  private var read: (time: Date, at: ContinuousClock.Instant)?
  private let pause = WakeUp()
  /// Called when a function's events begin to wait because it is misconfigured.
  var onPause: @RunnerLoop () -> Void = {}
  private var ahead: Task<Result<PollReply, PostgresError>, Never>?
  var machine: QueueMachine

  init(
    store: EventStore, pools: [String: FunctionPool], log: Log, clock: @escaping @RunnerLoop () -> Date = { .now },
    offset: @escaping @RunnerLoop () -> Double = { 0 }
  ) {
    (self.store, self.pools, self.log) = (store, pools, log)
    (self.clock, self.offset) = (clock, offset)
    machine = QueueMachine(functions: pools.mapValues(\.entry), leaseSeconds: store.leaseSeconds, now: .now)
  }

  /// Works until ``stop()``.
  ///
  /// Trouble with the database is logged and waited out.
  func run() async {
    while true {
      let step = machine.next(now: .now)
      switch step {
      case .wait(let limit, let hearsWakeUps): await pause.wait(upTo: limit, orSignal: hearsWakeUps)
      case .end(let leaves):
        if leaves { try? await store.leave() }
        return
      default:
        do throws(PostgresError) { try await perform(step) } catch {
          machine.failed(step, QueueMachine.Failure(error), now: .now)
        }
      }
      carryOut()
    }
  }

  /// Asks the database, and tells the machine what it says.
  func perform(_ step: QueueMachine.Step) async throws(PostgresError) {
    let start = ContinuousClock.now
    switch step {
    case .hold(let functions, let asksOthers):
      let holding = try await store.hold(functions, asksOthers: asksOthers)
      read = holding.time.map { ($0, .now) }
      begin(machine.take(holding, since: start))
    case .release(let partitions):
      try await store.release(partitions)
      machine.released(partitions)
    case .readBlockers(let request):
      let blockers = try await store.blockers(request.functions, partitions: request.partitions)
      begin(machine.take(blockers, of: request))
    case .audit(let request):
      let found = try await store.waiting(in: request.ranges, session: request.session)
      machine.take(found, of: request, now: .now)
    case .poll(let request):
      // The request is made on the connection's own thread, and no other one is woken for it.
      let reply = try await withTaskExecutorPreference(store.database.thread) { () async throws(PostgresError) in
        try await store.poll(request)
      }
      try take(reply)
    case .takePollAhead:
      // What ends by itself at the end of the loop's turn makes room for what comes.
      await Task.yield()
      guard let ahead else { return }
      let reply = await ahead.value
      self.ahead = nil
      try take(try reply.get())
    case .wait, .end: break
    }
  }

  /// Takes what the database said to a poll; what may start is started.
  func take(_ reply: PollReply) throws(PostgresError) {
    guard machine.polled(in: reply.session) else { return }
    if let glance = try reply.glance(), let next = machine.pollAhead(after: glance, now: .now) { askAhead(next) }
    begin(machine.take(try reply.answer(), now: .now))
  }

  /// Asks for the next batch beside the loop's thread.
  private func askAhead(_ request: PollRequest) {
    let store = store
    ahead = Task.detached {
      do throws(PostgresError) { return .success(try await store.poll(request)) } catch { return .failure(error) }
    }
  }

  func begin(_ functions: some Sequence<String>) {
    for function in functions { start(function) }
  }

  /// Starts what may start of a function's events.
  private func start(_ function: String) {
    guard let pool = pools[function] else { return }
    while let started = machine.start(function, limit: pool.capacity, now: .now) {
      let (event, epoch) = (started.event, started.epoch)
      pool.submit(
        Job(
          id: event.eventID, line: event.line, chain: event.key,
          isAlone: event.crashes >= QueueMachine.crashesUntilAlone(pool.entry), isRepeated: event.attempt > 0,
          trigger: event.isOfSchedule ? .schedule : .queue
        ) { [self] outcome in
          machine.end(
            event, outcome, epoch: epoch,
            at: Settling.Moment(now: .now, date: date, random: .random(in: 0...1)))
          carryOut()
          start(function)
        })
    }
    carryOut()
  }

  /// The time that says whether an event is too old: the earlier of this machine's and the database's.
  ///
  /// One of the two clocks may be ahead for a moment, and an event that is given up is not tried again.
  private var date: Date {
    let database = read.map { $0.time.addingTimeInterval((ContinuousClock.now - $0.at) / .seconds(1)) }
    return min(clock(), database ?? .distantFuture).addingTimeInterval(offset())
  }

  private func carryOut() {
    for effect in machine.takeEffects() {
      switch effect {
      case .say(let notice): notice.write(to: log)
      case .paused: onPause()
      case .wakeUp(.zero): pause.signal()
      case .wakeUp(let delay): RunnerLoop.loop.schedule(after: delay) { [pause] in pause.signal() }
      }
    }
  }
}

extension EventEngine {
  /// Takes note that there may be something to do.
  func wakeUp() {
    machine.wakeUp()
    carryOut()
  }

  /// Takes note that there are events.
  func heard() {
    machine.heard()
    carryOut()
  }

  /// Reads nothing more; ``run()`` returns when what runs has ended and is settled.
  func stop() {
    machine.stop()
    carryOut()
  }

  /// Goes on with other functions, or the same ones in another way; what waits for one that is gone keeps waiting.
  func use(_ pools: [String: FunctionPool], history: History) {
    self.pools = pools
    store.history = history
    machine.use(pools.mapValues(\.entry), now: .now)
    begin(pools.keys)
    carryOut()
  }

  /// Lets a function's events wait until it is resumed.
  func hold(_ function: String) { machine.hold(function) }

  /// Lets a function's waiting events start again after it was mended.
  func resume(_ function: String) {
    pools[function]?.forgive()
    machine.resume(function)
    start(function)
    carryOut()
  }

  /// Dead letters were retried or purged: keys may have come free.
  func unblock() {
    machine.unblock()
    carryOut()
  }

  /// Another runner wants partitions, or has given some back.
  func lookForPartitions() {
    machine.lookForPartitions()
    carryOut()
  }

  /// Somebody wants to know whether an event was passed by.
  func lookForOvertaken() { machine.lookForOvertaken() }

  /// Begins a new day of history in time, and drops days that are over.
  func rotate() async throws(PostgresError) { try await store.rotate() }
}

extension QueueMachine.Failure {
  fileprivate init(_ error: PostgresError) {
    switch (error.code, error.sqlState) {
    case (.otherSession, _): self = .otherSession
    case (_, "RU001"): self = .fenced
    case (_, EventStore.groupConflict): self = .conflict(error.message)
    default: self = .database("\(error)", isOfNetwork: error.isOfNetwork)
    }
  }
}
