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
    let kinds = Kind.catalogue.filter { $0.app == app }
    return """
      SELECT h.notification_id, h.user_id,
        CASE WHEN h.reason = \(Hold.Reason.rateLimited.rawValue) THEN h.held_since END AS waiting_since, n.type, n.title, n.body, n.data::text AS data, n.subject_id,
        n.payload, n.push_expires_at, n.family_subject, n.family_name, n.actor, n.actor_name, n.opener_id,
        n.recipient_reason, push_standing(n, \(now)) AS standing, s.*, q.is_quiet, q.quiet_start, q.quiet_end,
        q.quiet_zone, q.hourly_limit, q.chosen_sound, NULL AS timezone, NULL AS sound,
        \(isViewing(app, user: "h.user_id", subject: "n.subject_id", at: now)) AS is_viewing,
        ARRAY(
          SELECT d.id FROM device_tokens d
          WHERE d.user_id = h.user_id AND d.app = \(app.rawValue) AND d.is_active ORDER BY d.id) AS devices
      FROM held_notifications h
      JOIN notifications n ON n.id = h.notification_id
      LEFT JOIN unnest(
        \(kinds.map(\.name)), \(kinds.map(\.preference.rawValue)), \(kinds.map(\.preference.shared?.rawValue)),
        \(kinds.map(\.preference.sharedInGroups?.rawValue))
      ) AS k (name, switch, shared, shared_in_groups) ON k.name = lower(n.type)
      CROSS JOIN LATERAL (\(switches(of: app))) s
      LEFT JOIN (\(calm(of: app))) q ON q.user_id = h.user_id
      WHERE h.user_id = ANY (\(people)) AND h.app = \(app.rawValue) AND h.held_until <= \(now)
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

  /// The switches of a notification `n` and its kind `k`: `is_enabled, level, override, personal`.
  private static func switches(of app: App) -> SQL {
    switch app {
    case .feedbackKit:
      """
      SELECT u.push_notifications_enabled AS is_enabled, CASE WHEN m.push_muted THEN 'muted' ELSE 'all' END AS level,
        (to_jsonb(m) ->> k.switch)::boolean AS override, (to_jsonb(u) ->> k.switch)::boolean AS personal
      FROM users u
      LEFT JOIN project_member_preferences m ON m.user_id = u.id AND m.project_id = n.project_id
      WHERE u.id = n.user_id
      """
    case .lockItIn:
      """
      SELECT coalesce(u.notifications_enabled, true) AS is_enabled, coalesce(g.notification_level, 'all') AS level,
        coalesce(
          CASE WHEN k.switch = 'vote_cast' THEN p.notify_vote_cast END,
          (to_jsonb(g) ->> k.switch)::boolean, (to_jsonb(g) ->> k.shared_in_groups)::boolean) AS override,
        coalesce(to_jsonb(u) ->> k.switch, to_jsonb(u) ->> k.shared)::boolean AS personal
      FROM (SELECT) one
      LEFT JOIN user_notification_preferences u ON u.user_id = n.user_id
      LEFT JOIN event_proposals p ON p.id = n.proposal_id
      LEFT JOIN group_notification_preferences g ON g.user_id = n.user_id AND g.group_id = coalesce(
        p.group_id, (SELECT e.group_id FROM events e WHERE e.id = n.event_id))
      """
    case .repairMinder, .mugshot, .messageAI:
      """
      SELECT coalesce(p.is_enabled, true) AS is_enabled, 'all' AS level, NULL::boolean AS override,
        (p.switches ->> k.name)::boolean AS personal
      FROM (SELECT) one
      LEFT JOIN notification_settings p ON p.user_id = n.user_id AND p.app = n.app
      """
    }
  }
}
