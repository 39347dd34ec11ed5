import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Notifications that may have stayed unread, those that are due longest: `notification_id, app, after_seconds, check_at,
  /// told_at, expires_at, hold_reason, held_until, is_merged, is_opened, was_given, is_wanted`.
  ///
  /// - Parameter locking: whether nobody else decides about them until the transaction ends.
  static func unreadDue(_ limit: Int, at now: Date, locking: Bool) -> SQL {
    let lock: SQL = locking ? "FOR UPDATE SKIP LOCKED" : ""
    return """
      SELECT c.notification_id, n.app, c.after_seconds, c.check_at, n.expires_at, h.reason AS hold_reason, h.held_until,
        coalesce(n.pushed_at, n.created_at, c.check_at - make_interval(secs => c.after_seconds)) AS told_at,
        n.merged_into IS NOT NULL AS is_merged,
        EXISTS (SELECT FROM notification_interactions i WHERE i.notification_id = n.id) AS is_opened,
        EXISTS (
          SELECT FROM notifications m JOIN unread_notifications g ON g.notification_id = m.id
          WHERE m.merged_into = n.id AND g.notified_at > \(now.addingTimeInterval(-Gate.threadLife))) AS was_given,
        coalesce((SELECT s.is_enabled FROM unread_settings s WHERE s.user_id = n.user_id AND s.app = n.app), true)
          AS is_wanted
      FROM (
        SELECT * FROM unread_checks WHERE check_at <= \(now) ORDER BY check_at, notification_id LIMIT \(limit) \(lock)
      ) c
      JOIN notifications n ON n.id = c.notification_id
      LEFT JOIN held_notifications h ON h.notification_id = n.id
      ORDER BY c.check_at, c.notification_id
      """
  }

  /// A row if a notification is unread, and its person wants to hear of it.
  static func stillUnread(_ notification: UUID) -> SQL {
    """
    SELECT FROM notifications n
    WHERE n.id = \(notification) AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
      AND NOT EXISTS (SELECT FROM notification_interactions i WHERE i.notification_id = n.id)
      AND NOT EXISTS (
        SELECT FROM unread_settings s WHERE s.user_id = n.user_id AND s.app = n.app AND NOT s.is_enabled)
    """
  }

  /// When the next is due: `next`.
  static var nextUnread: SQL { "SELECT min(check_at) AS next FROM unread_checks WHERE check_at IS NOT NULL" }

  /// `notification_id, user_id, waiting_since`.
  static func unread(_ notifications: [UUID]) -> SQL {
    """
    SELECT n.id AS notification_id, n.user_id, NULL::timestamptz AS waiting_since
    FROM notifications n WHERE n.id = ANY (\(notifications))
    """
  }

  /// Puts off for five minutes what could not be decided and is due longest: `notification_id`.
  static func putOffUnread(at now: Date) -> SQL {
    """
    UPDATE unread_checks SET check_at = \(now.addingTimeInterval(300)) WHERE notification_id = (
      SELECT notification_id FROM unread_checks WHERE check_at <= \(now)
      ORDER BY check_at, notification_id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING notification_id
    """
  }

  /// Writes what was decided; what a function gets is one row, once for ever.
  static func write(_ verdicts: [UnreadVerdict], at now: Date) -> [SQL] {
    let given = verdicts.compactMap { verdict in
      if case .give(let words) = verdict.outcome { (id: verdict.notification, words: words) } else { nil }
    }
    let decided: SQL = .rows(
      "i",
      [
        "id": "\(verdicts.map(\.notification))", "until": "\(verdicts.map(\.outcome.until))",
        "reason": "\(verdicts.map(\.outcome.reason))",
      ])
    let said: SQL = .rows(
      "i",
      [
        "id": "\(given.map(\.id))", "title": "\(given.map(\.words.text.title))",
        "body": "\(given.map(\.words.text.body))", "data": "\(given.map(\.words.data))",
        "link": "\(given.map(\.words.link))", "language": "\(given.map(\.words.language))",
      ])
    let writing: SQL = """
      INSERT INTO unread_notifications (
        notification_id, function, app, user_id, email, name, type, title, body, data, link, language, notified_at,
        created_at)
      SELECT n.id, c.function, n.app, n.user_id, CASE WHEN push_is_verified(to_jsonb(u)) THEN u.email END, u.name,
        lower(n.type), i.title, i.body, i.data::jsonb, i.link, i.language, \(now), coalesce(n.created_at, \(now))
      FROM \(said) JOIN unread_checks c ON c.notification_id = i.id
      JOIN notifications n ON n.id = i.id JOIN users u ON u.id = n.user_id
      ON CONFLICT DO NOTHING
      """
    let deciding: SQL = """
      UPDATE unread_checks c
      SET check_at = i.until, reason = i.reason, decided_at = CASE WHEN i.until IS NULL THEN \(now)::timestamptz END
      FROM \(decided) WHERE c.notification_id = i.id
      """
    return (given.isEmpty ? [] : [writing]) + [deciding]
  }
}

extension SQL {
  /// A row if the database has other rules.
  static func differingRules(_ rules: [UnreadRule]) -> SQL {
    let stored: SQL = "SELECT app, kind, function, after_seconds FROM unread_rules"
    let wanted = rows(rules)
    return """
      (\(stored) EXCEPT SELECT * FROM \(wanted)) UNION ALL (SELECT * FROM \(wanted) EXCEPT \(stored)) LIMIT 1
      """
  }

  /// Writes the rules, and forgets what waits for a function that none of them names.
  static func followUnread(_ rules: [UnreadRule]) -> SQL {
    """
    WITH wanted AS (SELECT * FROM \(rows(rules))),
    gone AS (
      DELETE FROM unread_rules r WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.app = r.app AND w.kind = r.kind)
    ),
    forgotten AS (
      DELETE FROM unread_checks c
      WHERE c.check_at IS NOT NULL AND NOT EXISTS (SELECT FROM wanted w WHERE w.function = c.function)
    )
    INSERT INTO unread_rules (app, kind, function, after_seconds) SELECT app, kind, function, after_seconds FROM wanted
    ON CONFLICT (app, kind) DO UPDATE SET function = excluded.function, after_seconds = excluded.after_seconds
    """
  }

  /// `app, kind, function, after_seconds`.
  private static func rows(_ rules: [UnreadRule]) -> SQL {
    """
    unnest(
      \(rules.map(\.kind.app.rawValue)), \(rules.map(\.kind.name)), \(rules.map(\.function)), \(rules.map(\.after))
    ) AS r (app, kind, function, after_seconds)
    """
  }
}

extension UnreadVerdict.Outcome {
  fileprivate var until: Date? { if case .wait(let until, _) = self { until } else { nil } }

  fileprivate var reason: String? {
    switch self {
    case .give: nil
    case .wait(_, let reason): reason
    case .end(let reason): reason
    }
  }
}
