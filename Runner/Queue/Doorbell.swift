import Postgres

/// When the runner is rung for events and when it looks by itself.
///
/// A NOTIFY makes commits wait for each other. So only a runner that sleeps is rung: it holds a lock for each of its
/// lanes, and writers that find it taken ring. Under load it gives the locks back and polls. A writer that found a lock
/// free may commit after it was taken. Such a writer had its transaction number before it tried the lock: before the
/// runner sleeps, it looks until every transaction has ended that has a lower number than one that was assigned after
/// the locks were taken. A session that ends takes its locks along, and nobody rings for a runner that is gone.
///
/// A server that allows prepared transactions refuses to prepare one that has executed NOTIFY. There writers ring nobody,
/// and the runner polls. Pure: it is told what turns saw, and says what the next one does.
struct Doorbell: Hashable {
  /// What a turn does about the locks.
  struct Order: Sendable {
    var takes: [Int] = []
    var releases = false
    /// Whether the turn must have a transaction number, assigned before it reads.
    var needsNumber = false

    var statements: [SQL] {
      // Before anything is read: a transaction that found a lock free is then one that the snapshot knows.
      (releases ? ["SELECT pg_advisory_unlock_all()"] : [])
        + (takes.isEmpty
          ? []
          : ["SELECT lane AS rung FROM unnest(\(takes)::int[]) AS lane WHERE pg_try_advisory_lock(7265826, lane)"])
    }
  }

  /// From this many events within ``window`` on, ringing costs more than looking.
  static let load = 25
  static let window = Duration.milliseconds(50)
  /// How often it looks while nobody rings, under load and just after it.
  static let awakePoll = Duration.milliseconds(8)
  static let settlingPoll = Duration.milliseconds(5)
  /// How often it looks where writers never ring.
  static let silentPoll = Duration.milliseconds(50)
  /// So long is looked, after a lock was taken, for those who found it free and had not committed.
  ///
  /// So long is a lock waited for, too: writers have it for an instant, and where another runner has it, they ring.
  static let settlingLimit = Duration.seconds(1)

  private enum Phase: Hashable {
    case asleep
    case awake
    case settling(after: Int64?, until: ContinuousClock.Instant)
  }

  private var phase: Phase
  /// The lanes that were to be covered at the last turn, and those whose locks are held.
  private var wanted: Set<Int> = []
  private var held: Set<Int> = []
  private var count = 0
  private var windowStart: ContinuousClock.Instant
  /// Whether unknown locks may be held: a turn that failed may have taken them, or still have them.
  private var isUncertain = false
  /// Whether writers ring at all.
  private var isRung = true

  init(now: ContinuousClock.Instant = .now) {
    (phase, windowStart) = (.settling(after: nil, until: now + Self.settlingLimit), now)
  }

  /// How long the runner may sleep when nobody rings; `nil` when it will be rung.
  var poll: Duration? {
    switch phase {
    case .asleep: isRung ? nil : Self.silentPoll
    case .awake: Self.awakePoll
    case .settling: Self.settlingPoll
    }
  }

  /// Whether there is a load, under which few large turns cost less than many small ones.
  var isAwake: Bool { if case .awake = phase { true } else { false } }

  /// What the next turn does; what it saw has to be told before the next order about locks is asked for.
  mutating func order(lanes: [Int], now: ContinuousClock.Instant) -> Order {
    // The lock of a new lane may be a writer's for an instant, who then rings nobody.
    if !isAwake, !wanted.isSuperset(of: lanes) { settle(now) }
    wanted = Set(lanes)
    if now - windowStart >= Self.window {
      if isAwake, count == 0 {
        settle(now)
      } else if !isAwake, count >= Self.load {
        phase = .awake
      }
      (count, windowStart) = (0, now)
    }
    var order = Order(releases: isUncertain || !held.isSubset(of: isAwake || !isRung ? [] : wanted))
    if order.releases {
      (held, isUncertain) = ([], false)
      if !isAwake { settle(now) }
    }
    if !isAwake, isRung { order.takes = lanes.filter { !held.contains($0) } }
    if order.takes.isEmpty, case .settling(nil, _) = phase { order.needsNumber = true }
    return order
  }

  /// Takes what a turn saw.
  ///
  /// - Parameters:
  ///   - taken: the lanes whose locks the turn took, after its transaction number was assigned.
  ///   - own: the turn's transaction number, assigned before it read; `nil` where it had none.
  ///   - xmin: the reading's snapshot: every transaction below has ended.
  ///   - isRung: whether writers ring: the server allows no prepared transactions.
  mutating func saw(
    events: Int, taken: Set<Int>, own: Int64?, xmin: Int64, isRung: Bool = true, now: ContinuousClock.Instant
  ) {
    count += events
    held.formUnion(taken)
    self.isRung = isRung
    if !taken.isEmpty, !isAwake { settle(now) }
    guard case .settling(let after, let until) = phase else { return }
    let bound = after ?? (taken.isEmpty ? own : nil)
    let isCovered = !isRung || wanted.isSubset(of: held) && bound.map { xmin >= $0 } ?? false
    phase = isCovered || now >= until ? .asleep : .settling(after: bound, until: until)
  }

  /// The locks are not known any more: a turn failed, or the session was lost.
  mutating func failed(now: ContinuousClock.Instant) {
    (held, isUncertain) = ([], true)
    settle(now)
  }

  private mutating func settle(_ now: ContinuousClock.Instant) {
    phase = .settling(after: nil, until: now + Self.settlingLimit)
  }
}
