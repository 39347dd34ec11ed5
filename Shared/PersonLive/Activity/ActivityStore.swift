package import FoundationEssentials
package import Notifications
package import Postgres

/// The subjects at which people look in the apps, in PostgreSQL; a report counts for two minutes.
package struct ActivityStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Records what a person is looking at now, in place of the earlier subject.
  package func look(
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

  /// Records that a person left a subject, or any; if they look at another one by now, that stays.
  package func leave(
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
