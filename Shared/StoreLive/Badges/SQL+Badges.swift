package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
  /// The seconds that APNs and FCM keep a badge for a device that is off; more than the hour that it may wait for room.
  private static let badgeLifetime: TimeInterval = 4 * 3_600

  /// Whether a notification `n` is a push of a badge alone.
  package static let isBadgePush: SQL = "(n.type = 'badge' AND n.origin = 'function')"

  /// Makes a push of the badge for each person with devices that need it, and a delivery for each such device.
  ///
  /// Sending puts the number in. Waiting deliveries are locked until the end of the transaction, so that none is sent
  /// with an older number.
  package static func pushBadges(to people: [UUID], in app: App, except device: UUID?, _ event: EventContext) -> SQL {
    let expiry = event.now.addingTimeInterval(badgeLifetime)
    return """
      WITH waiting AS MATERIALIZED (
        \(waitingBadges(of: people, in: app, event.now)) ORDER BY d.id FOR NO KEY UPDATE OF d
      ), due AS MATERIALIZED (
        \(badgeDevices(of: people, in: app, except: device, event.now))
      ), told AS (
        INSERT INTO notifications (
          user_id, app, type, title, data, is_archived, origin, importance, counts_for_badge, payload, push_type, priority,
          collapse_id, function, source, source_event_id, traceparent, created_at, updated_at, expires_at, push_expires_at)
        SELECT user_id, \(app.rawValue), 'badge', '', jsonb_build_object('badge', badge), true, 'function',
          \(Importance.passive.rawValue), false, '{"aps":{}}', 'alert', 5, 'badge', \(event.function), \(event.source),
          \(event.id), \(event.traceparent as String?)::text, \(event.now), \(event.now), \(expiry), \(expiry)
        FROM (SELECT DISTINCT user_id, badge FROM due) AS person
        RETURNING id, user_id
      )
      INSERT INTO deliveries (
        notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
      SELECT told.id, due.id, due.user_id, \(app.rawValue), due.provider, \(event.now), \(expiry), \(event.now),
        \(event.now)
      FROM told JOIN due ON due.user_id = told.user_id
      """
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
    SELECT d.device_token_id FROM notifications n JOIN deliveries d ON d.notification_id = n.id
    WHERE n.user_id = ANY (\(people)) AND n.app = \(app.rawValue) AND \(isBadgePush)
      AND n.created_at > \(now.addingTimeInterval(-badgeLifetime)) AND d.state = 'queued' AND d.expires_at > \(now) AND \(isFree)
    """
  }

  // A waiting push gets its number when it is sent. A leased push, or the last push that the device accepted, carries
  // the right number already if the number has not changed since it was made. Pushes older than a day are not searched.
  // A push that waited in the snapshot but not when it was locked is leased by now.
  private static func badgeDevices(of people: [UUID], in app: App, except device: UUID?, _ now: Date) -> SQL {
    """
    SELECT t.id, t.user_id, t.provider, b.badge
    FROM device_tokens t CROSS JOIN LATERAL push_badges(t.user_id, \(app.rawValue), \(now)) b
    WHERE t.user_id = ANY (\(people)) AND t.app = \(app.rawValue) AND t.is_active
      AND t.id IS DISTINCT FROM \(device as UUID?) AND NOT EXISTS (\(app.profile.preferences.isSwitchedOff("t")))
      AND NOT EXISTS (SELECT FROM waiting w WHERE w.device_token_id = t.id)
      AND NOT EXISTS (
        SELECT FROM notifications n JOIN deliveries d ON d.notification_id = n.id AND d.device_token_id = t.id
        WHERE n.user_id = t.user_id AND n.app = t.app AND \(isBadgePush) AND n.created_at > \(now.addingTimeInterval(-86_400))
          AND n.data ->> 'badge' = b.badge::text
          AND (d.accepted_at = t.last_accepted_at OR d.state = 'queued' AND d.expires_at > \(now)))
    """
  }
}
