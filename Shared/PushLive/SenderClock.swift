package import FoundationEssentials
import Synchronization

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
