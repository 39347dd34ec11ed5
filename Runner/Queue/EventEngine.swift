import EventLoop
package import FoundationEssentials
package import FunctionKit
package import Manifest
package import Postgres
package import System
package import Workers

/// Carries the queue's events to their functions: reads, starts, settles, and begins again.
///
/// All state is in memory or in the rows themselves: after a crash, what was not settled is read again under the same
/// event id, and a function's effect under one id exists once.
@RunnerLoop
package final class EventEngine {
  /// When nobody rings, the queue is looked at this often.
  static let poll = Duration.milliseconds(1_000)
  /// A database that has not answered for so long is away.
  static let silence = Duration.seconds(6)
  /// While ids are missing, they are looked for this often: at first, and when nothing has come of it for long.
  static let holePoll = Duration.milliseconds(20)...Duration.milliseconds(500)
  /// What has ended is settled together with what ends within a pause, or as soon as there are this many.
  static let settledAtOnce = 256
  /// Under load, turns are at most this far apart.
  static let mostCompany = Duration.milliseconds(15)

  private(set) var store: EventStore
  let log: Log
  private(set) var pools: [String: FunctionPool]
  /// The clock of the events.
  let now: @RunnerLoop () -> Date
  let bell = Bell()
  let lanes: LaneKeeper
  var cursors: [Int: LaneCursor] = [:]
  var lines: [String: FunctionLine] = [:]
  var ended: [EndedAttempt] = []
  /// How many attempts have ended in all.
  var finished = 0
  /// Failed events that were read and have not been settled again.
  var retrying: Set<QueuedEvent.Place> = []
  /// The ids of each lane's events that run.
  var inFlight = [Set<Int64>](repeating: [], count: 16)
  /// The session of the database in which was read so far; `nil` before the first reading, and after a loss.
  var session: Int?
  var nextRetry: Double?
  var doorbell = Doorbell()
  /// When the database was last found away.
  private(set) var lost: ContinuousClock.Instant?
  /// Functions that have events and that nobody can run; the log names each once.
  var missing: Set<String> = []
  /// Whether blocked keys must be read again.
  var blockersChanged = true
  private(set) var isStopping = false
  /// When the database last answered; `nil` when it did not the last time.
  private var answeredAt: ContinuousClock.Instant?
  /// Whether nothing has been asked for since a reading that found nothing.
  private var isSettled = false
  private var isTurning = false
  var audit = EventAudit()
  /// How many events were found that a cursor had passed by.
  package var overtaken = 0
  /// How many turns in a row have read only what had been left.
  var turnsOfLeft = 0
  /// How many events the last turn read, and whether there must be more.
  var arrived = 0
  var hasMore = false
  /// When it was last asked who can still fill holes.
  var drawersAskedAt = ContinuousClock.now
  /// When holes were last looked into, and how long is waited until the next look.
  var holesReadAt = ContinuousClock.now
  var holePause = EventEngine.holePoll.lowerBound
  /// How many turns in a row were asked for ahead, and one that the database already works on.
  private(set) var turnsAhead = 0
  var ahead: (order: EventStore.Order, answer: Task<Result<EventStore.Answer, PostgresError>, Never>)?
  /// Whether what was asked for ahead is read from the beginning again instead.
  var isAheadVoid = false

  package init(
    store: EventStore, pools: [String: FunctionPool], log: Log, now: @escaping @RunnerLoop () -> Date = { .now }
  ) {
    self.store = store
    self.now = now
    self.log = log
    self.pools = pools
    lanes = LaneKeeper(store: store, log: log)
    lanes.functions = pools.keys.sorted()
    pools.keys.forEach { _ = line($0) }
  }

  /// There may be something to do.
  package func ring() {
    isSettled = false
    bell.ring()
  }

  /// There are events; under load they are looked for soon in any case, many at once.
  package func heard() {
    isSettled = false
    if !doorbell.isAwake { bell.ring() }
  }

  /// Reads nothing more; ``run()`` returns when what runs has ended and is settled.
  package func stop() {
    isStopping = true
    ring()
  }

  /// Goes on with other functions, or the same ones in another way; what waits for one that is gone keeps waiting.
  package func use(_ pools: [String: FunctionPool], history: History) {
    // What is not of its functions has been passed by.
    let isMore = pools.keys.contains { self.pools[$0] == nil }
    self.pools = pools
    lanes.functions = pools.keys.sorted()
    lanes.lookNow()
    if isMore { beginAnew() }
    missing = []
    store.history = history
    for function in Set(lines.keys).union(pools.keys) {
      _ = line(function)
      lines[function]?.isKnown = pools[function] != nil
      lines[function]?.blocks = pools[function]?.entry.onFailure == .block
      start(function)
    }
    unblock()
  }

  /// Lets a function's waiting events start again after it was mended.
  package func resume(_ function: String) {
    lines[function]?.isPaused = false
    start(function)
    ring()
  }

  /// Dead letters were replayed or purged: keys may have come free.
  package func unblock() {
    blockersChanged = true
    ring()
  }

  /// The functions whose events wait because it is misconfigured.
  package var paused: [String] { lines.filter(\.value.isPaused).map(\.key) }

  /// How many of a function's events are in memory and have not started, and how many run.
  package func load(of function: String) -> (waiting: Int, running: Int) {
    lines[function].map { ($0.count - $0.running, $0.running) } ?? (0, 0)
  }

  /// Whether the database has not answered for so long that it is away: it is asked every ``poll`` and oftener.
  package var isAway: Bool { answeredAt.map { .now - $0 > Self.silence } ?? true }

  /// Begins a new day of history in time, and drops days that are over.
  package func rotate() async throws(PostgresError) { try await store.rotate() }

  /// The lanes that this runner holds.
  package var heldLanes: [Int] { lanes.lease.keys.sorted() }

  /// Whether lanes are held and events flow.
  package var isReady: Bool { !lanes.lease.isEmpty && lanes.isTrusted && !isStopping }

  /// Whether there is nothing to do for now: everything that could run has run and is settled.
  package var isIdle: Bool {
    isSettled && !isTurning && ahead == nil && ended.isEmpty && lines.values.allSatisfy(\.isIdle)
  }

  /// Works until ``stop()``.
  ///
  /// Trouble with the database is logged and waited out.
  package func run() async {
    var trouble = 0
    while !(isStopping && running == 0 && ended.isEmpty && ahead == nil) {
      do {
        try await keepLanes()
        try await auditWhenDue()
        let isBusy = try await turn()
        (trouble, answeredAt) = (0, .now)
        await pause(isBusy)
      } catch {
        doorbell.failed(now: .now)
        let isConflict = error.sqlState == EventStore.groupConflict
        if error.isOfNetwork { lost = .now }
        if error.sqlState == "RU001" {
          lanes.lookNow()
        } else {
          if !isConflict { answeredAt = nil }
          if trouble == 0 {
            log.warning(
              isConflict ? "Another runner has some of these functions" : "The database is away",
              ["error.cause": isConflict ? error.message : "\(error)"])
          }
        }
        trouble += 1
        if isStopping, trouble > 3 { return }
        await bell.wait(upTo: .milliseconds(min(2_000, 50 << min(trouble, 6))), orRing: false)
      }
    }
    try? await store.leave()
  }

  /// How long what has ended waits for company: while other events wait in memory, what ends holds nobody up.
  var settlingPause: Duration {
    lines.values.contains { $0.count > $0.running } ? Self.mostCompany : .milliseconds(3)
  }

  private var running: Int { lines.values.reduce(0) { $0 + $1.running } }

  /// Waits until there is something to do, or for company to what has ended already.
  private func pause(_ isBusy: Bool) async {
    guard isBusy else { return await bell.wait(upTo: nextLook) }
    guard ahead == nil, ended.count < Self.settledAtOnce else { return }
    if doorbell.isAwake, !hasMore { return await bell.wait(upTo: company) }
    if running > 0 { await bell.wait(upTo: doorbell.isAwake ? Doorbell.awakePoll : settlingPause) }
  }

  /// How long events wait for company under load: the more of them come, the longer.
  private var company: Duration { min(Self.mostCompany, .milliseconds(5) + .microseconds(100) * arrived) }

  private var nextLook: Duration {
    var next = doorbell.poll ?? Self.poll
    if !ended.isEmpty, !doorbell.isAwake { next = min(next, settlingPause) }
    if cursors.values.contains(where: { !$0.holes.isEmpty }) { next = min(next, holePause) }
    if let nextRetry { next = min(next, .seconds(max(0.002, nextRetry))) }
    return max(.milliseconds(1), min(next, lanes.untilNextLook, audit.nextLook - .now))
  }

  /// One round trip; `true` when there was something to settle or to start.
  private func turn() async throws(PostgresError) -> Bool {
    let order = ahead?.order ?? nextOrder()
    guard !order.cursors.isEmpty || !order.ended.isEmpty else {
      isSettled = lanes.lease.isEmpty
      return false
    }
    if ahead == nil { ended = [] }
    (isTurning, isSettled) = (true, true)
    defer { isTurning = false }
    let answer: EventStore.Answer
    do throws(PostgresError) {
      // What ends by itself at the end of the loop's turn makes room for what comes.
      if ahead != nil { await Task.yield() }
      if let ahead { answer = try await ahead.answer.value.get() } else { answer = try await store.turn(order) }
    } catch {
      // Whether it was committed or not: settling again what is gone does nothing.
      (ended, ahead, isAheadVoid) = (order.ended + ended, nil, false)
      guard error.code == .otherSession else { throw error }
      session = nil
      beginAnew()
      return true
    }
    session = answer.session
    (turnsAhead, ahead) = (ahead == nil ? 0 : turnsAhead + 1, nil)
    for attempt in order.ended where attempt.place.table == .retries { retrying.remove(attempt.place) }
    if isAheadVoid {
      isAheadVoid = false
      return true
    }
    guard !order.cursors.isEmpty else { return true }
    let seen = try EventStore.ids(answer)
    let isMoved = seen.map { mayReadAhead(order, $0.ids) } ?? false
    if let seen, isMoved {
      move(seen, order)
      readAhead()
    }
    return take(try EventStore.reading(answer), order, isMoved: isMoved) || !order.ended.isEmpty
  }

  /// The line of a function, made where there is none.
  func line(_ function: String) -> FunctionLine {
    if let line = lines[function] { return line }
    var line = FunctionLine()
    line.isKnown = pools[function] != nil
    line.blocks = pools[function]?.entry.onFailure == .block
    lines[function] = line
    return line
  }
}
