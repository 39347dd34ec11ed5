import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Notifications that may have stayed unread, those that are due longest: `notification_id, app, function,
  /// after_seconds, check_at, told_at, expires_at, hold_reason, held_until, is_merged, is_undecided, is_opened, was_given,
  /// is_wanted`.
  ///
  /// `told_at` is when the person was told first, also by what it has replaced since the function got something.
  /// - Parameters:
  ///   - rules: those of other kinds are left to runners that have rules for them.
  ///   - locking: whether nobody else decides about them until the transaction ends.
  static func unreadDue(_ limit: Int, of rules: [UnreadRule], at now: Date, locking: Bool) -> SQL {
    """
    SELECT c.notification_id, n.app, c.function, c.after_seconds, c.check_at, n.expires_at, h.reason AS hold_reason,
      h.held_until,
      least(
        coalesce(n.pushed_at, n.created_at, c.check_at - make_interval(secs => c.after_seconds)), parts.told_at) AS told_at,
      n.merged_into IS NOT NULL AS is_merged, n.origin = 'app' AND n.function IS NULL AS is_undecided,
      \(isOpened("n")) AS is_opened,
      coalesce(given.at > \(now.addingTimeInterval(-Gate.threadLife)), false) AS was_given,
      coalesce((SELECT s.is_enabled FROM unread_settings s WHERE s.user_id = n.user_id AND s.app = n.app), true)
        AS is_wanted
    FROM (\(due(limit, of: rules, at: now, locking: locking))) c
    JOIN notifications n ON n.id = c.notification_id
    LEFT JOIN held_notifications h ON h.notification_id = n.id
    CROSS JOIN LATERAL (
      SELECT max(g.notified_at) AS at FROM push_parts(n.id) p JOIN unread_notifications g ON g.notification_id = p.id
    ) given
    CROSS JOIN LATERAL (
      SELECT min(p.pushed_at) AS told_at FROM push_parts(n.id) p
      WHERE p.pushed_at > coalesce(given.at, '-infinity') AND p.is_read IS NOT TRUE AND NOT \(isOpened("p"))
    ) parts
    ORDER BY c.check_at, c.notification_id
    """
  }

  /// Rows of `unread_checks` that are due, with the function of the rule: those that a rule is for, and those that nobody
  /// has taken within ``UnreadFacts/longestDelay``.
  private static func due(_ limit: Int, of rules: [UnreadRule], at now: Date, locking: Bool) -> SQL {
    let lock: SQL = locking ? "FOR UPDATE OF c SKIP LOCKED" : ""
    return """
      SELECT c.notification_id, coalesce(r.function, c.function) AS function, c.after_seconds, c.check_at
      FROM unread_checks c JOIN notifications n ON n.id = c.notification_id
      LEFT JOIN \(rows(rules)) ON r.app = n.app AND r.kind = lower(n.type)
      WHERE c.check_at <= \(now)
        AND (r.function IS NOT NULL OR c.check_at <= \(now.addingTimeInterval(-UnreadFacts.longestDelay)))
      ORDER BY c.check_at, c.notification_id LIMIT \(limit) \(lock)
      """
  }

  /// Whether somebody opened a notification, or the push that summed it up.
  private static func isOpened(_ row: SQL) -> SQL {
    """
    EXISTS (SELECT FROM notification_interactions i WHERE i.notification_id IN (\(row).id, \(row).summary_id))
    """
  }

  /// A row if a notification is unread, and its person wants to hear of it.
  static func stillUnread(_ notification: UUID) -> SQL {
    """
    SELECT FROM notifications n
    WHERE n.id = \(notification) AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
      AND NOT \(isOpened("n"))
      AND NOT EXISTS (
        SELECT FROM unread_settings s WHERE s.user_id = n.user_id AND s.app = n.app AND NOT s.is_enabled)
    """
  }

  /// When the next is due: `next`.
  static func nextUnread(of rules: [UnreadRule]) -> SQL {
    """
    SELECT least((
        SELECT c.check_at FROM unread_checks c JOIN notifications n ON n.id = c.notification_id
        JOIN \(rows(rules)) ON r.app = n.app AND r.kind = lower(n.type)
        WHERE c.check_at IS NOT NULL ORDER BY c.check_at LIMIT 1
      ), (SELECT min(check_at) FROM unread_checks WHERE check_at IS NOT NULL)
        + make_interval(secs => \(Int(UnreadFacts.longestDelay)))) AS next
    """
  }

  /// `notification_id, user_id, waiting_since`.
  static func unread(_ notifications: [UUID]) -> SQL {
    """
    SELECT n.id AS notification_id, n.user_id, NULL::timestamptz AS waiting_since
    FROM notifications n WHERE n.id = ANY (\(notifications))
    """
  }

  /// Puts off for five minutes what could not be decided and is due longest, or ends it if that has failed for a day:
  /// `notification_id, function, has_ended`.
  static func putOffUnread(of rules: [UnreadRule], at now: Date) -> SQL {
    let isLast: SQL = "c.failing_since <= \(now.addingTimeInterval(-UnreadFacts.longestDelay))"
    return """
      UPDATE unread_checks c
      SET failing_since = coalesce(c.failing_since, \(now)),
        check_at = CASE WHEN \(isLast) THEN NULL ELSE \(now.addingTimeInterval(300))::timestamptz END,
        reason = CASE WHEN \(isLast) THEN \(UnreadVerdict.failed) ELSE c.reason END,
        decided_at = CASE WHEN \(isLast) THEN \(now)::timestamptz END
      WHERE c.notification_id = (SELECT notification_id FROM (\(due(1, of: rules, at: now, locking: true))) d)
      RETURNING c.notification_id, c.function, c.check_at IS NULL AS has_ended
      """
  }

  /// Writes what was decided; what a function gets is one row, once for ever.
  static func write(_ verdicts: [UnreadVerdict], at now: Date) -> [SQL] {
    let given = verdicts.compactMap { verdict in
      if case .give(let words) = verdict.outcome {
        (id: verdict.notification, function: verdict.function, words: words)
      } else {
        nil
      }
    }
    let merged = verdicts.filter(\.outcome.isDuplicate).map(\.notification)
    let decided: SQL = .rows(
      "i",
      [
        "id": "\(verdicts.map(\.notification))", "function": "\(verdicts.map(\.function))",
        "until": "\(verdicts.map(\.outcome.until))", "reason": "\(verdicts.map(\.outcome.reason))",
      ])
    let said: SQL = .rows(
      "i",
      [
        "id": "\(given.map(\.id))", "function": "\(given.map(\.function))",
        "title": "\(given.map(\.words.text.title))",
        "body": "\(given.map(\.words.text.body))", "data": "\(given.map(\.words.data))",
        "link": "\(given.map(\.words.link))", "language": "\(given.map(\.words.language))",
      ])
    let writing: SQL = """
      INSERT INTO unread_notifications (
        notification_id, function, app, user_id, email, name, type, title, body, data, link, language, notified_at,
        created_at)
      SELECT n.id, i.function, n.app, n.user_id, CASE WHEN push_is_verified(to_jsonb(u)) THEN u.email END, u.name,
        lower(n.type), i.title, i.body, i.data::jsonb, i.link, i.language, \(now), coalesce(n.created_at, \(now))
      FROM \(said) JOIN notifications n ON n.id = i.id JOIN users u ON u.id = n.user_id
      ON CONFLICT DO NOTHING
      """
    let deciding: SQL = """
      UPDATE unread_checks c
      SET function = i.function, check_at = i.until, reason = i.reason, failing_since = NULL,
        decided_at = CASE WHEN i.until IS NULL THEN \(now)::timestamptz END
      FROM \(decided) WHERE c.notification_id = i.id
      """
    return (given.isEmpty ? [] : [writing]) + [deciding] + (merged.isEmpty ? [] : [takeOver(from: merged, at: now)])
  }

  /// Makes what has replaced notifications due when they were.
  ///
  /// Otherwise each act that replaces a push would begin the time again, and nobody would be reminded while acts go on.
  /// It leaves rows that another run has locked.
  private static func takeOver(from merged: [UUID], at now: Date) -> SQL {
    """
    UPDATE unread_checks SET check_at = \(now) WHERE notification_id = ANY (ARRAY(
      SELECT c.notification_id FROM notifications n JOIN unread_checks c ON c.notification_id = n.merged_into
      WHERE n.id = ANY (\(merged)) AND c.check_at > \(now) FOR UPDATE OF c SKIP LOCKED))
    """
  }
}

extension SQL {
  /// The time by which is decided, the earlier one of the machine's and the database's: a decision is final; and whether
  /// the rules have to be written: `now, is_behind`.
  static func unreadStart(_ rules: [UnreadRule], at now: Date) -> SQL {
    """
    SELECT least(\(now)::timestamptz, push_now()) AS now, EXISTS (
      SELECT FROM \(rows(rules)) WHERE NOT EXISTS (
        SELECT FROM unread_rules s
        WHERE (s.app, s.kind, s.function, s.after_seconds) = (r.app, r.kind, r.function, r.after_seconds)
          AND s.confirmed_at > push_now() - make_interval(secs => \(UnreadRule.confirmation)))
    ) OR EXISTS (SELECT FROM unread_rules WHERE \(isForgotten)) AS is_behind
    """
  }

  /// Writes the rules; what no runner has confirmed for a day is forgotten.
  static func followUnread(_ rules: [UnreadRule]) -> [SQL] {
    [
      """
      INSERT INTO unread_rules (app, kind, function, after_seconds, confirmed_at)
      SELECT app, kind, function, after_seconds, push_now() FROM \(rows(rules)) ORDER BY app, kind
      ON CONFLICT (app, kind) DO UPDATE SET function = excluded.function, after_seconds = excluded.after_seconds,
        confirmed_at = excluded.confirmed_at
      """,
      "DELETE FROM unread_rules WHERE \(isForgotten)",
    ]
  }

  private static let isForgotten: SQL = "confirmed_at < push_now() - interval '1 day'"

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
  /// Whether another notification tells of it.
  var isDuplicate: Bool { if case .end(let reason) = self { reason == Suppression.duplicate.rawValue } else { false } }

  fileprivate var until: Date? { if case .wait(let until, _) = self { until } else { nil } }

  fileprivate var reason: String? {
    switch self {
    case .give: nil
    case .wait(_, let reason): reason
    case .end(let reason): reason
    }
  }
}
