import Manifest
import Postgres

/// The queue's cycle as a value: what it knows, and from that what is asked of the database next and what may start.
///
/// It asks nobody, starts nothing and reads no clock. ``EventEngine`` performs its steps and tells it what came of them.
struct QueueMachine {
  typealias Instant = ContinuousClock.Instant

  /// What is to be done next.
  enum Step {
    /// Prolong the lease, for these functions.
    case hold([String], asksOthers: Bool)
    case release(Set<Int>)
    case readBlockers(BlockerRequest)
    case audit(AuditRequest)
    case poll(PollRequest)
    /// Take the answer of the poll that was asked for ahead.
    case takePollAhead
    case wait(upTo: Duration, hearsWakeUps: Bool)
    case end(leaves: Bool)
  }

  /// What is to be done besides.
  enum Effect {
    case wakeUp(after: Duration)
    case say(QueueNotice)
  }

  /// Where the cycle is: what is looked at next.
  enum Stage: Equatable {
    case hold, release, blockers, audit, poll
    case rest(isBusy: Bool)
    case recover
  }

  /// What somebody has asked for since it was done last.
  struct Due: OptionSet {
    let rawValue: Int
    static let (hold, blockers, poll) = (Due(rawValue: 1), Due(rawValue: 2), Due(rawValue: 4))
  }

  /// A poll that the database works on.
  struct AskedPoll {
    var request: PollRequest
    /// Whether it was asked for before the answer of the last one was taken in.
    var isAhead: Bool
    /// Whether everything is read again from the beginning, so that what this one reads is not taken.
    var isVoid = false
  }

  /// When nobody wakes it, the queue is polled this often.
  static let interval = Duration.milliseconds(1_000)
  /// A database that has not answered for so long is away.
  static let silence = Duration.seconds(6)
  /// While ids are missing, they are looked for this often: at first, and when nothing has come of it for long.
  static let holeInterval = Duration.milliseconds(20)...Duration.milliseconds(500)
  /// What has ended is settled together with what ends within a pause, or as soon as there are this many.
  static let settledAtOnce = 256
  /// Under load, polls are at most this far apart.
  static let mostBatchingDelay = Duration.milliseconds(15)

  var functions: [String: FunctionEntry]
  var lease: PartitionLease
  var cursors: [Int: PartitionCursor] = [:]
  var queues: [String: FunctionQueue] = [:]
  var ended: [EndedAttempt] = []
  /// How many attempts have ended in all.
  var finished = 0
  /// How many of them are written down.
  var settled = 0
  /// Failed events that were read and have not been settled again.
  var retrying: Set<QueuedEvent.Place> = []
  /// Events that were put back into line and are read once more, because they ran while everything was read again.
  var returned: Set<QueuedEvent.Place> = []
  /// The ids of each partition's events that run.
  var inFlight = [Set<Int64>](repeating: [], count: 256)
  /// The session of the database in which was read so far; `nil` before the first poll, and after a loss.
  var session: Int?
  var nextRetry: Double?
  var gate: NotifyGate
  var audit: EventAudit
  /// How many events were found that a cursor had passed by.
  var overtaken = 0
  var order = OrderAudit()
  /// Functions that have events and that nobody can run; each is named once.
  var missing: Set<String> = []
  var isStopping = false
  /// When the database was last found away.
  var lost: Instant?
  /// When the database last answered; `nil` when it did not the last time.
  var answeredAt: Instant?

  var stage = Stage.hold
  var due: Due = [.blockers, .poll, .hold]
  var effects: [Effect] = []
  var asked: AskedPoll?
  /// The poll whose answer is being taken in, and whether the cursors have been moved over it already.
  var taking: (request: PollRequest, isMoved: Bool)?
  /// How many failures there were in a row.
  var trouble = 0
  /// How many polls in a row have read only the backlog, and how many were asked for ahead.
  var backlogPolls = 0
  var pollsAhead = 0
  /// How many events the last poll read, and whether there must be more.
  var lastCount = 0
  var hasMore = false
  /// When it was last asked who can still fill holes.
  var allocatorsAskedAt: Instant
  /// When holes were last looked into, and how long is waited until the next look.
  var holesReadAt: Instant
  var holePause = QueueMachine.holeInterval.lowerBound
  /// How long the next look waits for each hole if there are many: ten times the cost of looking into one.
  var holePrice = Duration.microseconds(25)

  init(functions: [String: FunctionEntry], leaseSeconds: Int, now: Instant) {
    self.functions = functions
    lease = PartitionLease(seconds: leaseSeconds, now: now)
    (gate, audit) = (NotifyGate(now: now), EventAudit(now: now))
    (allocatorsAskedAt, holesReadAt) = (now, now)
    for function in functions.keys { follow(function) }
  }

  /// What is to be done besides the next step, each once.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  var running: Int { queues.values.reduce(0) { $0 + $1.running } }

  /// Whether there is nothing to do for now: everything that could run has run and is settled.
  var isIdle: Bool {
    !due.contains(.poll) && asked == nil && ended.isEmpty && queues.values.allSatisfy(\.isIdle)
  }

  /// Whether partitions are held and events flow.
  func isReady(at now: Instant) -> Bool { !lease.held.isEmpty && lease.isTrusted(at: now) && !isStopping }

  func isAway(at now: Instant) -> Bool { answeredAt.map { now - $0 > Self.silence } ?? true }
}

// What comes from outside.
extension QueueMachine {
  /// Takes note that there may be something to do.
  mutating func wakeUp() {
    due.insert(.poll)
    effects.append(.wakeUp(after: .zero))
  }

  /// Takes note that there are events; under load they are looked for soon in any case, many at once.
  mutating func heard() {
    due.insert(.poll)
    if !gate.isAwake { effects.append(.wakeUp(after: .zero)) }
  }

  /// Reads nothing more; the end comes when what runs has ended and is settled.
  mutating func stop() {
    isStopping = true
    wakeUp()
  }

  /// Goes on with other functions, or the same ones in another way; what waits for one that is gone keeps waiting.
  mutating func use(_ functions: [String: FunctionEntry], now: Instant) {
    // What is not of its functions has been passed by.
    let isMore = functions.keys.contains { self.functions[$0] == nil }
    self.functions = functions
    due.insert(.hold)
    if isMore { startOver(now) }
    missing = []
    for function in Set(queues.keys).union(functions.keys) { follow(function) }
    unblock()
  }

  /// Says nothing of events of functions that are about to come.
  mutating func expect(_ functions: [String]) { missing.formUnion(functions) }

  /// Lets a function's events wait until it is resumed; those that run end.
  mutating func hold(_ function: String) { queues[function]?.isPaused = true }

  /// Lets a function's waiting events start again after it was mended.
  mutating func resume(_ function: String) {
    queues[function]?.isPaused = false
    wakeUp()
  }

  /// Dead letters were retried or purged: keys may have come free.
  mutating func unblock() {
    due.insert(.blockers)
    wakeUp()
  }

  /// Another runner wants partitions, or has given some back.
  mutating func lookForPartitions() {
    due.insert(.hold)
    wakeUp()
  }

  private mutating func follow(_ function: String) {
    queues[function, default: FunctionQueue()].isKnown = functions[function] != nil
    queues[function]?.together = functions[function]?.eventsOfKey ?? 1
    queues[function]?.blocks = functions[function]?.onFailure == .block
    // Keys that were held before go on; those of a function that is gone wait for its return.
    if functions[function]?.onFailure == .continue {
      queues[function]?.hold([:], partitions: Set(inFlight.indices))
    }
  }
}
