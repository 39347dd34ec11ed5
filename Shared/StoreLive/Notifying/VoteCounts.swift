import FoundationEssentials
import Synchronization

/// How many votes popular feedbacks had a moment ago.
///
/// PostgreSQL counts votes one by one. If many people vote at the same time, it would count hundreds of thousands of
/// them for each batch, and would soon do nothing else.
package final class VoteCounts: Sendable {
  /// From this number on, a number of votes is used for ``age``.
  static let many = 10_000
  static let age = Duration.seconds(1)

  private let counted = Mutex<[UUID: (votes: Int, time: ContinuousClock.Instant)]>([:])

  package init() {}

  /// The number of votes of a feedback; `nil` if they have to be counted.
  func recent(of feedback: UUID, at now: ContinuousClock.Instant = .now) -> Int? {
    counted.withLock { $0[feedback] }.flatMap { now - $0.time < Self.age ? $0.votes : nil }
  }

  /// Keeps a number that was just counted, if it is large.
  func keep(_ votes: Int, of feedback: UUID, at now: ContinuousClock.Instant = .now) {
    counted.withLock { counted in
      counted = counted.filter { now - $0.value.time < Self.age }
      counted[feedback] = votes < Self.many ? nil : (votes, now)
    }
  }
}
