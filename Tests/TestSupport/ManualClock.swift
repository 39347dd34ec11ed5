package import FoundationEssentials
import Synchronization

/// A clock that stands still until a test moves it, so that nothing depends on how fast the machine is.
package final class ManualClock: Sendable {
  private let passed = Mutex(Duration.zero)
  private let start = (instant: ContinuousClock.now, date: Date.now)

  /// A clock that stands at the present time.
  package init() {}

  /// The moment at which it stands.
  package var now: ContinuousClock.Instant { start.instant + passed.withLock(\.self) }

  /// The date at that moment.
  package var date: Date { start.date + passed.withLock(\.self) / .seconds(1) }

  /// Moves it on.
  package func advance(by time: Duration) { passed.withLock { $0 += time } }
}
