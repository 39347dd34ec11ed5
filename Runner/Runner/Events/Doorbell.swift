import Postgres

/// When the runner is rung for events and when it looks by itself.
///
/// A NOTIFY makes commits wait for each other. So only a runner that sleeps is rung: it holds a lock for each of its
/// lanes, and writers that find it taken ring. Under load it gives the locks back and polls. Whoever found a lock free
/// may commit after it was taken: before the runner sleeps, it looks until all of that time have ended. A session that
/// ends takes its locks along, and nobody rings for a runner that is gone. Pure: it is told what turns saw, and says
/// what the next one does.
struct Doorbell {
  /// What a turn does about the locks.
  struct Order: Sendable {
    var takes: [Int] = []
    var releases = false

    var statements: [SQL] {
      // Before anything is read: whoever found a lock free is then among the transactions that the snapshot knows.
      (releases ? ["SELECT pg_advisory_unlock_all()"] : [])
        + (takes.isEmpty
          ? []
          : ["SELECT lane AS rung FROM unnest(\(takes)::int[]) AS lane WHERE pg_try_advisory_lock(7265826, lane)"])
    }
  }

  /// So many events within ``window`` are a load under which ringing costs more than looking.
  static let load = 25
  static let window = Duration.milliseconds(50)
  /// How often is looked while nobody rings, under load and just after it.
  static let awakePoll = Duration.milliseconds(8)
  static let settlingPoll = Duration.milliseconds(5)
  /// So long is looked, after a lock was taken, for those who found it free and had not committed.
  ///
  /// So long is a lock waited for, too: writers have it for an instant, and where another runner has it, they ring.
  static let settlingLimit = Duration.seconds(1)

  private enum Phase {
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
  /// Whether locks may be held of which nothing is known: a turn that failed may have taken them, or still have them.
  private var isUncertain = false

  init(now: ContinuousClock.Instant = .now) {
    (phase, windowStart) = (.settling(after: nil, until: now + Self.settlingLimit), now)
  }

  /// How long the runner may sleep when nobody rings; `nil` when it will be rung.
  var poll: Duration? {
    switch phase {
    case .asleep: nil
    case .awake: Self.awakePoll
    case .settling: Self.settlingPoll
    }
  }

  /// Whether there is a load, under which few large turns cost less than many small ones.
  var isAwake: Bool { if case .awake = phase { true } else { false } }

  /// What the next turn does; what it saw has to be told before the next order about locks is asked for.
  mutating func order(lanes: [Int], now: ContinuousClock.Instant) -> Order {
    wanted = Set(lanes)
    if now - windowStart >= Self.window {
      if isAwake, count == 0 {
        settle(now)
      } else if !isAwake, count >= Self.load {
        phase = .awake
      }
      (count, windowStart) = (0, now)
    }
    var order = Order(releases: isUncertain || !held.isSubset(of: isAwake ? [] : wanted))
    if order.releases {
      (held, isUncertain) = ([], false)
      if !isAwake { settle(now) }
    }
    if !isAwake { order.takes = lanes.filter { !held.contains($0) } }
    return order
  }

  /// Takes what a turn saw.
  mutating func saw(events: Int, taken: Set<Int>, xmin: Int64, xmax: Int64, now: ContinuousClock.Instant) {
    count += events
    held.formUnion(taken)
    if !taken.isEmpty, !isAwake { settle(now) }
    guard case .settling(let after, let until) = phase else { return }
    let last = after ?? xmax
    let isCovered = wanted.isSubset(of: held) && xmin >= last
    phase = isCovered || now >= until ? .asleep : .settling(after: last, until: until)
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
