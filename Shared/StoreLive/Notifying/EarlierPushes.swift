package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
  /// Whether a person is looking at a subject, by the last report of their device.
  package static func isViewing(_ app: App, user: SQL, subject: SQL, at now: Date) -> SQL {
    """
    EXISTS (
      SELECT FROM user_activity a
      WHERE a.user_id = \(user) AND a.app = \(app.rawValue) AND a.subject_id = \(subject)
        AND a.seen_at > \(now.addingTimeInterval(-Gate.activityWindow)))
    """
  }

  /// When people got pushes of an app within the last hour.
  package static func recentPushes(of people: [UUID], in app: App, at now: Date) -> SQL {
    """
    SELECT user_id, pushed_at FROM notifications
    WHERE user_id = ANY (\(people)) AND app = \(app.rawValue)
      AND pushed_at > \(now.addingTimeInterval(-HourlyLimit.window))
    """
  }

  /// The last pushes of a family to people about some subjects, within a day, by other events than this one.
  ///
  /// It reads one push for each person and subject. Otherwise PostgreSQL may choose an index by which it reads all that
  /// a person got: it plans the statement once, when the table may be empty.
  ///
  /// The columns are `user_id, family_subject, id, window_ends_at, collapse_id, title, body, is_open, is_shown, actors,
  /// names, has_lost_acts`. The actors are read only if no window is open and the push is unopened.
  static func threads(
    of people: [UUID], in app: App, _ family: Kind.BatchingFamily, about subjects: [String], _ event: EventContext
  ) -> SQL {
    let now = event.now
    return """
      SELECT t.user_id, t.family_subject, t.id, t.window_ends_at, t.collapse_id, t.title, t.body, t.is_open, t.is_shown,
        coalesce(a.actors, '{}') AS actors, coalesce(a.names, '{}') AS names,
        coalesce(a.has_lost_acts, false) AS has_lost_acts
      FROM unnest(\(people)) AS p (user_id) CROSS JOIN unnest(\(subjects)) AS s (subject)
      CROSS JOIN LATERAL (
        SELECT n.user_id, n.family_subject, n.id,
          coalesce(n.window_ends_at, \(now)) AS window_ends_at,
          coalesce(n.collapse_id, n.id::text) AS collapse_id, \(wordsOnPhone),
          CASE WHEN n.window_ends_at > \(now) THEN true ELSE EXISTS (\(gathered(by: "n"))) END AS is_open,
          \(isOnPhone) AS is_shown
        FROM notifications n
        WHERE n.user_id = p.user_id AND n.app = \(app.rawValue) AND n.family = \(family.rawValue)
          AND NOT \(event.caused("n")) AND n.family_subject = s.subject
          AND n.pushed_at > \(now.addingTimeInterval(-Gate.threadLife))
        ORDER BY n.pushed_at DESC, n.id DESC LIMIT 1
      ) t
      LEFT JOIN LATERAL (\(acts(reportedBy: "t.id"))) a ON t.is_shown AND NOT t.is_open
      WHERE t.is_open OR t.is_shown
      """
  }

  /// Whether the phone still shows a notification `n` that was pushed, as far as is known.
  ///
  /// One that is gone has left the inbox, but not the phone.
  package static let isOnPhone: SQL = "n.is_read IS NOT TRUE AND (n.is_archived IS NOT TRUE OR n.is_gone)"

  /// What the phone says of a notification `n`, as `title, body`.
  ///
  /// The words in the inbox may have been corrected.
  package static let wordsOnPhone: SQL = """
    coalesce(n.phone_text[1], n.title) AS title, coalesce(n.phone_text[2], n.body) AS body
    """

  /// The notifications of an opener's window that have not gone out although the window has ended.
  ///
  /// A new notification goes out with them.
  private static func gathered(by opener: SQL) -> SQL {
    """
    SELECT FROM held_notifications h JOIN notifications w ON w.id = h.notification_id
    WHERE h.user_id = \(opener).user_id AND w.opener_id = \(opener).id AND h.reason = \(Hold.Reason.batched.rawValue)
    """
  }

  /// The acts of a notification that still count: `actors, names`, the oldest first, and whether others do no more.
  ///
  /// They include the acts of all notifications that were merged into it.
  package static func acts(reportedBy notification: SQL) -> SQL {
    let columns: SQL = "c.actor, coalesce(c.actor_name, '') AS name, c.created_at, c.id, k.counts"
    return """
      SELECT array_agg(p.actor ORDER BY p.created_at, p.id) FILTER (WHERE p.counts) AS actors,
        array_agg(p.name ORDER BY p.created_at, p.id) FILTER (WHERE p.counts) AS names,
        bool_or(p.counts IS NOT TRUE) AS has_lost_acts
      FROM (
        SELECT \(columns) FROM notifications c CROSS JOIN LATERAL push_counts(c) k
        WHERE c.id = \(notification) AND c.actor IS NOT NULL
        UNION ALL
        SELECT \(columns) FROM push_parts(\(notification)) c CROSS JOIN LATERAL push_counts(c) k
        WHERE c.actor IS NOT NULL
      ) p
      """
  }

  /// When a project's status changes can go out again after there were too many: `user_id, window_ends_at`.
  static func statusFloods(of people: [UUID], in project: UUID, _ event: EventContext) -> SQL {
    let now = event.now
    return """
      SELECT user_id, min(window_ends_at) AS window_ends_at FROM notifications n
      WHERE user_id = ANY (\(people)) AND app = \(App.feedbackKit.rawValue) AND NOT \(event.caused("n"))
        AND family = \(Kind.BatchingFamily.statuses.rawValue) AND project_id = \(project) AND window_ends_at > \(now)
        AND pushed_at > \(now.addingTimeInterval(-Gate.batchWindow - 1))
      GROUP BY user_id HAVING count(*) >= \(Gate.mostStatuses)
      """
  }
}

extension [Act] {
  /// Reads the answer to ``SQL/acts(reportedBy:)``.
  package init(_ row: Row) throws {
    let (actors, names): ([String], [String]) = (try row.decode("actors"), try row.decode("names"))
    self = zip(actors, names).map { Act($0, named: $1.isEmpty ? nil : $1) }
  }
}
