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
