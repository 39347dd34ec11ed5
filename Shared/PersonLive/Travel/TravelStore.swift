public import FoundationEssentials
public import Notifications
public import Postgres

/// How long people's ways to events take, in PostgreSQL; attendees are told by it when to leave.
public struct TravelStore: Sendable {
  let connection: Connection

  /// A store on a connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// Sets how long a person's way to an event takes.
  ///
  /// A person who has only voted for it becomes an attendee, as sure as their vote was.
  /// - Returns: whether it is an event of a group of theirs to which they have said anything, or voted yes or maybe.
  public func set(
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

  /// Forgets how long a person's way to an event takes.
  /// - Returns: whether it is an event for which it could be set.
  public func clear(_ event: UUID, of person: Person, at now: Date, dryRun: Bool = false) async throws -> Bool {
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
  /// That a person comes to an event of their group, or has said that they do not, as `event_id, user_id, status`.
  fileprivate static func attendance(of person: Person, at event: UUID) -> SQL {
    """
    SELECT e.id AS event_id, m.user_id, coalesce(c.status, v.vote) AS status
    FROM events e
    JOIN group_members m ON m.group_id = e.group_id AND m.user_id = \(person.id)
    LEFT JOIN event_attendees c ON c.event_id = e.id AND c.user_id = m.user_id
    LEFT JOIN proposal_votes v ON v.option_id = e.option_id AND v.user_id = m.user_id
    WHERE e.id = \(event) AND (c.status IS NOT NULL OR v.vote IN ('yes', 'maybe'))
    """
  }
}
