/// When writers notify the runner of events and when it polls by itself.
///
/// A NOTIFY makes commits wait for each other. So writers notify only a runner that sleeps: it holds a lock for each of
/// its partitions, and writers that find the lock taken notify. Under load the runner gives the locks back and polls. A
/// writer that found a lock free may commit after it was taken. Such a writer had its transaction number before it tried
/// the lock: before the runner sleeps, it polls until every transaction has ended that has a lower number than one that
/// was assigned after the locks were taken. A session that ends takes its locks along, and nobody notifies a runner that
/// is gone.
///
/// A server that allows prepared transactions refuses to prepare one that has executed NOTIFY. There writers notify
/// nobody, and the runner polls. Pure: it is told what polls saw, and says what the next one does.
struct NotifyGate: Hashable {
  /// The acts of a poll on the locks.
  struct Request: Equatable, Sendable {
    var takes: [Int] = []
    var releases = false
    /// Whether the poll must have a transaction number, assigned before it reads.
    var needsNumber = false
  }

  /// From this many events within ``window`` on, notifications cost more than polls.
  static let load = 25
  static let window = Duration.milliseconds(50)
  /// How often it polls while nobody notifies, under load and just after it.
  static let awakePoll = Duration.milliseconds(8)
  static let settlingPoll = Duration.milliseconds(5)
  /// How often it polls where writers never notify.
  static let silentPoll = Duration.milliseconds(50)
  /// How long it polls, after a lock was taken, for writers that found it free and had not committed.
  ///
  /// It waits as long for a lock: writers have it for an instant, and where another runner has it, they notify.
  static let settlingLimit = Duration.seconds(1)

  private enum Phase: Hashable {
    case asleep
    case awake
    case settling(after: Int64?, until: ContinuousClock.Instant)
  }

  private var phase: Phase
  /// The partitions that were to be covered at the last poll, and those whose locks are held.
  private var wanted: Set<Int> = []
  private var held: Set<Int> = []
  private var count = 0
  private var windowStart: ContinuousClock.Instant
  /// Whether unknown locks may be held: a poll that failed may have taken them, or still have them.
  private var isUncertain = false
  /// Whether writers notify at all.
  private var isNotified = true

  init(now: ContinuousClock.Instant) {
    (phase, windowStart) = (.settling(after: nil, until: now + Self.settlingLimit), now)
  }

  /// How long the runner may sleep when nobody notifies; `nil` when it will be notified.
  var poll: Duration? {
    switch phase {
    case .asleep: isNotified ? nil : Self.silentPoll
    case .awake: Self.awakePoll
    case .settling: Self.settlingPoll
    }
  }

  /// Whether there is a load, under which few large polls cost less than many small ones.
  var isAwake: Bool { if case .awake = phase { true } else { false } }

  /// The acts of the next poll; what it saw has to be told before the next request is made.
  mutating func request(partitions: [Int], now: ContinuousClock.Instant) -> Request {
    // The lock of a new partition may be a writer's for an instant, who then notifies nobody.
    if !isAwake, !wanted.isSuperset(of: partitions) { settle(now) }
    wanted = Set(partitions)
    if now - windowStart >= Self.window {
      if isAwake, count == 0 {
        settle(now)
      } else if !isAwake, count >= Self.load {
        phase = .awake
      }
      (count, windowStart) = (0, now)
    }
    var request = Request(releases: isUncertain || !held.isSubset(of: isAwake || !isNotified ? [] : wanted))
    if request.releases {
      (held, isUncertain) = ([], false)
      if !isAwake { settle(now) }
    }
    if !isAwake, isNotified { request.takes = partitions.filter { !held.contains($0) } }
    if request.takes.isEmpty, case .settling(nil, _) = phase { request.needsNumber = true }
    return request
  }

  /// Takes what a poll saw.
  ///
  /// - Parameters:
  ///   - taken: the partitions whose locks the poll took, after its transaction number was assigned.
  ///   - own: the poll's transaction number, assigned before it read; `nil` where it had none.
  ///   - xmin: the reading's snapshot: every transaction below has ended.
  ///   - isNotified: whether writers notify: the server allows no prepared transactions.
  mutating func saw(
    events: Int, taken: Set<Int>, own: Int64?, xmin: Int64, isNotified: Bool = true, now: ContinuousClock.Instant
  ) {
    count += events
    held.formUnion(taken)
    self.isNotified = isNotified
    if !taken.isEmpty, !isAwake { settle(now) }
    guard case .settling(let after, let until) = phase else { return }
    let bound = after ?? (taken.isEmpty ? own : nil)
    let isCovered = !isNotified || wanted.isSubset(of: held) && bound.map { xmin >= $0 } ?? false
    phase = isCovered || now >= until ? .asleep : .settling(after: bound, until: until)
  }

  /// The locks are not known any more: a poll failed, or the session was lost.
  mutating func failed(now: ContinuousClock.Instant) {
    (held, isUncertain) = ([], true)
    settle(now)
  }

  private mutating func settle(_ now: ContinuousClock.Instant) {
    phase = .settling(after: nil, until: now + Self.settlingLimit)
  }
}
