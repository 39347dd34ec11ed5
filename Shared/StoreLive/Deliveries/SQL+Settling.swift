import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Writes results, what follows for devices, and the log, for those deliveries that the lease still holds.
  static func settle(_ settlements: [DeliverySettlement], lease: UUID, now: Date) -> SQL {
    """
    WITH input AS (
      \(input(settlements))
    ), settled AS (
      UPDATE deliveries d
      SET state = i.state, not_before = coalesce(i.not_before, d.not_before),
        attempts = d.attempts + i.uses_attempt::int,
        reason = CASE WHEN i.state = 'accepted' THEN NULL WHEN i.log IS NULL THEN d.reason ELSE i.reason END,
        apns_id = coalesce(i.apns_id, d.apns_id),
        accepted_at = CASE WHEN i.state = 'accepted' THEN \(now) ELSE d.accepted_at END,
        lease_id = NULL, lease_until = NULL, updated_at = \(now)
      FROM input i WHERE d.id = i.id AND d.lease_id = \(lease)
      RETURNING d.id, d.notification_id, d.device_token_id, d.user_id, d.attempts,
        i.uses_attempt, i.log, i.reason, i.apns_id, i.http_status, i.duration_ms,
        i.works, i.dead_by, i.held_until, i.environment, i.topic
    ), effects AS (
      SELECT device_token_id AS id, bool_or(works) AS works, max(dead_by) AS dead_by,
        max(reason) FILTER (WHERE dead_by IS NOT NULL) AS reason,
        max(environment) FILTER (WHERE works) AS environment, max(topic) FILTER (WHERE works) AS topic,
        max(held_until) AS held_until
      FROM settled GROUP BY device_token_id
    ), \(deviceChanges(now: now)), \(heldDeliveries(now: now))
    INSERT INTO push_notification_logs (
      user_id, device_token_id, notification_type, status, feedback_id, project_id, error_message, apns_id, created_at,
      delivery_id, attempt, http_status, reason, duration_ms)
    SELECT s.user_id, s.device_token_id, n.type, s.log, n.feedback_id, p.id, s.reason, s.apns_id, \(now),
      s.id, s.attempts + (NOT s.uses_attempt)::int, s.http_status, s.reason, s.duration_ms
    FROM settled s
    JOIN notifications n ON n.id = s.notification_id
    LEFT JOIN projects p ON p.id = n.project_id
    WHERE s.log IS NOT NULL
    """
  }

  // Locked in one order, or two senders with the same devices in their batches could deadlock.
  private static func deviceChanges(now: Date) -> SQL {
    """
    locked AS MATERIALIZED (
      SELECT e.* FROM device_tokens t JOIN effects e ON e.id = t.id
      WHERE e.works OR e.dead_by IS NOT NULL
      ORDER BY t.id FOR NO KEY UPDATE OF t
    ), devices AS (
      UPDATE device_tokens t
      SET last_used_at = CASE WHEN e.works THEN \(now) ELSE t.last_used_at END,
        last_accepted_at = CASE WHEN e.works THEN \(now) ELSE t.last_accepted_at END,
        environment = CASE WHEN e.works THEN e.environment ELSE t.environment END,
        bundle_id = coalesce(t.bundle_id, e.topic),
        is_active = t.is_active AND (t.registered_at <= e.dead_by) IS NOT TRUE,
        deactivated_at = CASE WHEN t.is_active AND t.registered_at <= e.dead_by THEN \(now) ELSE t.deactivated_at END,
        deactivated_reason =
          CASE WHEN t.is_active AND t.registered_at <= e.dead_by THEN e.reason ELSE t.deactivated_reason END
      FROM locked e
      WHERE t.id = e.id
    )
    """
  }

  private static func heldDeliveries(now: Date) -> SQL {
    """
    held AS (
      UPDATE deliveries d SET not_before = e.held_until, updated_at = \(now)
      FROM effects e
      WHERE e.held_until IS NOT NULL AND d.device_token_id = e.id AND d.state = 'queued' AND d.not_before < e.held_until
        AND (d.lease_until IS NULL OR d.lease_until <= clock_timestamp())
        AND NOT EXISTS (SELECT FROM settled s WHERE s.id = d.id)
    )
    """
  }

  private static func input(_ settlements: [DeliverySettlement]) -> SQL {
    """
    SELECT * FROM unnest(
      \(settlements.map(\.id)), \(settlements.map(\.state.rawValue)), \(settlements.map(\.notBefore)),
      \(settlements.map(\.usesAttempt)), \(settlements.map(\.log?.rawValue)),
      \(settlements.map(\.report.reason)), \(settlements.map(\.report.apnsID)),
      \(settlements.map { $0.report.status.map(Int32.init) }),
      \(settlements.map { Int32($0.report.duration / .milliseconds(1)) }),
      \(settlements.map(\.device.works)), \(settlements.map(\.device.deadBy)), \(settlements.map(\.device.heldUntil)),
      \(settlements.map(\.report.environment.rawValue)), \(settlements.map(\.report.topic))
    ) AS i (id, state, not_before, uses_attempt, log, reason, apns_id, http_status, duration_ms,
      works, dead_by, held_until, environment, topic)
    """
  }
}

extension DeviceEffect {
  fileprivate var works: Bool { self == .accepted }

  fileprivate var deadBy: Date? {
    guard case .deactivated(let date) = self else { return nil }
    return date
  }

  fileprivate var heldUntil: Date? {
    guard case .held(let date) = self else { return nil }
    return date
  }
}
