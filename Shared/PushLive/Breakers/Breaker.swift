import Notifications

/// Holds pushes after a fault that is not that of one push, and lets one try after a while.
struct Breaker: Sendable {
  /// Whether a push may go.
  enum Admission: Sendable, Equatable {
    /// It may.
    case free
    /// It may, alone: its outcome decides for the others.
    case probe
    /// Not before another push, which tries, has been answered.
    case afterProbe
    /// Not for this long.
    case held(Duration)
  }

  private enum State {
    case closed
    case open(until: ContinuousClock.Instant)
    case halfOpen
    case probing
  }

  private var state = State.closed

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

  /// The push that tried showed nothing; another may.
  mutating func endProbe() {
    if case .probing = state { state = .halfOpen }
  }

  /// The fault was seen; answers whether that is news.
  mutating func open(at now: ContinuousClock.Instant) -> Bool {
    switch state {
    case .closed:
      state = .open(until: now + RetryTiming.configuration)
      return true
    // Pushes that were on their way when it opened do not prolong it.
    case .open: return false
    case .halfOpen, .probing:
      state = .open(until: now + RetryTiming.configuration)
      return false
    }
  }

  /// The fault is gone; answers whether that is news.
  mutating func close() -> Bool {
    defer { state = .closed }
    return !isClosed
  }
}

extension Breaker.Admission {
  /// What holds for a push that two breakers judge.
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
