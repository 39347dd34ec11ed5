package import FoundationEssentials
import Notifications
package import Postgres

extension SQL {
  /// Rows for `Proposal`, by a condition on `event_proposals p`.
  package static func proposals(where condition: SQL) -> SQL {
    """
    SELECT p.id, p.title, u.name AS proposer, p.group_id, g.name AS group_name, p.deadline, p.visibility
    FROM event_proposals p
    JOIN groups g ON g.id = p.group_id
    JOIN users u ON u.id = p.created_by
    WHERE \(condition)
    ORDER BY p.deadline, p.id
    """
  }

  /// The options of proposals with their votes, except votes of people who have left the group.
  /// - Parameter condition: selects the votes `v` that count.
  package static func tallies(of proposals: [UUID], _ condition: SQL) -> SQL {
    """
    SELECT o.proposal_id, o.id, o.starts_at, o.ends_at, count(*) FILTER (WHERE v.vote = 'yes') AS yes,
      count(*) FILTER (WHERE v.vote = 'maybe') AS maybe, count(*) FILTER (WHERE v.vote = 'no') AS no,
      max(greatest(v.created_at, v.updated_at)) FILTER (WHERE v.vote IN ('yes', 'maybe')) AS last_vote
    FROM proposal_options o
    JOIN event_proposals p ON p.id = o.proposal_id
    LEFT JOIN proposal_votes v ON v.option_id = o.id AND \(condition)
      AND EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = v.user_id)
    WHERE o.proposal_id = ANY (\(proposals))
    GROUP BY o.proposal_id, o.id, o.starts_at, o.ends_at
    """
  }

  /// The events that proposals `p` became, by a condition on those or on `events e`.
  package static func confirmations(where condition: SQL) -> SQL {
    """
    SELECT e.id, e.title, u.name, e.starts_at, coalesce(e.location, p.location) AS location,
      \(strictestVisibility) AS visibility
    FROM events e
    JOIN event_proposals p ON p.id = e.proposal_id
    JOIN users u ON u.id = p.created_by
    WHERE \(condition) AND p.status = 'confirmed' AND e.status = 'confirmed'
    """
  }
}

extension Proposal {
  package init(_ row: Row) throws {
    self.init(
      id: try row.decode("id"), title: try row.decode("title"), proposer: try row.decode("proposer"),
      groupID: try row.decode("group_id"), group: try row.decode("group_name"), deadline: try row.decode("deadline"),
      visibility: EventVisibility(column: row["visibility"]))
  }
}

extension OptionTally {
  package init(_ row: Row) throws {
    self.init(
      option: try row.decode("id"), startsAt: try row.decode("starts_at"), yes: try row.decode("yes"),
      maybe: try row.decode("maybe"), lastVote: try row.optional("last_vote"))
  }
}

extension EventConfirmation {
  package init(_ row: Row) throws {
    self.init(
      of: try row.decode("id"), title: try row.decode("title"), organizer: try row.decode("name"),
      start: try row.decode("starts_at"), location: row["location"],
      visibility: EventVisibility(column: row["visibility"]))
  }
}

extension EventVisibility {
  /// The visibility in a column; an unknown value is private.
  init(column: String?) { self = column.flatMap(EventVisibility.init(rawValue:)) ?? .private }
}
