import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Writes results, what follows for devices, and the log, for those deliveries that the lease still holds.
  ///
  /// Answers with the others, and whether they are leased: somebody has locked those that are, and they are to be tried
  /// again. The attempts of the rest are still to be logged.
  ///
  /// Reports of the app in the meantime stand: a delivery that was opened stays so. An answer that would end a device
  /// is outdated where the device was registered, or something was accepted for it, after the delivery was taken.
  static func settle(_ settlements: [DeliverySettlement], lease: UUID, now: Date) -> SQL {
    """
    WITH input AS (
      \(input(settlements))
    ), \(held(settlements)), \(judged), settled AS (
      UPDATE deliveries d
      SET state = CASE WHEN d.state <> 'queued' OR i.is_outdated THEN d.state ELSE i.state END,
        not_before = coalesce(i.not_before, d.not_before),
        attempts = d.attempts + i.uses_attempt::int,
        reason = CASE
          WHEN i.state = 'accepted' OR d.state <> 'queued' THEN NULL
          WHEN i.log IS NOT NULL OR i.reason IN ('NoKeyForTopic', 'NoTopicForApp') THEN i.reason
          ELSE d.reason
        END,
        probe_environment = coalesce(i.probe, d.probe_environment),
        probe_registered_at = CASE WHEN i.probe IS NULL THEN d.probe_registered_at ELSE i.registered_at END,
        apns_id = coalesce(i.apns_id, d.apns_id),
        accepted_at = CASE WHEN i.state = 'accepted' THEN \(now) ELSE d.accepted_at END,
        unsettled = CASE WHEN i.log IS NULL THEN greatest(d.unsettled - 1, 0) ELSE 0 END,
        refusals = CASE WHEN i.log IS NULL THEN d.refusals ELSE 0 END,
        lease_id = NULL, lease_until = NULL, updated_at = \(now)
      FROM judged i WHERE d.id = i.id AND d.lease_id = \(lease)
      RETURNING d.id, d.notification_id, d.device_token_id, d.user_id, d.attempts,
        i.uses_attempt, i.log, i.reason, i.apns_id, i.http_status, i.duration_ms, i.has_earlier,
        i.works, i.dead_by, i.held_until, i.environment, i.topic, i.is_current, i.is_outdated, i.payload
    ), effects AS (
      SELECT device_token_id AS id, bool_or(works) AS works, bool_or(works AND is_current) AS lives,
        max(dead_by) FILTER (WHERE NOT is_outdated) AS dead_by,
        max(reason) FILTER (WHERE dead_by IS NOT NULL) AS reason,
        max(environment) FILTER (WHERE works AND is_current) AS environment,
        max(topic) FILTER (WHERE works AND is_current) AS topic, max(held_until) AS held_until
      FROM settled WHERE works OR dead_by IS NOT NULL OR held_until IS NOT NULL GROUP BY device_token_id
    ), \(deviceChanges(now: now)), logged AS (
      INSERT INTO push_notification_logs (\(logColumns))
      SELECT s.user_id, s.device_token_id, n.type, a.log, n.feedback_id, p.id, a.reason, a.apns_id,
        \(now) - make_interval(secs => a.followers * 0.001), s.id, s.attempts + (NOT s.uses_attempt)::int, a.http_status,
        a.reason, a.duration_ms, s.payload::jsonb
      FROM settled s
      JOIN LATERAL (
        SELECT CASE WHEN s.is_outdated THEN 'deferred' ELSE s.log END AS log, s.reason, s.apns_id, s.http_status,
          s.duration_ms, 0 AS followers
        WHERE s.log IS NOT NULL
        UNION ALL
        SELECT e.log, e.reason, e.apns_id, e.http_status, e.duration_ms, e.followers
        FROM (\(earlier(settlements))) e WHERE s.has_earlier AND e.id = s.id
      ) a ON true
      JOIN notifications n ON n.id = s.notification_id
      LEFT JOIN projects p ON p.id = n.project_id
    )
    SELECT i.id, EXISTS (SELECT FROM deliveries d WHERE d.id = i.id AND d.lease_id = \(lease)) AS is_leased
    FROM input i WHERE NOT EXISTS (SELECT FROM settled s WHERE s.id = i.id)
    """
  }

  /// Logs attempts that came to their end after their lease, without a number, and notes what devices took.
  ///
  /// Answers with those that are to be tried again, because somebody has locked them.
  ///
  /// An attempt that an earlier try has written, whose answer was lost, is not logged again.
  static func log(_ settlements: [DeliverySettlement], now: Date) -> SQL {
    """
    WITH input AS (
      \(input(settlements))
    ), \(held(settlements)), logged AS (
      INSERT INTO push_notification_logs (\(logColumns))
      SELECT d.user_id, d.device_token_id, n.type, a.log, n.feedback_id, p.id, a.reason, a.apns_id,
        \(now) - make_interval(secs => a.followers * 0.001), d.id, NULL, a.http_status, a.reason, a.duration_ms,
        i.payload::jsonb
      FROM input i
      JOIN held h ON h.delivery_id = i.id
      JOIN LATERAL (
        SELECT i.log, i.reason, i.apns_id, i.http_status, i.duration_ms, 0 AS followers WHERE i.log IS NOT NULL
        UNION ALL
        SELECT e.log, e.reason, e.apns_id, e.http_status, e.duration_ms, e.followers
        FROM (\(earlier(settlements))) e WHERE i.has_earlier AND e.id = i.id
      ) a ON true
      JOIN deliveries d ON d.id = i.id AND (d.apns_id = i.apns_id) IS NOT TRUE
      JOIN notifications n ON n.id = d.notification_id
      LEFT JOIN projects p ON p.id = n.project_id
    ), accepted AS (
      UPDATE device_tokens t SET acceptances = t.acceptances + 1
      WHERE t.id = ANY (ARRAY(SELECT i.device_id FROM input i JOIN held h ON h.delivery_id = i.id WHERE i.works))
    )
    SELECT d.id FROM input i JOIN deliveries d ON d.id = i.id
    WHERE NOT EXISTS (SELECT FROM held h WHERE h.delivery_id = i.id)
    """
  }

  private static let logColumns: SQL = """
    user_id, device_token_id, notification_type, status, feedback_id, project_id, error_message, apns_id, created_at,
      delivery_id, attempt, http_status, reason, duration_ms, payload
    """

  /// The deliveries, locked with all that is written here, without those that somebody else has locked.
  private static func held(_ settlements: [DeliverySettlement]) -> SQL {
    "held AS MATERIALIZED (SELECT * FROM push_hold_deliveries(\(settlements.map(\.id))))"
  }

  /// The results, each with whether its device is registered as it was, and whether it is outdated.
  private static let judged: SQL = """
    judged AS MATERIALIZED (
      SELECT i.*, h.registered_at = i.registered_at AS is_current,
        i.dead_by IS NOT NULL AND ((h.registered_at, h.acceptances) <> (i.registered_at, i.acceptances)
          OR i.device_id = ANY (ARRAY(SELECT device_id FROM input WHERE works))) AS is_outdated
      FROM input i JOIN held h ON h.delivery_id = i.id
    )
    """

  // Throttles in a row count once for each pause: other answers that were on their way when it began say nothing new. A
  // reason that begins with a capital letter is a provider's; it was given after the push that is now accepted was
  // taken.
  private static func deviceChanges(now: Date) -> SQL {
    """
    devices AS (
      UPDATE device_tokens t
      SET last_used_at = CASE WHEN e.works THEN \(now) ELSE t.last_used_at END,
        last_accepted_at = CASE WHEN e.works THEN \(now) ELSE t.last_accepted_at END,
        acceptances = t.acceptances + e.works::int,
        environment = CASE WHEN t.provider = 'apns' THEN coalesce(e.environment, t.environment) ELSE t.environment END,
        bundle_id = CASE WHEN t.provider = 'apns' THEN coalesce(t.bundle_id, e.topic) ELSE t.bundle_id END,
        is_active = CASE WHEN e.lives AND \(isEndedByProvider) THEN true ELSE t.is_active AND NOT \(isEnded) END,
        deactivated_at = CASE
          WHEN e.lives AND \(isEndedByProvider) THEN NULL WHEN \(isEnded) THEN \(now) ELSE t.deactivated_at
        END,
        deactivated_reason = CASE
          WHEN e.lives AND \(isEndedByProvider) THEN NULL WHEN \(isEnded) THEN e.reason ELSE t.deactivated_reason
        END,
        throttles = CASE
          WHEN t.held_until > \(now) THEN t.throttles
          WHEN e.held_until IS NOT NULL THEN t.throttles + 1
          WHEN e.works THEN 0
          ELSE t.throttles
        END,
        held_until = greatest(t.held_until, e.held_until)
      FROM effects e
      WHERE t.id = e.id
    )
    """
  }

  private static let isEnded: SQL = "(t.is_active AND t.registered_at <= e.dead_by) IS TRUE"

  private static let isEndedByProvider: SQL = "(NOT t.is_active AND t.deactivated_reason ~ '^[A-Z]') IS TRUE"

  private static func input(_ settlements: [DeliverySettlement]) -> SQL {
    """
    SELECT * FROM unnest(
      \(settlements.map(\.id)), \(settlements.map(\.state.rawValue)), \(settlements.map(\.notBefore)),
      \(settlements.map(\.usesAttempt)), \(settlements.map(\.log?.rawValue)),
      \(settlements.map(\.report.reason)), \(settlements.map(\.report.apnsID)),
      \(settlements.map { $0.report.status.map(Int32.init) }),
      \(settlements.map { Int32($0.report.duration / .milliseconds(1)) }),
      \(settlements.map(\.device.works)), \(settlements.map(\.device.deadBy)), \(settlements.map(\.device.heldUntil)),
      \(settlements.map(\.report.environment.rawValue)), \(settlements.map(\.report.topic)),
      \(settlements.map(\.probe?.rawValue)), \(settlements.map(\.recipient.id)),
      \(settlements.map(\.recipient.registeredAt)), \(settlements.map(\.recipient.acceptances)),
      \(settlements.map(\.payload)), \(settlements.map { !$0.report.earlier.isEmpty })
    ) AS i (id, state, not_before, uses_attempt, log, reason, apns_id, http_status, duration_ms,
      works, dead_by, held_until, environment, topic, probe, device_id, registered_at, acceptances, payload, has_earlier)
    """
  }

  /// The attempts that were followed by another at once; `followers` counts those.
  private static func earlier(_ settlements: [DeliverySettlement]) -> SQL {
    let attempts = settlements.flatMap { settlement in
      settlement.report.earlier.enumerated().map { place, report in
        (id: settlement.id, report: report, followers: Int32(settlement.report.earlier.count - place))
      }
    }
    return """
      SELECT * FROM unnest(
        \(attempts.map { $0.id }), \(attempts.map { $0.report.repeatedLog.rawValue }),
        \(attempts.map { $0.report.reason }), \(attempts.map { $0.report.apnsID }),
        \(attempts.map { $0.report.status.map(Int32.init) }),
        \(attempts.map { Int32($0.report.duration / .milliseconds(1)) }), \(attempts.map { $0.followers })
      ) AS e (id, log, reason, apns_id, http_status, duration_ms, followers)
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
