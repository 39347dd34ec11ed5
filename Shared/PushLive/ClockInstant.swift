import FoundationEssentials

extension ContinuousClock.Instant {
  /// This moment, as far ahead of the machine's as a clock is: what is measured by it ends when that clock is set on.
  static func now(by clock: () -> Date) -> Self { now + .seconds(clock().timeIntervalSince(.now)) }

  /// How much longer something holds; `nil` when it is over, or would hold for longer than it ever does: then the clock was
  /// put back.
  func left(until end: Self, atMost limit: Duration) -> Duration? {
    let left = duration(to: end)
    // Two readings of a clock differ a little from the time between them.
    return left > .zero && left <= limit + .seconds(1) ? left : nil
  }
}
