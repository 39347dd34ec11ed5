import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Leases due deliveries.
  ///
  /// Each row of the answer is one of them; there is a row with the counts even without any.
  static func claim(lease: UUID, limit: Int, now: Date) -> SQL {
    """
    WITH due AS MATERIALIZED (
      SELECT d.id, CASE
          WHEN d.expires_at <= \(now) THEN 'expired'
          WHEN t.id IS NULL OR n.payload IS NULL THEN 'rejected'
          ELSE 'queued'
        END AS state
      FROM deliveries d
      JOIN notifications n ON n.id = d.notification_id
      LEFT JOIN device_tokens t ON t.id = d.device_token_id AND t.user_id = d.user_id AND t.is_active
      WHERE d.state = 'queued' AND d.provider = 'apns' AND d.not_before <= \(now)
        AND (d.lease_until IS NULL OR d.lease_until <= clock_timestamp())
      ORDER BY d.not_before
      LIMIT \(limit)
      FOR UPDATE OF d SKIP LOCKED
    ), taken AS (
      UPDATE deliveries d
      SET state = due.state,
        reason = CASE WHEN due.state = 'rejected' THEN 'NoActiveDevice' ELSE d.reason END,
        lease_id = CASE WHEN due.state = 'queued' THEN \(lease) END,
        lease_until = CASE WHEN due.state = 'queued' THEN clock_timestamp() + \(DeliveryBatch.leaseSeconds) END,
        updated_at = CASE WHEN due.state = 'queued' THEN d.updated_at ELSE \(now) END
      FROM due WHERE due.id = d.id
      RETURNING d.*
    ), counts AS (
      SELECT count(*) FILTER (WHERE state = 'expired') AS expired, count(*) FILTER (WHERE state = 'rejected') AS rejected
      FROM taken
    ), leased AS (
      SELECT d.id, d.attempts, d.expires_at, coalesce(d.reason = 'BadDeviceToken', false) AS is_probe,
        d.not_before, n.payload, n.push_type, n.priority, coalesce(n.collapse_id, n.id::text) AS collapse_id,
        push_badge(d.user_id, d.app, \(now)) AS badge, t.id AS device_id, t.token, t.environment, t.bundle_id,
        t.registered_at, t.last_accepted_at
      FROM taken d
      JOIN notifications n ON n.id = d.notification_id
      JOIN device_tokens t ON t.id = d.device_token_id
      WHERE d.state = 'queued'
    )
    SELECT c.expired, c.rejected, l.* FROM counts c LEFT JOIN leased l ON true ORDER BY l.not_before
    """
  }

  /// When the next delivery comes due, or, for those that somebody holds, when their lease ends.
  ///
  /// In whole milliseconds, rounded up: waking a fraction early would find nothing.
  static func nextDue(now: Date) -> SQL {
    """
    SELECT date_trunc('milliseconds', interval '999 microseconds' + least(
      (SELECT not_before FROM deliveries
       WHERE state = 'queued' AND provider = 'apns' AND lease_until IS NULL ORDER BY not_before LIMIT 1),
      (SELECT \(now)::timestamptz + greatest(min(lease_until) - clock_timestamp(), interval '0') FROM deliveries
       WHERE state = 'queued' AND provider = 'apns' AND lease_until IS NOT NULL AND not_before <= \(now)
       HAVING count(*) > 0)
    )) AS due
    """
  }
}

extension DeliveryBatch {
  fileprivate static var leaseSeconds: SQL { "make_interval(secs => \(lease / .seconds(1)))" }
}
