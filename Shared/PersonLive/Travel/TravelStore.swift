package import FoundationEssentials
package import Notifications
package import Postgres
import StoreLive

/// People's travel times to events, in PostgreSQL; reminders to leave use them.
package struct TravelStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Sets a person's travel time to an event.
  ///
  /// A person who has only voted for it becomes an attendee with the status of their vote.
  /// - Returns: whether the event belongs to a group of theirs, and they have answered it or voted yes or maybe.
  package func set(
    _ travel: Travel, to event: UUID, of person: Person, at now: Date, dryRun: Bool = false
  ) async throws -> Bool {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await transaction.query(
        """
        INSERT INTO event_attendees (event_id, user_id, status, travel_minutes, travel_mode, traffic, updated_at)
        SELECT a.event_id, a.user_id, a.status, \(travel.minutes)::integer, \(travel.mode as String?),
          \(travel.traffic as String?), \(now)
        FROM (\(SQL.attendance(of: person, at: event))) a
        ON CONFLICT (event_id, user_id) DO UPDATE SET travel_minutes = excluded.travel_minutes,
          travel_mode = excluded.travel_mode, traffic = excluded.traffic, updated_at = excluded.updated_at
        """
      ).affectedRows > 0
    }
  }

  /// Deletes a person's travel time to an event.
  /// - Returns: whether it could be set for this event.
  package func clear(_ event: UUID, of person: Person, at now: Date, dryRun: Bool = false) async throws -> Bool {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      guard try await !transaction.query(.attendance(of: person, at: event)).isEmpty else { return false }
      _ = try await transaction.query(
        """
        UPDATE event_attendees SET travel_minutes = NULL, travel_mode = NULL, traffic = NULL, updated_at = \(now)
        WHERE event_id = \(event) AND user_id = \(person.id) AND travel_minutes IS NOT NULL
        """)
      return true
    }
  }
}

extension SQL {
  /// A person's answer to an event of their group, as `event_id, user_id, status`.
  fileprivate static func attendance(of person: Person, at event: UUID) -> SQL {
    """
    SELECT e.id AS event_id, m.user_id, coalesce(c.status, v.vote) AS status
    FROM events e
    JOIN group_members m ON m.group_id = e.group_id AND m.user_id = \(person.id)
    LEFT JOIN event_attendees c ON c.event_id = e.id AND c.user_id = m.user_id
    CROSS JOIN LATERAL (SELECT \(.vote(of: "m.user_id", on: "e")) AS vote) v
    WHERE e.id = \(event) AND (c.status IS NOT NULL OR v.vote IN ('yes', 'maybe'))
    """
  }
}
