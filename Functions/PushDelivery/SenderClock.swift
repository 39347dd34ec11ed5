import FoundationEssentials
import Synchronization

/// The clock for the dates of a sender's tokens and the ends of its holds.
///
/// It shows the time of the invocations, which may be virtual, and goes on between them.
final class SenderClock: Sendable {
  private let offset = Mutex(0.0)
  private let isFollowing: Bool

  /// - Parameter isFollowing: whether the server keeps the invocations' time; Apple's and Google's never do.
  init(isFollowing: Bool = true) {
    self.isFollowing = isFollowing
  }

  var now: Date { Date.now.addingTimeInterval(offset.withLock(\.self)) }

  /// Follows the time of an invocation; a difference of less than a minute is an event that waited.
  func follow(_ time: Date) {
    guard isFollowing else { return }
    let difference = time.timeIntervalSince(.now)
    offset.withLock { $0 = abs(difference) < 60 ? 0 : difference }
  }
}
