import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// Corrections of what a clock wrote that was ahead and has been set right: nothing waits for its times.
///
/// A row that was made more than a minute from now was made by such a clock. Less is left to pass: clocks differ.
extension SQL {
  /// How many holds ``holdsSinceNow(_:)`` and ``suppressionsSinceNow(_:)`` correct in one statement at most.
  ///
  /// Both return a row for each hold.
  static let mostHoldsSinceNow = 2_000

  /// Holds of a clock that was ahead last as long as they were to last, from now on.
  ///
  /// The machine's clock and the database's must agree that a hold is from the future: if one of them is behind, a snooze
  /// would end early. A hold that another transaction has locked is left out.
  static func holdsSinceNow(_ now: Date) -> SQL {
    """
    UPDATE held_notifications h SET held_since = \(now),
      held_until = CASE WHEN isfinite(h.held_until) THEN \(now) + (h.held_until - h.held_since) ELSE h.held_until END
    WHERE h.ctid = ANY (ARRAY(
      SELECT f.ctid \(fromHolds(aheadOf: now))
      LIMIT \(unescaped: "\(mostHoldsSinceNow)") FOR UPDATE SKIP LOCKED))
    RETURNING 1
    """
  }

  /// A row if there is a hold that ``holdsSinceNow(_:)`` would correct.
  static func holdsAhead(of now: Date) -> SQL { "SELECT 1 \(fromHolds(aheadOf: now)) LIMIT 1" }

  private static func fromHolds(aheadOf now: Date) -> SQL {
    """
    FROM held_notifications f
    WHERE f.held_since > greatest(\(now)::timestamptz, push_now()) + interval '1 minute' AND isfinite(f.held_since)
    """
  }

  /// Holds again what a clock that was ahead has suppressed by its time alone, so that the gates are asked again at once.
  ///
  /// A snooze lasts to its end. The statement returns a row for each hold. Run it only if there are
  /// ``suppressionsAhead(of:)``: also a statement that inserts nothing starts the function again, which would then run
  /// without end. It waits for nobody: a row that an app is about to delete, or whose person, is left out.
  static func suppressionsSinceNow(_ now: Date) -> SQL {
    """
    WITH found AS (
      SELECT f.ctid AS place, n.id, n.user_id, n.app, n.snoozed_until
      \(fromSuppressions(aheadOf: now, locking: "FOR KEY SHARE OF n, u SKIP LOCKED"))
      LIMIT \(unescaped: "\(mostHoldsSinceNow)") FOR UPDATE OF f SKIP LOCKED
    ), undone AS (
      DELETE FROM notification_rechecks WHERE ctid = ANY (ARRAY(SELECT place FROM found))
    )
    INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
    SELECT id, user_id, app,
      CASE WHEN snoozed_until IS NULL THEN \(Hold.Reason.rateLimited.rawValue) ELSE \(Hold.Reason.snoozed.rawValue) END,
      coalesce(snoozed_until, \(now)), \(now)
    FROM found
    ON CONFLICT DO NOTHING
    RETURNING 1
    """
  }

  /// A row if there is something that ``suppressionsSinceNow(_:)`` would hold again.
  static func suppressionsAhead(of now: Date) -> SQL {
    "SELECT 1 \(fromSuppressions(aheadOf: now, locking: "")) LIMIT 1"
  }

  /// Suppressions `f` and their notifications `n`; both clocks must agree, as for holds.
  ///
  /// Notifications that were pushed are left out, unless they were snoozed, and so are those that were summed up: their
  /// deliveries are due again by themselves.
  private static func fromSuppressions(aheadOf now: Date, locking: SQL) -> SQL {
    """
    FROM notification_rechecks f
    -- OFFSET: asked for each of these few, and not joined with all notifications.
    CROSS JOIN LATERAL (
      SELECT n.id, n.user_id, n.app, CASE WHEN \(wasSnoozed) THEN (
          SELECT least(greatest(a.snoozed_until, \(now)), \(now) + (a.snoozed_until - a.created_at))
          FROM notification_actions a
          WHERE a.notification_id = n.id AND a.snoozed_until IS NOT NULL ORDER BY a.id DESC LIMIT 1) END AS snoozed_until
      FROM notifications n JOIN users u ON u.id = n.user_id
      WHERE n.id = f.notification_id AND n.summary_id IS NULL AND n.merged_into IS NULL
        AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (\(wasSnoozed) OR n.pushed_at IS NULL
          AND NOT EXISTS (SELECT FROM deliveries d WHERE d.notification_id = n.id))
      OFFSET 0 \(locking)
    ) n
    WHERE f.created_at > greatest(\(now)::timestamptz, push_now()) + interval '1 minute'
      AND f.decision = 'suppress' AND f.reason IN (\(unescaped: reasonsByTime))
    """
  }

  /// Whether a notification `n` had been pushed and snoozed before the suppression `f`.
  private static let wasSnoozed: SQL = """
    coalesce((
      SELECT s.decision = 'hold' AND s.reason = \(Hold.Reason.snoozed.rawValue) FROM notification_rechecks s
      WHERE s.notification_id = f.notification_id AND s.created_at < f.created_at
      ORDER BY s.created_at DESC LIMIT 1), false)
    """

  /// Literals, not parameters, so that PostgreSQL can use the index of these decisions.
  private static let reasonsByTime = Suppression.allCases.filter(\.isByTime).map { "'\($0.rawValue)'" }
    .joined(separator: ", ")

  /// Makes deliveries due that a clock which was ahead has made, put off, or ended by its time alone.
  ///
  /// It looks at the last ones of those that wait: what a clock wrote that was far ahead stands behind all that is put off.
  static func deliveriesSinceNow(_ now: Date) -> SQL {
    """
    UPDATE deliveries d SET not_before = \(now), updated_at = \(now), state = 'queued',
      reason = CASE d.state WHEN 'queued' THEN d.reason END
    WHERE d.ctid = ANY (ARRAY(
      SELECT f.ctid FROM (
        SELECT ctid, created_at, updated_at FROM deliveries
        WHERE state = 'queued' AND not_before > \(now)::timestamptz + interval '1 minute'
        ORDER BY not_before DESC LIMIT 500
      ) l JOIN deliveries f ON f.ctid = l.ctid
      WHERE greatest(l.created_at, l.updated_at) > \(now)::timestamptz + interval '1 minute'
      FOR NO KEY UPDATE OF f SKIP LOCKED)
      || ARRAY(
      SELECT f.ctid FROM deliveries f
      WHERE f.state = 'expired' AND f.updated_at > greatest(\(now)::timestamptz, push_now()) + interval '1 minute'
        AND f.expires_at > \(now) AND (f.reason = ANY (\(endsWhateverTheTime))) IS NOT TRUE
      LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED))
    """
  }

  /// The reasons of deliveries that ended whatever the time was.
  private static let endsWhateverTheTime =
    DeliveryEnd.allCases.map(\.rawValue) + Suppression.allCases.filter { !$0.isByTime }.map(\.rawValue)

  /// Whether a device `t` is held, by a time that no clock wrote which was ahead: a device is held for an hour at most,
  /// unless the provider asks for more.
  static func isDeviceHeld(at now: Date) -> SQL {
    "t.held_until > \(now) AND t.held_until <= \(now)::timestamptz + interval '2 hours'"
  }
}
