import FoundationEssentials
package import Notifications
package import Postgres

extension Announcement where N: AttendeeNotice {
  /// Notices to the attendees of each event who have not been notified.
  package init(_ notices: [N], of event: EventContext) {
    self.init(notices, to: .unnotified(notices, event))
  }
}

extension Audience {
  // The next tick considers a person who is left out here again; so no decision is recorded every minute.
  fileprivate static func unnotified<N: AttendeeNotice>(_ notices: [N], _ event: EventContext) -> Audience {
    let subjects: SQL = .rows(
      "d", ["id": "\(notices.map(\.subject.id))", "dedupe_key": "\(notices.map(\.dedupeKey))"])
    return Audience(
      people: """
        SELECT m.user_id, d.id AS subject_id, \(RecipientReason.attendee.rawValue) AS reason,
          NULL AS eligibility, e.group_id AS scope_id, a.travel_minutes, a.travel_mode, a.traffic
        FROM \(subjects)
        JOIN events e ON e.id = d.id::uuid
        JOIN group_members m ON m.group_id = e.group_id
        LEFT JOIN event_attendees a ON a.event_id = e.id AND a.user_id = m.user_id
        WHERE coalesce(a.status, \(.vote(of: "m.user_id", on: "e"))) IN ('yes', 'maybe') AND \(due(N.self, at: event))
          AND NOT EXISTS (
            SELECT FROM notifications n
            WHERE n.user_id = m.user_id AND n.app = \(App.lockItIn.rawValue) AND n.dedupe_key = d.dedupe_key
              AND NOT \(event.caused("n")))
        """)
  }

  private static func due<N: AttendeeNotice>(_ type: N.Type, at event: EventContext) -> SQL {
    guard type == TimeToLeave.self else { return "true" }
    return """
      a.travel_minutes > \(TimeToLeave.shortWay)
        AND e.starts_at - make_interval(mins => a.travel_minutes + \(TimeToLeave.buffer)::integer) <= \(event.now)
      """
  }
}

extension EventReader {
  /// The notices that are due now for the attendees of the events in a notice's window.
  package func attendeeNotices<N: AttendeeNotice>(_ type: N.Type) async throws -> Announcement<N> {
    let (after, through) = (
      event.now.addingTimeInterval(N.window.after), event.now.addingTimeInterval(N.window.through)
    )
    let edge: SQL =
      switch N.window.edge {
      case .start: "e.starts_at > \(after) AND e.starts_at <= \(through)"
      case .end: "e.is_tracked IS NOT FALSE AND e.ends_at > \(after) AND e.ends_at <= \(through)"
      }
    let rows = try await query(.groupEvents(where: "e.status = 'confirmed' AND \(edge)"))
    let notices = each(rows, of: "events") { row in N(of: try GroupEvent(row), at: event.now) }
    return Announcement(notices, of: event)
  }
}

extension SQL {
  /// A person's vote on the option that an event has become; where people vote on proposals without options, on its
  /// proposal.
  package static func vote(of person: SQL, on event: SQL) -> SQL {
    """
    (SELECT v.vote FROM proposal_votes v
      WHERE v.user_id = \(person)
        AND (v.option_id = \(event).option_id OR v.option_id IS NULL AND v.proposal_id = \(event).proposal_id)
      ORDER BY v.updated_at DESC NULLS LAST LIMIT 1)
    """
  }

  /// Rows for `GroupEvent`, by a condition on `events e`.
  package static func groupEvents(where condition: SQL) -> SQL {
    """
    SELECT e.id, e.title, g.id AS group_id, g.name AS group_name, e.location,
      e.location_latitude::text || ',' || e.location_longitude::text AS coordinates, e.starts_at, e.ends_at,
      \(strictestVisibility) AS visibility
    FROM events e
    JOIN groups g ON g.id = e.group_id
    LEFT JOIN event_proposals p ON p.id = e.proposal_id
    WHERE \(condition)
    ORDER BY e.starts_at, e.id
    """
  }
}

extension GroupEvent {
  package init(_ row: Row) throws {
    self.init(
      id: try row.decode("id"), title: try row.decode("title"), groupID: try row.decode("group_id"),
      group: try row.decode("group_name"), location: row["location"],
      coordinates: row["coordinates"], start: try row.decode("starts_at"), end: try row.decode("ends_at"),
      visibility: EventVisibility(column: row["visibility"]))
  }
}
