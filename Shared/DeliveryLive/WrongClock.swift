import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// What a clock wrote that was ahead and has been set right: nothing waits for its times.
///
/// A row that was made more than a minute from now was made by such a clock. Less is left to pass: clocks differ.
extension SQL {
  /// The most holds that ``holdsSinceNow(_:)`` corrects in one statement, which returns a row for each of them.
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

  /// Deliveries of a clock that was ahead are due.
  ///
  /// It looks at the last ones of those that wait: what a clock wrote that was far ahead stands behind all that is put off.
  static func deliveriesSinceNow(_ now: Date) -> SQL {
    """
    UPDATE deliveries d SET not_before = \(now)
    WHERE d.ctid = ANY (ARRAY(
      SELECT f.ctid FROM (
        SELECT ctid, created_at FROM deliveries
        WHERE state = 'queued' AND not_before > \(now)::timestamptz + interval '1 minute'
        ORDER BY not_before DESC LIMIT 500
      ) l JOIN deliveries f ON f.ctid = l.ctid
      WHERE l.created_at > \(now)::timestamptz + interval '1 minute' FOR NO KEY UPDATE OF f SKIP LOCKED))
    """
  }
}
