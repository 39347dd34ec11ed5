import FoundationEssentials
import Notifications

/// Holds pushes after a fault that concerns more than one push, and lets one try after a while.
struct Breaker: Sendable {
  /// Whether a push may go.
  enum Admission: Sendable, Equatable {
    /// It may.
    case free
    /// It may go alone. Its outcome decides for the others.
    case probe
    /// It must wait until another push, which tries, has been answered.
    case afterProbe
    /// It must wait for this time.
    case held(Duration)
  }

  private enum State {
    case closed
    case open(until: ContinuousClock.Instant)
    case halfOpen
    case probing
  }

  private var state = State.closed
  /// Why it was opened the last time, in words.
  private(set) var why: String?

  var isClosed: Bool { if case .closed = state { true } else { false } }

  func admission(at now: ContinuousClock.Instant) -> Admission {
    switch state {
    case .closed: .free
    case .open(let end): now.left(until: end, atMost: RetryTiming.configuration).map { .held($0) } ?? .probe
    case .halfOpen: .probe
    case .probing: .afterProbe
    }
  }

  /// A push tries.
  mutating func beginProbe() { state = .probing }

  /// The push that tried has shown nothing.
  ///
  /// Another one may try.
  mutating func endProbe() {
    if case .probing = state { state = .halfOpen }
  }

  /// The fault was seen; returns whether that is new.
  mutating func open(at now: ContinuousClock.Instant, because words: String? = nil) -> Bool {
    why = words
    switch state {
    case .closed:
      state = .open(until: now + RetryTiming.configuration)
      return true
    // Pushes that were already sent when the breaker opened do not extend its time.
    case .open: return false
    case .halfOpen, .probing:
      state = .open(until: now + RetryTiming.configuration)
      return false
    }
  }

  /// The fault is gone; returns whether that is new.
  mutating func close() -> Bool {
    defer { state = .closed }
    return !isClosed
  }
}

extension Breaker.Admission {
  /// The decision on a push for which two breakers count.
  func and(_ other: Self) -> Self {
    switch (self, other) {
    case (.held(let one), .held(let two)): .held(max(one, two))
    case (.held, _): self
    case (_, .held): other
    case (.afterProbe, _), (_, .afterProbe): .afterProbe
    case (.probe, _), (_, .probe): .probe
    case (.free, .free): .free
    }
  }
}

/// Counts, in windows of five minutes, the people of an app for whom APNs calls a good device token bad.
///
/// If the share jumps, the host, the key or the app's registration is wrong, not all those devices. It counts people
/// and not devices, because one person can register many.
struct Suspicion: Sendable {
  static let window = Duration.seconds(5 * 60)
  /// Fewer people prove nothing.
  static let minimum = 20
  /// A larger share is too much.
  static let share = 0.2
  /// If the share was larger than this before, it has not jumped.
  static let usualShare = 0.1

  var breaker = Breaker()
  private var current = Count()
  private var previous = Count()
  private var start: ContinuousClock.Instant

  /// Each person once, and whether one of their tokens was called bad.
  ///
  /// The first 10,000 are enough.
  private struct Count: Sendable {
    private var people: [UUID: Bool] = [:]
    private(set) var refused = 0

    var share: Double { people.isEmpty ? 0 : Double(refused) / Double(people.count) }
    var hasEnoughPeople: Bool { people.count >= Suspicion.minimum }

    mutating func note(_ person: UUID, isRefused: Bool) {
      let known = people[person]
      guard known != true, known != nil || people.count < 10_000, known == nil || isRefused else { return }
      people[person] = isRefused
      if isRefused { refused += 1 }
    }
  }

  init(at now: ContinuousClock.Instant) {
    start = now
  }

  /// Counts an answer; returns whether the share has jumped.
  mutating func note(isRefusal: Bool, of person: UUID, at now: ContinuousClock.Instant) -> Bool {
    turn(at: now)
    current.note(person, isRefused: isRefusal)
    guard isRefusal else { return false }
    let wasHigh = previous.hasEnoughPeople && previous.share > Self.usualShare
    return current.refused >= Self.minimum && current.share > Self.share && !wasHigh
  }

  /// Forgets the counts, so that the next jump is seen.
  mutating func reset(at now: ContinuousClock.Instant) {
    (current, previous, start) = (Count(), Count(), now)
  }

  private mutating func turn(at now: ContinuousClock.Instant) {
    let age = start.duration(to: now)
    guard age >= Self.window else { return }
    (previous, current, start) = (age < Self.window * 2 ? current : Count(), Count(), now)
  }
}
