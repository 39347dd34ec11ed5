package import FoundationEssentials
import Synchronization

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

/// The clock for a sender's tokens and holds.
///
/// It follows the time of the invocations, which may be virtual, and runs on between them.
package final class SenderClock: Sendable {
  private let offset = Mutex(0.0)
  private let isFollowing: Bool

  /// - Parameter isFollowing: whether the server uses the invocations' time; Apple's and Google's never do.
  package init(isFollowing: Bool = true) {
    self.isFollowing = isFollowing
  }

  /// The time now.
  package var now: Date { Date.now.addingTimeInterval(offset.withLock(\.self)) }

  /// Follows the time of an invocation; it ignores a difference of less than a minute, from an event that waited.
  package func follow(_ time: Date) {
    guard isFollowing else { return }
    let difference = time.timeIntervalSince(.now)
    offset.withLock { $0 = abs(difference) < 60 ? 0 : difference }
  }
}

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
