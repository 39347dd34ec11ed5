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
  /// The last reading of the database's clock, and when it was made.
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

extension QueueMachine {
  /// The next thing to do.
  enum Step {
    /// Prolong the lease, for these functions.
    case hold([String], asksOthers: Bool)
    case release(Set<Int>)
    case readBlockers(BlockerRequest)
    case audit(EventAudit.Request)
    case poll(PollRequest)
    /// Take the answer of the poll that was asked for ahead.
    case takePollAhead
    case wait(upTo: Duration, hearsWakeUps: Bool)
    case end(leaves: Bool)
  }

  /// Where the cycle is: what is looked at next.
  enum Stage: Equatable {
    case hold, release, blockers, audit, poll
    case rest(isBusy: Bool)
    case recover
  }

  /// The things that somebody has asked for since they were done last.
  struct Due: OptionSet {
    let rawValue: Int
    static let (hold, blockers, poll) = (Due(rawValue: 1), Due(rawValue: 2), Due(rawValue: 4))
  }

  /// The failed events that hold keys of these functions, in these partitions.
  struct BlockerRequest {
    var functions: [String]
    var partitions: [Int]
  }

  /// Why a step failed.
  enum Failure: Equatable {
    /// The session of the database was lost; nothing was sent.
    case otherSession
    /// A partition has gone to another runner.
    case fenced
    /// A runner of another group has one of the functions.
    case conflict(String)
    case database(String, isOfNetwork: Bool)
  }

  /// The things to do besides.
  enum Effect {
    case wakeUp(after: Duration)
    case say(QueueNotice)
    /// A function's events wait until it is mended.
    case paused
  }

  /// An event that starts, and the epoch under which its partition is held.
  struct Started {
    var event: QueuedEvent
    var epoch: Int64?
  }

  /// Crashes after which an event runs in a process of its own: of a function with batches the first one, because it was
  /// alone in its process then.
  static func crashesUntilAlone(_ entry: FunctionEntry) -> Int { entry.batch == nil ? 2 : 1 }
}

/// The news of the queue for people.
enum QueueNotice {
  case taken(Int, held: Int)
  case released(Int, held: Int)
  case lost(Int)
  case overtaken(EventAudit.Seen)
  case outOfOrder(QueuedEvent, newer: Int64)
  case paused(String, WorkerOutcome)
  case deadLetter(QueuedEvent, code: String)
  case unknownFunction(String)
  case databaseAway(String)
  case conflict(String)

  func write(to log: Log) {
    switch self {
    case .taken(let count, let held): log.info("Partitions taken", ["partitions": "\(count)", "held": "\(held)"])
    case .released(let count, let held):
      log.info("Partitions given to another runner", ["partitions": "\(count)", "held": "\(held)"])
    case .lost(let count): log.warning("The partitions have gone to another runner", ["partitions": "\(count)"])
    case .overtaken(let event):
      let (partition, number) = ("\(event.place.partition)", "\(event.place.id)")
      log.error(
        "An event was overtaken and is run now",
        ["function": event.function, "event.partition": partition, "event.number": number])
    case .outOfOrder(let event, let newer):
      let (partition, number) = ("\(event.place.partition)", "\(event.place.id)")
      log.error(
        "An event was taken after a newer one of its key",
        [
          "function": event.function, "event.partition": partition, "event.number": number,
          "newer.number": "\(newer)",
        ])
    // A target has said so once, and is asked again by itself; and a runner that stops has said that.
    case .paused(_, let outcome) where outcome.isOutage: break
    case .paused(let function, let outcome):
      log.error(
        "The function is paused until it is mended",
        ["function": function, "error.code": outcome.code, "error.message": outcome.message])
    case .deadLetter(let event, let code):
      log.error(
        "An event is a dead letter", ["function": event.function, "event.id": event.eventID, "error.code": code])
    case .unknownFunction(let function):
      log.error("Events wait for a function that functions.json does not have", ["function": function])
    case .databaseAway(let cause): log.warning("The database is away", ["error.cause": cause])
    case .conflict(let cause):
      log.warning("Another runner has some of these functions", ["error.cause": cause])
    }
  }
}
