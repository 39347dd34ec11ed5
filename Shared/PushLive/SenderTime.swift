package import FoundationEssentials

/// The time by which a sender paces itself, waits before it connects again, and holds what was refused.
///
/// It is the machine's, unless a test moves it by hand.
package struct SenderTime: Sendable {
  /// The moment on a clock that is never set.
  package let instant: @Sendable () -> ContinuousClock.Instant
  /// The date at that moment.
  package let date: @Sendable () -> Date
  /// Returns when a time has passed, or sooner in a cancelled task.
  package let pass: @Sendable (Duration) async -> Void

  /// A time of one's own.
  package init(
    instant: @escaping @Sendable () -> ContinuousClock.Instant, date: @escaping @Sendable () -> Date,
    pass: @escaping @Sendable (Duration) async -> Void
  ) {
    (self.instant, self.date, self.pass) = (instant, date, pass)
  }

  /// The machine's time.
  package static let machine = SenderTime(
    instant: { .now }, date: { .now }, pass: { try? await Task.sleep(for: $0) })

  /// The present moment of a clock that may be ahead of this one.
  ///
  /// If that clock is set forward, a time that is measured by it ends earlier.
  func moment(by clock: () -> Date) -> ContinuousClock.Instant {
    instant() + .seconds(clock().timeIntervalSince(date()))
  }
}
