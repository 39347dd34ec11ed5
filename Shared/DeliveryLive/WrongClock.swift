import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// What a clock wrote that was ahead and has been set right: nothing waits for its times.
///
/// A row that was made more than a minute from now was made by such a clock. Less is left to pass: clocks differ.
extension SQL {
  /// The most holds that ``holdsSinceNow(_:)`` and ``suppressionsSinceNow(_:)`` correct in one statement, which returns a
  /// row for each of them.
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
      SELECT f.ctid FROM held_notifications f
      WHERE f.held_since > greatest(\(now)::timestamptz, push_now()) + interval '1 minute' AND isfinite(f.held_since)
      LIMIT \(unescaped: "\(mostHoldsSinceNow)") FOR UPDATE SKIP LOCKED))
    RETURNING 1
    """
  }

  /// Holds again what a clock that was ahead has suppressed by its time alone, so that the gates are asked again at once.
  ///
  /// It returns a row for each. Run it only if there are ``suppressionsAhead(of:)``: also a statement that inserts nothing
  /// starts the function again, which would then run without end.
  static func suppressionsSinceNow(_ now: Date) -> SQL {
    """
    WITH undone AS (
      DELETE FROM notification_rechecks r
      WHERE r.ctid = ANY (ARRAY(
        SELECT f.ctid \(fromSuppressions(aheadOf: now))
        LIMIT \(unescaped: "\(mostHoldsSinceNow)") FOR UPDATE SKIP LOCKED))
      RETURNING r.notification_id
    )
    INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
    SELECT n.id, n.user_id, n.app, \(Hold.Reason.rateLimited.rawValue), \(now), \(now)
    FROM undone u JOIN notifications n ON n.id = u.notification_id
    ON CONFLICT DO NOTHING
    RETURNING 1
    """
  }

  /// A row if there is something that ``suppressionsSinceNow(_:)`` would hold again.
  static func suppressionsAhead(of now: Date) -> SQL { "SELECT 1 \(fromSuppressions(aheadOf: now)) LIMIT 1" }

  /// Both clocks must agree, as for holds.
  ///
  /// What has been pushed or summed up is left out: its deliveries are due again by themselves.
  private static func fromSuppressions(aheadOf now: Date) -> SQL {
    """
    FROM notification_rechecks f
    WHERE f.created_at > greatest(\(now)::timestamptz, push_now()) + interval '1 minute'
      AND f.decision = 'suppress' AND f.reason IN (\(unescaped: reasonsByTime))
      -- OFFSET: asked for each of these few, and not joined with all notifications.
      AND EXISTS (
        SELECT FROM notifications n
        WHERE n.id = f.notification_id AND n.pushed_at IS NULL AND n.summary_id IS NULL AND n.merged_into IS NULL
          AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
          AND NOT EXISTS (SELECT FROM deliveries d WHERE d.notification_id = n.id)
        OFFSET 0)
    """
  }

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
