import FoundationEssentials
import Notifications
import Postgres
import StoreLive

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

  /// The same for any notifications: a query with the columns `notification_id, user_id, waiting_since`.
  static func waiting(_ notifications: SQL, in app: App, at now: Date) -> SQL {
    let settings = Settings(ofKindsOf: app, for: "n", in: app.profile.groups?.ofNotification("n") ?? "NULL::uuid")
    return """
      SELECT h.notification_id, h.user_id, h.waiting_since, n.type, n.importance, n.title, n.body, n.data::text AS data,
        n.subject_id, n.origin, n.feedback_id, n.project_id, n.proposal_id, n.event_id, n.friend_request_id, n.dedupe_key,
        n.variant, n.payload, n.push_expires_at, n.family_subject, n.family_name, n.actor, n.actor_name, n.opener_id, held.reason AS hold_reason,
        travel.travel_minutes, travel.travel_mode, travel.traffic, n.recipient_reason, \(eligibility(at: now)) AS eligibility, \(settings.columns),
        \(isViewing(app, user: "h.user_id", subject: "n.subject_id", at: now)) AS is_viewing,
        ARRAY(
          SELECT d.id FROM device_tokens d
          WHERE d.user_id = h.user_id AND d.app = \(app.rawValue) AND d.is_active ORDER BY d.id) AS devices
      FROM (\(notifications)) h
      JOIN notifications n ON n.id = h.notification_id
      LEFT JOIN held_notifications held ON held.notification_id = n.id
      LEFT JOIN event_attendees travel ON travel.event_id = n.event_id AND travel.user_id = n.user_id
      \(settings.tables)
      ORDER BY h.user_id, n.created_at, n.id
      """
  }

  /// A person's eligibility for a notification `n`; a summary is handled when everything in it is.
  private static func eligibility(at now: Date) -> SQL {
    """
    CASE WHEN n.type = \(QuietSummary.typeName) AND n.origin = 'function' THEN
      CASE WHEN n.is_read IS NOT TRUE AND EXISTS (
        SELECT FROM notifications e
        WHERE e.user_id = n.user_id AND e.app = n.app AND e.summary_id = n.id AND e.is_read IS NOT TRUE
          AND e.is_archived IS NOT TRUE) THEN 'open' ELSE 'handled' END
    ELSE push_eligibility(n, \(now)) END
    """
  }

  /// The pushes on people's phones of the families and subjects of notifications `w`, with their actors.
  ///
  /// `w` is a query with the columns `user_id, family, family_subject`. The result's columns are `user_id, family,
  /// family_subject, id, collapse_id, title, body, actors, names`.
  static func shown(_ waiting: SQL, in app: App, at now: Date) -> SQL {
    """
    SELECT t.*, coalesce(a.actors, '{}') AS actors, coalesce(a.names, '{}') AS names
    FROM (SELECT DISTINCT user_id, family, family_subject FROM (\(waiting)) w WHERE family IS NOT NULL) w
    CROSS JOIN LATERAL (
      SELECT n.user_id, n.family, n.family_subject, n.id, coalesce(n.collapse_id, n.id::text) AS collapse_id, n.title,
        n.body, n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE AS is_shown
      FROM notifications n
      WHERE n.user_id = w.user_id AND n.app = \(app.rawValue) AND n.family = w.family
        AND n.family_subject = w.family_subject AND n.pushed_at > \(now.addingTimeInterval(-Gate.threadLife))
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)
      ORDER BY n.pushed_at DESC, n.id DESC LIMIT 1
    ) t
    LEFT JOIN LATERAL (\(acts(reportedBy: "t.id"))) a ON true
    WHERE t.is_shown
    """
  }

  /// The states of notifications' subjects that were reported last: `user_id, subject_id, family, state`.
  static func states(_ waiting: SQL, in app: App) -> SQL {
    """
    SELECT w.user_id, w.subject_id, w.family, t.data ->> CASE w.family WHEN 'leads' THEN 'time_option_id' ELSE 'newStatus' END
      AS state
    FROM (
      SELECT DISTINCT user_id, subject_id, family FROM (\(waiting)) w WHERE family IN ('leads', 'statuses')
    ) w
    CROSS JOIN LATERAL (
      SELECT n.data FROM notifications n
      WHERE n.user_id = w.user_id AND n.app = \(app.rawValue) AND n.subject_id = w.subject_id
        AND n.family IN ('statuses', 'leads') AND n.family = w.family
        AND (n.pushed_at IS NOT NULL OR n.merged_into IS NULL AND (n.counts_for_badge OR n.is_read))
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)
      ORDER BY coalesce(n.pushed_at, n.created_at) DESC LIMIT 1
    ) t
    """
  }

  /// The families and subjects of what is due for people: `user_id, subject_id, family, family_subject`.
  static func subjectsDue(for people: [UUID], in app: App, at now: Date) -> SQL {
    """
    SELECT n.user_id, n.subject_id, n.family, n.family_subject
    FROM held_notifications h JOIN notifications n ON n.id = h.notification_id
    WHERE h.user_id = ANY (\(people)) AND h.app = \(app.rawValue) AND h.held_until <= \(now)
    """
  }
}
