import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension NotificationStore {
  /// Pushes the new badge to people who had not voted on proposals that are now closed; each proposal once.
  func lowerBadgesOfClosedProposals(_ event: EventContext) async throws -> Int {
    var total = 0
    while true {
      let pushes: Int? = try await GivingWay.repeating {
        try await connection.transaction { transaction in
          let closed = try await transaction.query(.noteClosedProposals(event)).decode("id", as: UUID.self)
          guard !closed.isEmpty else { return nil }
          let people = try await transaction.query(.peopleAsked(by: closed)).decode("user_id", as: UUID.self)
          return try await transaction.pushBadges(to: people, in: .lockItIn, event)
        }
      }
      guard let pushes else { return total }
      total += pushes
    }
  }

  /// How many devices would get a push, and for how many proposals.
  func countBadgesOfClosedProposals(_ event: EventContext) async throws -> (pushes: Int, proposals: Int) {
    let closed = try await connection.query(.newlyClosedProposals(event)).decode("id", as: UUID.self)
    guard !closed.isEmpty else { return (0, 0) }
    let people = try await connection.query(.peopleAsked(by: closed)).decode("user_id", as: UUID.self)
    let devices = try await connection.query(.badgeDevices(of: people, in: .lockItIn, except: nil, at: event.now))
    return (devices.count, closed.count)
  }
}

extension SQL {
  /// Records that some proposals take no more votes, and returns their ids.
  fileprivate static func noteClosedProposals(_ event: EventContext) -> SQL {
    """
    WITH closed AS (
      \(newlyClosedProposals(event)) LIMIT 20
    ), noted AS (
      INSERT INTO handled_events (function, source, event_id, result, created_at)
      SELECT \(event.function), '/proposals', note, '{}', \(event.now) FROM closed ON CONFLICT DO NOTHING
      RETURNING event_id
    )
    SELECT c.id FROM closed c JOIN noted n ON n.event_id = c.note
    """
  }

  /// Proposals that closed within the last day and are not recorded yet, each with the record to write.
  ///
  /// A proposal that reopens with another deadline counts as another one.
  fileprivate static func newlyClosedProposals(_ event: EventContext) -> SQL {
    """
    SELECT p.id, p.note FROM (
      SELECT *, id || '/' || extract(epoch FROM deadline) AS note FROM event_proposals
    ) AS p
    WHERE p.deadline > \(event.now.addingTimeInterval(-86_400)) AND (p.status <> 'open' OR p.deadline <= \(event.now))
      AND NOT EXISTS (
        SELECT FROM handled_events h
        WHERE h.function = \(event.function) AND h.source = '/proposals' AND h.event_id = p.note)
    ORDER BY p.deadline, p.id
    """
  }

  /// The people whose badges counted the proposals until they closed.
  fileprivate static func peopleAsked(by proposals: [UUID]) -> SQL {
    """
    SELECT DISTINCT m.user_id FROM event_proposals p
    JOIN group_members m ON m.group_id = p.group_id
    WHERE p.id = ANY (\(proposals)) AND NOT \(wasSeen("p.id", by: "m.user_id", options: "p.options_changed_at"))
      AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    """
  }
}
