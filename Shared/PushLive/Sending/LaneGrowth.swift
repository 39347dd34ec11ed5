/// Decides whether a lane needs another connection.
struct LaneGrowth {
  /// Since when every stream has been in use while pushes waited, and how many had been answered then.
  private var saturated: (since: ContinuousClock.Instant, answered: Int)?
  private(set) var answered = 0
  /// Whether it is to be looked at again.
  var isTimed = false

  mutating func noteAnswer() { answered += 1 }

  /// Takes note of how many wait while nothing is free; answers whether they would wait too long.
  ///
  /// Too long is longer than the lane has been watched: more pushes wait than were answered in that time.
  mutating func isNeeded(waiting: Int, watching interval: Duration, at now: ContinuousClock.Instant) -> Bool {
    guard waiting > 0 else {
      saturated = nil
      return false
    }
    guard let saturated else {
      self.saturated = (now, answered)
      return false
    }
    guard saturated.since.duration(to: now) >= interval else { return false }
    defer { self.saturated = (now, answered) }
    return waiting > answered - saturated.answered
  }
}
