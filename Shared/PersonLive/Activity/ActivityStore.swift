public import FoundationEssentials
public import Notifications
public import Postgres

/// What people are looking at in the apps, in PostgreSQL; it no longer counts after two minutes without news.
public struct ActivityStore: Sendable {
  let connection: Connection

  /// A store on a connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// Notes what a person is looking at now, in place of what they looked at before.
  public func look(
    at subject: String, in app: App, as person: Person, at now: Date, dryRun: Bool = false
  ) async throws {
    _ = try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await transaction.query(
        """
        INSERT INTO user_activity (user_id, app, subject_id, seen_at)
        VALUES (\(person.id), \(app.rawValue), \(subject), \(now))
        ON CONFLICT (user_id, app) DO UPDATE SET subject_id = excluded.subject_id, seen_at = excluded.seen_at
        """)
    }
  }

  /// Notes that a person no longer looks at a subject, or at any; when they look at another by now, that stays.
  public func leave(
    _ subject: String?, in app: App, as person: Person, dryRun: Bool = false
  ) async throws {
    _ = try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await transaction.query(
        """
        DELETE FROM user_activity
        WHERE user_id = \(person.id) AND app = \(app.rawValue)
          AND subject_id = coalesce(\(subject as String?), subject_id)
        """)
    }
  }
}
