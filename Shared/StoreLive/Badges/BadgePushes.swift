package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
  /// The seconds that a badge may wait for its provider, and a provider keeps it for a device that is off.
  private static let badgeLifetime: TimeInterval = 7 * 86_400

  /// The seconds for which a push of the badge to a device that was registered just now is put off: if a push with text
  /// brings the number meanwhile, a claim ends it.
  private static let newDeviceDelay: TimeInterval = 5

  /// Whether a notification is a push of a badge alone.
  package static func isBadgePush(_ row: SQL = "n") -> SQL { "(\(row).type = 'badge' AND \(row).origin = 'function')" }

  /// Whether a person had been asked something when they last marked everything as read, with the same options.
  package static func wasSeen(_ subject: SQL, by person: SQL, options: SQL = "NULL::timestamptz") -> SQL {
    """
    EXISTS (
      SELECT FROM seen_requests s
      WHERE s.user_id = \(person) AND s.subject_id = \(subject) AND s.options_changed_at IS NOT DISTINCT FROM \(options))
    """
  }

  /// Makes a push of the badge for each person with devices that need it, and a delivery for each such device.
  ///
  /// The notification is read and archived, so that an app's own list of unread entries has none of ours. Sending puts the
  /// number in. A sender that looked before the end of the transaction has an older one: it cannot take a
  /// waiting delivery, because each is written again. The device that knows the number has set it itself, so the number that
  /// was last sent to it is forgotten.
  /// - Returns: two statements. The first one waits for a sender that is taking the waiting pushes, so that the second one
  ///   sees the number that they go out with; the second one's affected rows are the deliveries that it makes.
  package static func pushBadges(
    to people: [UUID], in app: App, except device: UUID?, _ event: EventContext
  ) -> [SQL] {
    let expiry = event.now.addingTimeInterval(badgeLifetime)
    let lock: SQL = "\(waitingBadges(of: people, in: app, event.now)) ORDER BY d.id FOR NO KEY UPDATE OF d"
    let push: SQL = """
      WITH waiting AS MATERIALIZED (
        UPDATE deliveries u SET badge = u.badge
        FROM (\(lock)) w
        WHERE u.id = w.id
        RETURNING u.device_token_id
      ), due AS MATERIALIZED (
        \(badgeDevices(of: people, in: app, except: device, event.now))
      ), known AS (
        UPDATE device_tokens SET badge = NULL WHERE id = \(device as UUID?) AND badge IS NOT NULL
      ), told AS (
        INSERT INTO notifications (
          user_id, app, type, title, data, is_read, is_archived, origin, importance, counts_for_badge, payload, push_type,
          priority, collapse_id, function, source, source_event_id, traceparent, created_at, updated_at, expires_at,
          push_expires_at)
        SELECT user_id, \(app.rawValue), 'badge', '', jsonb_build_object('badge', badge), true, true, 'function',
          \(Importance.passive.rawValue), false, '{"aps":{}}', 'alert', 5, 'badge', \(event.function), \(event.source),
          \(event.id), \(event.traceparent as String?)::text, \(event.now), \(event.now), \(expiry), \(expiry)
        FROM (SELECT DISTINCT user_id, badge FROM due) AS person
        RETURNING id, user_id
      )
      INSERT INTO deliveries (
        notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
      SELECT told.id, due.id, due.user_id, \(app.rawValue), due.provider,
        CASE WHEN due.registered_at > \(event.now.addingTimeInterval(-newDeviceDelay))
          THEN \(event.now.addingTimeInterval(newDeviceDelay))::timestamptz ELSE \(event.now)::timestamptz END,
        \(expiry), \(event.now), \(event.now)
      FROM told JOIN due ON due.user_id = told.user_id
      """
    return [lock, push]
  }

  /// The devices that would get a push of the badge.
  package static func badgeDevices(of people: [UUID], in app: App, except device: UUID?, at now: Date) -> SQL {
    """
    WITH waiting AS MATERIALIZED (
      \(waitingBadges(of: people, in: app, now))
    )
    \(badgeDevices(of: people, in: app, except: device, now))
    """
  }

  /// Pushes of the badge without a number yet.
  private static func waitingBadges(of people: [UUID], in app: App, _ now: Date) -> SQL {
    """
    SELECT d.id, d.device_token_id FROM notifications n JOIN deliveries d ON d.notification_id = n.id
    WHERE n.user_id = ANY (\(people)) AND n.app = \(app.rawValue) AND \(isBadgePush())
      AND n.created_at > \(now.addingTimeInterval(-badgeLifetime)) AND d.state = 'queued' AND d.expires_at > \(now) AND \(isFree)
    """
  }

  // A waiting push of the badge gets its number when it is sent. A device with another number needs a push, unless one with
  // the right number is under way; so does one to which another number is under way, or was sent without an answer in the
  // last day.
  private static func badgeDevices(of people: [UUID], in app: App, except device: UUID?, _ now: Date) -> SQL {
    let yesterday = now.addingTimeInterval(-86_400)
    return """
      SELECT t.id, t.user_id, t.provider, t.registered_at, b.badge
      FROM device_tokens t CROSS JOIN LATERAL push_badges(t.user_id, \(app.rawValue), \(now)) b
      WHERE t.user_id = ANY (\(people)) AND t.app = \(app.rawValue) AND t.is_active IS NOT FALSE
        AND NOT \(isGone("t.user_id"))
        AND t.id IS DISTINCT FROM \(device as UUID?) AND NOT EXISTS (\(app.profile.preferences.isSwitchedOff("t")))
        AND NOT EXISTS (SELECT FROM waiting w WHERE w.device_token_id = t.id)
        AND (
          SELECT bool_or(d.badge <> b.badge) IS TRUE OR t.badge IS DISTINCT FROM b.badge
            AND bool_or(d.badge = b.badge AND d.state = 'queued' AND NOT \(isFree)) IS NOT TRUE
          FROM (
            SELECT n.id FROM notifications n WHERE n.user_id = t.user_id AND n.app = t.app AND n.pushed_at > \(yesterday)
            UNION ALL SELECT n.id FROM notifications n
            WHERE n.user_id = t.user_id AND n.app = t.app AND \(isBadgePush()) AND n.created_at > \(yesterday)
          ) n JOIN deliveries d ON d.notification_id = n.id AND d.device_token_id = t.id
          WHERE d.badge IS NOT NULL AND d.accepted_at IS NULL)
      """
  }
}

extension Transaction {
  /// Pushes the badge to people's devices that show another number, in this transaction.
  ///
  /// No device gets a second push while one waits, nor a push of the number that it got last or is about to get.
  /// - Parameter device: the device that knows the number already.
  /// - Returns: how many devices get a push.
  package func pushBadges(
    to people: [UUID], in app: App, except device: UUID? = nil, _ event: EventContext
  ) async throws -> Int {
    let push = SQL.pushBadges(to: people, in: app, except: device, event)
    return try await pipeline([.lockState(of: people, in: app)] + push)[2].affectedRows
  }
}
