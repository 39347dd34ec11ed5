import Postgres

/// When the runner is rung for events and when it looks by itself.
///
/// A NOTIFY makes commits wait for each other. So under load the runner holds a lock for each of its lanes, writers that
/// cannot have it do not ring, and the runner polls. Pure: it is told what turns saw, and says what the next one does.
struct Doorbell {
  /// What a turn does about the locks.
  struct Order: Sendable {
    var takes: [Int] = []
    var releases = false

    var statements: [SQL] {
      // Before anything is read: whoever found the lock taken is then among the transactions that the snapshot knows.
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
  /// So long is looked, after the locks are released, for those who found them taken and had not committed.
  static let settlingLimit = Duration.seconds(1)

  private enum Phase {
    case asleep
    case awake
    case settling(after: Int64?, until: ContinuousClock.Instant)
  }

  private var phase = Phase.asleep
  private var held: Set<Int> = []
  private var count = 0
  private var windowStart = ContinuousClock.now
  private var triedAt = ContinuousClock.now
  /// Whether locks may be held of which nothing is known: a turn that failed may have taken them, or still have them.
  private var isUncertain = false

  /// How long the runner may sleep when nobody rings; `nil` when it must not rely on being looked at.
  var poll: Duration? {
    switch phase {
    case .asleep: nil
    case .awake: Self.awakePoll
    case .settling: Self.settlingPoll
    }
  }

  /// Whether there is a load, under which few large turns cost less than many small ones.
  var isAwake: Bool { if case .awake = phase { true } else { false } }

  /// What the next turn does.
  mutating func order(lanes: [Int], now: ContinuousClock.Instant) -> Order {
    if isUncertain {
      isUncertain = false
      return Order(releases: true)
    }
    if now - windowStart >= Self.window {
      defer { (count, windowStart) = (0, now) }
      switch phase {
      case .awake where count == 0:
        phase = .settling(after: nil, until: now + Self.settlingLimit)
        held = []
        return Order(releases: true)
      case .asleep, .settling:
        if count >= Self.load { phase = .awake }
      case .awake: break
      }
    }
    guard case .awake = phase, now - triedAt >= Self.window else { return Order() }
    triedAt = now
    return Order(takes: lanes.filter { !held.contains($0) })
  }

  /// Takes what a turn saw.
  mutating func saw(events: Int, taken: Set<Int>, xmin: Int64, xmax: Int64, now: ContinuousClock.Instant) {
    count += events
    held.formUnion(taken)
    guard case .settling(let after, let until) = phase else { return }
    let last = after ?? xmax
    phase = xmin >= last || now >= until ? .asleep : .settling(after: last, until: until)
  }

  /// The locks are not known any more: a turn failed, or the session was lost.
  mutating func failed(now: ContinuousClock.Instant) {
    (held, isUncertain) = ([], true)
    phase = .settling(after: nil, until: now + Self.settlingLimit)
  }
}
