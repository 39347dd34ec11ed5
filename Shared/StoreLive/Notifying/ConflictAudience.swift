package import FoundationEssentials
package import Notifications
package import Postgres

extension Announcement<ConflictAlert> {
  /// An alert for the person with the conflict and for the proposer; a person who is both gets the former only.
  ///
  /// Switches and muted groups do not count. It has no actor: a conflict is found, not made.
  init(_ alert: ConflictAlert, conflict: UUID) {
    self.init(
      [alert],
      to: Audience(
        people: """
          SELECT a.user_id, a.proposal_id::text AS subject_id, a.reason, NULL::uuid AS scope_id,
            CASE WHEN p.status IN ('expired', 'cancelled') THEN 'gone'
              WHEN NOT EXISTS (
                SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = a.user_id)
              THEN 'not_permitted'
              WHEN NOT EXISTS (
                SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = a.person)
              THEN 'gone' END AS eligibility
          FROM (
            SELECT c.user_id, c.user_id AS person, c.proposal_id, \(RecipientReason.addressee.rawValue) AS reason
            FROM event_conflicts c WHERE c.id = \(conflict)
            UNION ALL
            SELECT p.created_by, c.user_id, c.proposal_id, \(RecipientReason.organizer.rawValue)
            FROM event_conflicts c JOIN event_proposals p ON p.id = c.proposal_id
            WHERE c.id = \(conflict) AND p.created_by <> c.user_id
          ) a
          JOIN event_proposals p ON p.id = a.proposal_id
          """))
  }
}

extension EventReader {
  /// The announcement of a row's conflict; `nil` if the conflict is gone.
  package func conflict(_ id: UUID) async throws -> Announcement<ConflictAlert>? {
    try await query(.conflicts(where: "c.id = \(id)")).first.map {
      Announcement(ConflictAlert(try Conflict($0)), conflict: id)
    }
  }
}

extension SQL {
  /// Rows for `Conflict`, by a condition on `event_conflicts c`, the oldest first.
  package static func conflicts(where condition: SQL) -> SQL {
    """
    SELECT p.id AS proposal, p.title, o.name AS organizer, \(strictestVisibility) AS visibility, c.user_id AS person,
      u.name, c.existing_event_id, c.existing_title, c.conflict_level,
      coalesce(e.starts_at, (SELECT min(t.starts_at) FROM proposal_options t WHERE t.proposal_id = p.id)) AS start
    FROM event_conflicts c
    JOIN event_proposals p ON p.id = c.proposal_id
    JOIN users o ON o.id = p.created_by
    JOIN users u ON u.id = c.user_id
    LEFT JOIN events e ON e.proposal_id = p.id
    WHERE \(condition)
    ORDER BY c.created_at, c.id
    """
  }
}

extension Conflict {
  package init(_ row: Row) throws {
    self.init(
      proposal: try row.decode("proposal"), title: try row.decode("title"), organizer: try row.decode("organizer"),
      visibility: EventVisibility(column: row["visibility"]), start: try row.optional("start"),
      person: try row.decode("person"), name: try row.decode("name"), existing: try row.optional("existing_event_id"),
      existingTitle: row["existing_title"], level: try row.decode("conflict_level"))
  }
}
