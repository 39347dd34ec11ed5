import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
package import StoreLive

/// The number of withdrawn notifications and deliveries.
package struct Withdrawal: Sendable, Equatable {
  /// How many notifications left an inbox.
  package internal(set) var notifications = 0
  /// How many deliveries left the queue.
  package internal(set) var deliveries = 0
  /// How many devices get a push of the badge.
  package internal(set) var badgePushes = 0
  /// How many proposals have closed since the last time; in a dry run only.
  package internal(set) var proposals: Int?
}

extension NotificationStore {
  /// Archives unread notifications about votes on proposals that take no more votes.
  ///
  /// It ends their queued deliveries and lowers the badges of people who have not voted, once. A sender finishes a
  /// delivery that it has leased; if the delivery returns to the queue, the next call ends it.
  /// - Returns: the counts; in a dry run, the counts of what would be withdrawn.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func withdrawClosedProposals(_ event: EventContext) async throws -> Withdrawal {
    let now = event.now
    do {
      if event.dryRun {
        let badges = try await countBadgesOfClosedProposals(event)
        return Withdrawal(
          notifications: try await connection.query(.unreadOfClosedProposals(at: now)).count,
          deliveries: try await connection.query(.queuedOfClosedProposals(at: now)).count,
          badgePushes: badges.pushes, proposals: badges.proposals)
      }
      return Withdrawal(
        notifications: try await repeated(.archive(.unreadOfClosedProposals(at: now), limit: chunk, at: now)),
        deliveries: try await repeated(.end(.queuedOfClosedProposals(at: now), limit: chunk, at: now)),
        badgePushes: try await lowerBadgesOfClosedProposals(event))
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Repeats a statement that changes a chunk of rows until a chunk is not full; returns the number of rows.
  private func repeated(_ statement: SQL) async throws(PostgresError) -> Int {
    var total = 0
    while true {
      let changed = try await connection.pipeline([statement].asOwnWrites)[1].affectedRows
      total += changed
      if changed < chunk { return total }
    }
  }
}

extension SQL {
  fileprivate static func unreadOfClosedProposals(at now: Date) -> SQL {
    """
    SELECT n.id FROM notifications n JOIN event_proposals p ON p.id = n.proposal_id
    WHERE n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE AND \(concernsClosedProposal(at: now))
    """
  }

  fileprivate static func queuedOfClosedProposals(at now: Date) -> SQL {
    """
    SELECT d.id FROM deliveries d
    JOIN notifications n ON n.id = d.notification_id
    JOIN event_proposals p ON p.id = n.proposal_id
    WHERE d.state = 'queued' AND \(isFree)
      AND \(concernsClosedProposal(at: now))
    """
  }

  private static func concernsClosedProposal(at now: Date) -> SQL {
    """
    n.app = \(App.lockItIn.rawValue) AND lower(n.type) = ANY (\(Kind.aboutVotes.map(\.name)))
      AND (p.status <> 'open' OR p.deadline <= \(now))
    """
  }

  fileprivate static func archive(_ notifications: SQL, limit: Int, at now: Date) -> SQL {
    """
    UPDATE notifications SET is_archived = true, updated_at = \(now)
    WHERE id = ANY (ARRAY(\(notifications) LIMIT \(limit) FOR UPDATE OF n SKIP LOCKED))
    """
  }

  fileprivate static func end(_ deliveries: SQL, limit: Int, at now: Date) -> SQL {
    """
    UPDATE deliveries SET state = 'expired', reason = \(DeliveryEnd.proposalExpired.rawValue), lease_id = NULL,
      lease_until = NULL, updated_at = \(now)
    WHERE id = ANY (ARRAY(\(deliveries) LIMIT \(limit) FOR UPDATE OF d SKIP LOCKED))
    """
  }
}

extension NotificationStore {
  /// Pushes the new badge to people who had not voted on proposals that are now closed; each proposal once.
  private func lowerBadgesOfClosedProposals(_ event: EventContext) async throws -> Int {
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
  private func countBadgesOfClosedProposals(_ event: EventContext) async throws -> (pushes: Int, proposals: Int) {
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
