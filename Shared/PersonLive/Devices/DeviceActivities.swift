import Formats
package import FoundationEssentials
package import Notifications
import Postgres
import StoreLive

/// A token of ActivityKit, as an app registers it.
package struct ActivityRegistration: Sendable {
  let device: UUID
  let app: App
  let attributesType: String
  let token: String
  let subject: UUID?

  /// - Parameters:
  ///   - device: the id of the person's device.
  ///   - attributesType: ActivityKit's name of the app's attributes.
  ///   - token: hexadecimal digits in lower case.
  ///   - subject: what the running activity is about; `nil` for the token that starts activities.
  package init(device: UUID, app: App, attributesType: String, token: String, subject: UUID?) {
    (self.device, self.app, self.attributesType) = (device, app, attributesType)
    (self.token, self.subject) = (token, subject)
  }
}

/// A registered token as its owner sees it, without the token.
package struct RegisteredActivity: Sendable, Encodable, Equatable {
  /// The row of `live_activities`, a UUID in lower case.
  package let id: String
  /// The app whose activity it is.
  package let app: String
  /// The device, a UUID in lower case.
  package let deviceId: String
  /// ActivityKit's name of the attributes.
  package let attributesType: String
  /// The subject of a running activity; absent for the token that starts activities.
  package let subjectId: String?
  /// The same as `subjectId`, under LockItIn's name for it; absent for other apps.
  package let proposalId: String?
  /// When it was first registered, or the activity was started.
  package let createdAt: Date

  fileprivate init(_ row: Row) throws(PostgresError) {
    id = try row.decode("id", as: UUID.self).lowercased
    deviceId = try row.decode("device_token_id", as: UUID.self).lowercased
    app = try row.decode("app")
    attributesType = try row.decode("attributes_type")
    subjectId = row["subject_id"].flatMap { $0.isEmpty ? nil : $0 }
    proposalId = app == App.lockItIn.rawValue ? subjectId : nil
    createdAt = try row.decode("created_at")
  }
}

extension DeviceStore {
  /// Registers a token of ActivityKit, or renews it; what has changed since is pushed to a running activity at once.
  ///
  /// A new token that starts activities is tried for each open subject that the person was told of, if the device was sent
  /// no start, or APNs refused it because of the token before.
  ///
  /// A token belongs to the activity for which it was registered last.
  /// - Returns: `nil` if the person has no such device with APNs in the app, or may not see the subject.
  package func register(
    _ registration: ActivityRegistration, for person: Person, at now: Date, dryRun: Bool = false
  ) async throws -> RegisteredActivity? {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      let answers = try await transaction.pipeline([
        "SELECT pg_advisory_xact_lock(hashtextextended('activity ' || \(registration.token)::text, 0))",
        .mayRegister(registration, person),
      ])
      guard answers[1].first != nil else { return nil }
      var statements: [SQL] = [.releaseToken(registration, at: now)]
      if let subject = registration.subject {
        statements.append(
          """
          INSERT INTO activity_changes (app, subject_id, due_at, openings)
          VALUES (\(registration.app.rawValue), \(subject.lowercased), \(now), '{}')
          """)
      } else {
        statements += [
          .forgetRefusedStarts(registration),
          .noteOpenings(for: person, registration.app, at: now, unless: .opensAlready(registration, person)),
        ]
      }
      statements.append(.register(registration, for: person, at: now))
      return try RegisteredActivity(try await transaction.pipeline(statements)[statements.count - 1].only())
    }
  }

  /// Ends the pushes to an activity or to a token that starts activities; the device gets silent counts again.
  /// - Returns: whether the person has such an activity.
  package func endActivity(_ id: UUID, of person: Person, at now: Date, dryRun: Bool = false) async throws -> Bool {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await transaction.pipeline([
        """
        INSERT INTO activity_changes (app, subject_id, due_at, openings, device_ids)
        SELECT app, subject_id, \(now)::timestamptz, '{}', ARRAY[device_token_id] FROM live_activities
        WHERE id = \(id) AND user_id = \(person.id) AND subject_id <> '' AND token IS NOT NULL AND ended_at IS NULL
        """,
        """
        UPDATE live_activities SET token = NULL, ended_at = coalesce(ended_at, \(now)), ended_reason = 'unregistered'
        WHERE id = \(id) AND user_id = \(person.id) AND ended_reason IS DISTINCT FROM 'unregistered'
        """,
      ])[1].affectedRows > 0
    }
  }
}

extension SQL {
  /// A row if the person has the device, and may see the subject; the device stays theirs until the transaction ends.
  fileprivate static func mayRegister(_ registration: ActivityRegistration, _ person: Person) -> SQL {
    """
    SELECT t.id FROM device_tokens t
    WHERE t.id = \(registration.device) AND t.user_id = \(person.id) AND t.app = \(registration.app.rawValue)
      AND t.provider = 'apns' AND t.is_active IS NOT FALSE
      AND \(maySee(registration.subject, in: registration.app, person))
    FOR NO KEY UPDATE OF t
    """
  }

  /// Whether a person may see a subject of an app; true without a subject.
  private static func maySee(_ subject: UUID?, in app: App, _ person: Person) -> SQL {
    guard let subject else { return "true" }
    guard let type = app.activitySubject else { return "false" }
    return "EXISTS (\(type.seen("\(subject.lowercased)::text", by: "\(person.id)::uuid")))"
  }

  /// Takes a token away from any other activity.
  fileprivate static func releaseToken(_ registration: ActivityRegistration, at now: Date) -> SQL {
    """
    UPDATE live_activities SET token = NULL, ended_at = coalesce(ended_at, \(now)), ended_reason = 'replaced'
    WHERE token = \(registration.token) AND (device_token_id, attributes_type, subject_id) <>
      (\(registration.device), \(registration.attributesType), \(registration.subject?.lowercased ?? ""))
    """
  }

  /// Forgets the starts that were refused with the token before, so that each can be tried once with the new one.
  ///
  /// Those that may have gone out stay known: nobody sees two.
  fileprivate static func forgetRefusedStarts(_ registration: ActivityRegistration) -> SQL {
    """
    DELETE FROM live_activities r USING live_activities s
    WHERE s.device_token_id = \(registration.device) AND s.attributes_type = \(registration.attributesType)
      AND s.subject_id = '' AND s.token <> \(registration.token)
      AND r.device_token_id = s.device_token_id AND r.attributes_type = s.attributes_type AND r.subject_id <> ''
      AND r.registered_at IS NULL AND (
        SELECT bool_and(d.state = 'rejected' AND d.unsettled = 0)
        FROM deliveries d JOIN notifications n ON n.id = d.notification_id
        WHERE d.device_token_id = r.device_token_id AND d.activity_id = s.id AND n.subject_id = r.subject_id)
    """
  }

  /// Whether the device has the token for starts already.
  fileprivate static func opensAlready(_ registration: ActivityRegistration, _ person: Person) -> SQL {
    """
    EXISTS (
      SELECT FROM live_activities s
      WHERE s.device_token_id = \(registration.device) AND s.attributes_type = \(registration.attributesType)
        AND s.subject_id = '' AND s.token = \(registration.token) AND s.user_id = \(person.id) AND s.ended_at IS NULL)
    """
  }

  /// The words that were said stay known while the activity is the same.
  ///
  /// One that had ended, or has another token, may be another one. One with a token listens to no channel.
  fileprivate static func register(_ registration: ActivityRegistration, for person: Person, at now: Date) -> SQL {
    """
    INSERT INTO live_activities AS a (
      device_token_id, user_id, app, attributes_type, subject_id, token, registered_at, created_at)
    VALUES (\(registration.device), \(person.id), \(registration.app.rawValue), \(registration.attributesType),
      \(registration.subject?.lowercased ?? ""), \(registration.token), \(now), \(now))
    ON CONFLICT (device_token_id, attributes_type, subject_id) DO UPDATE SET
      user_id = excluded.user_id, app = excluded.app, token = excluded.token, registered_at = excluded.registered_at,
      environment = CASE WHEN a.token = excluded.token THEN a.environment END,
      said = CASE
        WHEN a.ended_at IS NULL AND a.user_id = excluded.user_id AND (a.token <> excluded.token) IS NOT TRUE THEN a.said
      END,
      channel_id = NULL, ended_at = NULL, ended_reason = NULL
    RETURNING a.id, a.device_token_id, a.app, a.attributes_type, a.subject_id, a.created_at
    """
  }
}
