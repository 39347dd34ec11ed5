import FoundationEssentials

extension ContinuousClock.Instant {
  /// This moment, shifted by how far a clock is ahead of the machine's.
  ///
  /// A time that is measured by it ends when that clock is set forward.
  static func now(by clock: () -> Date) -> Self { now + .seconds(clock().timeIntervalSince(.now)) }

  /// How much longer something holds; `nil` when it is over.
  ///
  /// It is over, too, when it would hold for longer than it ever does: then the clock was put back.
  func left(until end: Self, atMost limit: Duration) -> Duration? {
    let left = duration(to: end)
    // Two readings of a clock differ a little from the time between them.
    return left > .zero && left <= limit + .seconds(1) ? left : nil
  }
}
