/// Decides whether a route needs another connection.
struct RouteGrowth {
  /// Since when every stream is in use and pushes wait, and how many had been answered at that time.
  private var saturated: (since: ContinuousClock.Instant, answered: Int)?
  private var answered = 0
  /// Whether the route is looked at again later.
  private var isLookDue = false

  mutating func noteAnswer() { answered += 1 }

  /// Records how many pushes wait while no stream is free; returns whether they would wait too long.
  ///
  /// They would if more pushes wait than were answered since the route has been watched.
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

  /// Whether a later look has to be arranged now.
  mutating func needsLook() -> Bool {
    defer { isLookDue = true }
    return !isLookDue
  }

  /// The later look has come.
  mutating func looked() { isLookDue = false }
}
