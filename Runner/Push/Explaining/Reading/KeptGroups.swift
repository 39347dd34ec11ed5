import Documents
import Postgres
import Synchronization

/// The people of an event about whom the same was decided for the same reason.
struct DecisionGroup: Sendable {
  let count: DecisionCount
  /// One of them.
  let first: DecisionKey
}

/// The groups of events that concerned very many people, as they were counted last.
///
/// PostgreSQL needs half a second of a processor for a million decisions, and a page that follows its event asks again
/// and again. Nothing is decided about an event any more that has its result; but what is old is deleted, so a count is
/// kept for a minute only.
final class KeptGroups: Sendable {
  /// Fewer people than this are counted each time.
  private static let many = 10_000
  private static let longest = Duration.seconds(60)

  private struct Kept {
    let groups: [DecisionGroup]
    let end: ContinuousClock.Instant
  }

  private let all = Mutex<[[String?]: Kept]>([:])

  /// The groups of an event, which are read unless they are kept.
  ///
  /// - Parameter row: of `handled_events`.
  func groups(of row: Row, _ read: () async throws -> [DecisionGroup]) async throws -> [DecisionGroup] {
    // A record that was deleted and is written again is another one.
    let key = ["function", "source", "event_id", "created_at"].map { row[$0] }
    if let kept = all.withLock({ $0[key] }), .now < kept.end { return kept.groups }
    let groups = try await read()
    if row["result"] != nil, groups.reduce(0, { $0 + $1.count.people }) >= Self.many {
      let now = ContinuousClock.now
      all.withLock { all in
        all = all.filter { now < $0.value.end }
        all[key] = Kept(groups: groups, end: now + Self.longest)
      }
    }
    return groups
  }
}
