/// Whether a target is asked, after it was not reached, failed or had too much to do several times in a row.
///
/// While the circuit is open nothing is sent. After a pause one event is: if that arrives, all others follow; if not,
/// the next pause is twice as long.
struct Circuit: Equatable {
  typealias Instant = ContinuousClock.Instant

  /// The number of failures in a row that opens it.
  static let threshold = 5
  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(60)
  /// No target may ask for a longer pause.
  static let mostAsked = Duration.seconds(300)

  enum State: Equatable {
    case closed(failures: Int)
    case open(until: Instant)
    /// One event is on its way to see whether it arrives.
    case trying
  }

  private(set) var state = State.closed(failures: 0)
  /// How often in a row it was opened.
  private var openings = 0

  var isClosed: Bool { if case .closed = state { true } else { false } }

  /// When an event may be sent to see whether it arrives; `nil` while the circuit is closed or one is on its way.
  var nextTry: Instant? { if case .open(let until) = state { until } else { nil } }

  /// Whether an event may be sent now; the first one after a pause is the try.
  mutating func maySend(at now: Instant) -> Bool {
    switch state {
    case .closed: return true
    case .trying: return false
    case .open(let until):
      guard now >= until else { return false }
      state = .trying
      return true
    }
  }

  /// The target has answered, and not with a failure of its own.
  ///
  /// - Returns: whether that has closed the circuit.
  mutating func succeeded() -> Bool {
    defer { self = Circuit() }
    return !isClosed
  }

  /// The target was not reached, did not answer, failed, or had too much to do.
  ///
  /// - Parameter asked: the pause that it asks for.
  /// - Returns: whether that has opened the circuit.
  mutating func failed(asking asked: Duration = .zero, at now: Instant) -> Bool {
    switch state {
    // What was sent before says nothing new.
    case .open: return false
    case .closed(let failures):
      guard failures + 1 >= Self.threshold else {
        state = .closed(failures: failures + 1)
        return false
      }
    case .trying: break
    }
    let pause = min(Self.longestPause, Self.firstPause * (1 << min(openings, 6)))
    openings += 1
    state = .open(until: now + max(pause, min(asked, Self.mostAsked)))
    return true
  }

  /// Something that was sent has come to nothing, for a reason that is not the target's.
  ///
  /// - Returns: whether that was the try, so that another event has to be one.
  mutating func learntNothing(at now: Instant) -> Bool {
    guard state == .trying else { return false }
    state = .open(until: now)
    return true
  }

  /// Something was mended: the next event is the try.
  mutating func tryNow(at now: Instant) {
    if case .open = state { state = .open(until: now) }
  }
}
