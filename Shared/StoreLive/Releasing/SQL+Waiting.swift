import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// The people for whom something is due, in the order of their ids.
  static func due(in app: App, limit: Int, at now: Date) -> SQL {
    """
    SELECT user_id FROM (
      SELECT user_id, min(held_until) AS first FROM held_notifications
      WHERE app = \(app.rawValue) AND held_until <= \(now) GROUP BY user_id ORDER BY first LIMIT \(limit)
    ) h ORDER BY user_id
    """
  }

  /// What is due for people, the oldest first, with everything that the gates ask about.
  static func waiting(of people: [UUID], in app: App, at now: Date) -> SQL {
    waiting(
      """
      SELECT notification_id, user_id,
        CASE WHEN reason = \(Hold.Reason.rateLimited.rawValue) THEN held_since END AS waiting_since
      FROM held_notifications
      WHERE user_id = ANY (\(people)) AND app = \(app.rawValue) AND held_until <= \(now)
      """, in: app, at: now)
  }

  /// The same of any notifications, a query with the columns `notification_id, user_id, waiting_since`.
  static func waiting(_ notifications: SQL, in app: App, at now: Date) -> SQL {
    let settings = Settings(ofKindsOf: app, for: "n", in: Settings.scope(of: app, for: "n"))
    return """
      SELECT h.notification_id, h.user_id, h.waiting_since, n.type, n.importance, n.title, n.body, n.data::text AS data,
        n.subject_id,
        n.payload, n.push_expires_at, n.family_subject, n.family_name, n.actor, n.actor_name, n.opener_id,
        n.recipient_reason, push_standing(n, \(now)) AS standing, \(settings.columns),
        \(isViewing(app, user: "h.user_id", subject: "n.subject_id", at: now)) AS is_viewing,
        ARRAY(
          SELECT d.id FROM device_tokens d
          WHERE d.user_id = h.user_id AND d.app = \(app.rawValue) AND d.is_active ORDER BY d.id) AS devices
      FROM (\(notifications)) h
      JOIN notifications n ON n.id = h.notification_id
      \(settings.tables)
      ORDER BY h.user_id, n.created_at, n.id
      """
  }

  /// The notifications that opened the windows in which something was gathered that is due.
  static func openers(of people: [UUID], in app: App, at now: Date) -> SQL {
    """
    SELECT o.id, o.actor, o.actor_name, coalesce(o.is_read OR o.is_archived, false) AS is_read
    FROM notifications o
    WHERE o.id IN (
      SELECT n.opener_id FROM held_notifications h JOIN notifications n ON n.id = h.notification_id
      WHERE h.user_id = ANY (\(people)) AND h.app = \(app.rawValue) AND h.held_until <= \(now))
    """
  }
}
