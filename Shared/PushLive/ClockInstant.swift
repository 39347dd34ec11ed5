extension ContinuousClock.Instant {
  /// How much longer something holds; `nil` when it is over.
  ///
  /// It is also over if it would hold for longer than it ever does: then the clock was set back.
  func left(until end: Self, atMost limit: Duration) -> Duration? {
    let left = duration(to: end)
    // Two readings of a clock differ a little from the time between them.
    return left > .zero && left <= limit + .seconds(1) ? left : nil
  }
}
