import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Writes results, the changes of devices, and the log, for the deliveries that the lease still holds.
  ///
  /// It returns the others, and whether they are leased. Leased ones are locked by another transaction and must be
  /// retried. The attempts of the rest must still be logged.
  ///
  /// A device has the number of its last accepted push. If another one was accepted since the claim, with another number,
  /// nobody knows which came last: the person is noted, as is who misses a number because a push ended without being sent.
  ///
  /// Reports that the app made meanwhile are kept: an opened delivery stays opened. An answer that would deactivate a
  /// device is outdated if the device was registered, or a push to it was accepted, after the claim.
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
        outage = CASE WHEN i.outage IS NOT NULL THEN i.outage WHEN \(isStillAway) THEN d.outage END,
        outage_since = CASE
          WHEN i.outage IS NOT NULL THEN coalesce(d.outage_since, \(now)) WHEN \(isStillAway) THEN d.outage_since
        END,
        probe_environment = coalesce(i.probe, d.probe_environment),
        probe_registered_at = CASE WHEN i.probe IS NULL THEN d.probe_registered_at ELSE i.registered_at END,
        apns_id = coalesce(i.apns_id, d.apns_id),
        accepted_at = CASE WHEN i.state = 'accepted' THEN \(now) ELSE d.accepted_at END,
        badge = CASE WHEN i.state = 'accepted' OR i.log = 'unknown' OR i.has_earlier THEN d.badge END,
        unsettled = CASE WHEN i.log IS NULL THEN greatest(d.unsettled - 1, 0) ELSE 0 END,
        refusals = CASE WHEN i.log IS NULL THEN d.refusals ELSE 0 END,
        lease_id = NULL, lease_until = NULL, updated_at = \(now)
      FROM judged i WHERE d.ctid = i.place AND d.lease_id = \(lease)
      RETURNING d.id, d.notification_id, d.device_token_id, d.activity_id, d.user_id, d.app, d.state, d.badge, d.attempts, i.acceptances,
        i.uses_attempt, i.log, i.reason, i.apns_id, i.http_status, i.duration_ms, i.has_earlier,
        i.works, i.dead_by, i.held_until, i.environment, i.topic, i.is_current, i.is_outdated, i.payload,
        i.log IS NULL AND NOT i.has_earlier AND EXISTS (
          SELECT FROM notifications n WHERE n.id = d.notification_id AND \(isQuiet)) AS leaves_place
    ), effects AS (
      SELECT device_token_id AS id, bool_or(works) AS works, bool_or(works AND is_current) AS lives,
        max(dead_by) FILTER (WHERE NOT is_outdated) AS dead_by,
        max(reason) FILTER (WHERE dead_by IS NOT NULL) AS reason,
        max(environment) FILTER (WHERE works AND is_current) AS environment,
        max(topic) FILTER (WHERE works AND is_current) AS topic, max(held_until) AS held_until,
        max(badge) FILTER (WHERE works AND is_current) AS badge, min(acceptances) AS acceptances,
        count(*) FILTER (WHERE leaves_place) AS left_places
      FROM settled
      WHERE activity_id IS NULL AND (works OR dead_by IS NOT NULL OR held_until IS NOT NULL OR leaves_place)
      GROUP BY device_token_id
    ), \(deviceChanges(now: now)), \(activityChanges(now: now)), missed AS (
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT user_id, app, \(now)::timestamptz FROM devices WHERE is_in_doubt
      UNION
      SELECT s.user_id, s.app, \(now)::timestamptz FROM settled s JOIN notifications n ON n.id = s.notification_id
      WHERE s.state IN ('rejected', 'expired', 'unknown') AND s.dead_by IS NULL AND \(hasBadge("n"))
        AND (s.state <> 'rejected' OR NOT \(isBadgePush()))
    ), logged AS (
      INSERT INTO push_notification_logs (\(logColumns))
      SELECT s.user_id, s.device_token_id, n.type, a.log, n.feedback_id, n.project_id, a.reason, a.apns_id,
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
    )
    SELECT i.id, EXISTS (SELECT FROM deliveries d WHERE d.id = i.id AND d.lease_id = \(lease)) AS is_leased
    FROM input i WHERE NOT EXISTS (SELECT FROM settled s WHERE s.id = i.id)
    """
  }

  /// Logs attempts that ended after their lease, without a number, and records what devices accepted.
  ///
  /// The device's badge is unknown then, because nobody knows whether such a push or a later one came last.
  ///
  /// It returns those that must be retried because their rows are locked.
  ///
  /// If an earlier try has logged an attempt but its answer was lost, the attempt is not logged again. The delivery is
  /// written as it is: who deletes its person in a transaction that cannot see the new line has to begin again.
  static func log(_ settlements: [DeliverySettlement], now: Date) -> SQL {
    """
    WITH input AS (
      \(input(settlements))
    ), \(held(settlements)), logged AS (
      INSERT INTO push_notification_logs (\(logColumns))
      SELECT d.user_id, d.device_token_id, n.type, a.log, n.feedback_id, n.project_id, a.reason, a.apns_id,
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
    ), touched AS (
      UPDATE deliveries d SET attempts = d.attempts FROM held h WHERE d.id = h.delivery_id
    ), accepted AS (
      UPDATE device_tokens t
      SET badge = NULL, acceptances = t.acceptances + (t.id = ANY (ARRAY(SELECT i.device_id FROM input i WHERE i.works)))::int
      WHERE t.id = ANY (ARRAY(
        SELECT i.device_id FROM input i JOIN held h ON h.delivery_id = i.id
        WHERE i.works OR i.log = 'unknown' OR i.has_earlier))
      RETURNING t.user_id, t.app
    ), missed AS (
      INSERT INTO badge_losses (user_id, app, created_at) SELECT DISTINCT user_id, app, \(now)::timestamptz FROM accepted
    )
    SELECT d.id FROM input i JOIN deliveries d ON d.id = i.id
    WHERE NOT EXISTS (SELECT FROM held h WHERE h.delivery_id = i.id)
    """
  }

  private static let logColumns: SQL = """
    user_id, device_token_id, notification_type, status, feedback_id, project_id, error_message, apns_id, created_at,
      delivery_id, attempt, http_status, reason, duration_ms, payload
    """

  /// The deliveries, locked together with their devices, and where they are; rows that are already locked are left out.
  private static func held(_ settlements: [DeliverySettlement]) -> SQL {
    "held AS MATERIALIZED (SELECT * FROM push_hold_answered(\(settlements.map(\.id))))"
  }

  /// The results, each with whether its device's registration is the same, and whether the answer is outdated.
  private static let judged: SQL = """
    judged AS MATERIALIZED (
      SELECT i.*, h.place, h.registered_at = i.registered_at AS is_current,
        i.dead_by IS NOT NULL AND ((h.registered_at, h.acceptances) <> (i.registered_at, i.acceptances)
          OR i.device_id = ANY (ARRAY(SELECT device_id FROM input WHERE works))) AS is_outdated
      FROM input i JOIN held h ON h.delivery_id = i.id
    )
    """

  // Consecutive throttles count once for each pause: answers to pushes that were sent before the pause say nothing new.
  // A reason that begins with a capital letter is a provider's; it came after the claim of the push that is accepted
  // now.
  private static func deviceChanges(now: Date) -> SQL {
    """
    devices AS (
      UPDATE device_tokens t
      SET last_used_at = CASE WHEN e.works THEN \(now) ELSE t.last_used_at END,
        last_accepted_at = CASE WHEN e.works THEN \(now) ELSE t.last_accepted_at END,
        acceptances = t.acceptances + e.works::int,
        environment = CASE WHEN t.provider = 'apns' THEN coalesce(e.environment, t.environment) ELSE t.environment END,
        bundle_id = CASE WHEN t.provider = 'apns' THEN coalesce(t.bundle_id, e.topic) ELSE t.bundle_id END,
        is_active = CASE WHEN e.lives AND \(isEndedByProvider) THEN true WHEN \(isEnded) THEN false ELSE t.is_active END,
        deactivated_at = CASE
          WHEN e.lives AND \(isEndedByProvider) THEN NULL WHEN \(isEnded) THEN \(now) ELSE t.deactivated_at
        END,
        deactivated_reason = CASE
          WHEN e.lives AND \(isEndedByProvider) THEN NULL WHEN \(isEnded) THEN e.reason ELSE t.deactivated_reason
        END,
        throttles = CASE
          WHEN \(isDeviceHeld(at: now)) THEN t.throttles
          WHEN e.held_until IS NOT NULL THEN t.throttles + 1
          WHEN e.works THEN 0
          ELSE t.throttles
        END,
        held_until = CASE WHEN \(isDeviceHeld(at: now)) THEN greatest(t.held_until, e.held_until)
          ELSE coalesce(e.held_until, t.held_until) END,
        quiet_pushes = CASE
          WHEN e.left_places = 0 THEN t.quiet_pushes
          ELSE \(quietPushes(without: "e.left_places", claimedAt: now))
        END,
        badge = CASE
          WHEN e.badge IS NULL THEN t.badge
          WHEN t.acceptances = e.acceptances OR t.badge = e.badge THEN e.badge
        END
      FROM effects e
      WHERE t.id = e.id
      RETURNING t.user_id, t.app, e.badge IS NOT NULL AND t.badge IS NULL AS is_in_doubt
    )
    """
  }

  /// The news of answers about Live Activities: whether these can be reached, and what they show.
  ///
  /// An activity that may have got something else than what was accepted last is told again. The device of an activity
  /// that is gone has missed the number of voters that this push would have said.
  private static func activityChanges(now: Date) -> SQL {
    """
    activities AS (
      UPDATE live_activities a
      SET last_accepted_at = CASE WHEN e.works THEN \(now) ELSE a.last_accepted_at END,
        acceptances = a.acceptances + e.works::int, environment = coalesce(e.environment, a.environment),
        said = CASE WHEN e.is_in_doubt THEN NULL WHEN e.stamp >= coalesce(a.said_stamp, 0) THEN e.content ELSE a.said END,
        said_stamp = greatest(a.said_stamp, e.stamp),
        ended_at = CASE WHEN e.has_ended OR a.registered_at <= e.dead_by THEN \(now) ELSE a.ended_at END,
        ended_reason = CASE
          WHEN e.has_ended THEN 'ended' WHEN a.registered_at <= e.dead_by THEN e.reason ELSE a.ended_reason
        END
      FROM (
        SELECT s.activity_id AS id, bool_or(s.works) AS works, bool_or(s.log = 'unknown') IS TRUE AS is_in_doubt,
          bool_or(s.works AND n.data ->> 'event' = 'end') AS has_ended,
          max(s.environment) FILTER (WHERE s.works AND s.is_current) AS environment,
          max(s.dead_by) FILTER (WHERE NOT s.is_outdated) AS dead_by,
          max(s.reason) FILTER (WHERE s.dead_by IS NOT NULL) AS reason,
          max((n.data ->> 'stamp')::bigint) FILTER (WHERE s.works) AS stamp,
          (array_agg(n.data ->> 'content' ORDER BY (n.data ->> 'stamp')::bigint DESC) FILTER (WHERE s.works))[1] AS content
        FROM settled s JOIN notifications n ON n.id = s.notification_id
        WHERE s.activity_id IS NOT NULL GROUP BY 1
      ) e
      WHERE a.id = e.id
      RETURNING a.app, a.subject_id, a.device_token_id, NOT e.has_ended AND a.registered_at <= e.dead_by AS is_gone
    ), gone AS (
      INSERT INTO activity_changes (app, subject_id, due_at, openings, device_ids)
      SELECT app, subject_id, \(now)::timestamptz, '{}', array_agg(DISTINCT device_token_id) FROM activities
      WHERE is_gone AND subject_id <> '' GROUP BY app, subject_id
    )
    """
  }

  /// Whether a push that was put back without words says nothing new of an outage: it only waited its turn.
  private static let isStillAway: SQL = "i.log IS NULL"

  private static let isEnded: SQL = "(t.is_active IS NOT FALSE AND t.registered_at <= e.dead_by) IS TRUE"

  private static let isEndedByProvider: SQL = "(NOT t.is_active AND t.deactivated_reason ~ '^[A-Z]') IS TRUE"

  private static func input(_ settlements: [DeliverySettlement]) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(settlements.map(\.id))", "state": "\(settlements.map(\.state.rawValue))",
        "not_before": "\(settlements.map(\.notBefore))", "uses_attempt": "\(settlements.map(\.usesAttempt))",
        "log": "\(settlements.map(\.log?.rawValue))", "reason": "\(settlements.map(\.report.reason))",
        "outage": "\(settlements.map(\.report.outage))", "apns_id": "\(settlements.map(\.report.apnsID))",
        "http_status": "\(settlements.map { $0.report.status.map(Int32.init) })",
        "duration_ms": "\(settlements.map { Int32($0.report.duration / .milliseconds(1)) })",
        "works": "\(settlements.map(\.device.works))", "dead_by": "\(settlements.map(\.device.deadBy))",
        "held_until": "\(settlements.map(\.device.heldUntil))",
        "environment": "\(settlements.map(\.report.environment.rawValue))",
        "topic": "\(settlements.map(\.report.topic))",
        "probe": "\(settlements.map(\.probe?.rawValue))", "device_id": "\(settlements.map(\.recipient.id))",
        "registered_at": "\(settlements.map(\.recipient.registeredAt))",
        "acceptances": "\(settlements.map(\.recipient.acceptances))", "payload": "\(settlements.map(\.payload))",
        "has_earlier": "\(settlements.map { !$0.report.earlier.isEmpty })",
      ])
    return "SELECT * FROM \(rows)"
  }

  /// The attempts that were retried at once; `followers` is the number of later attempts.
  private static func earlier(_ settlements: [DeliverySettlement]) -> SQL {
    let attempts = settlements.flatMap { settlement in
      settlement.report.earlier.enumerated().map { place, report in
        (id: settlement.id, report: report, followers: Int32(settlement.report.earlier.count - place))
      }
    }
    let rows: SQL = .rows(
      "e",
      [
        "id": "\(attempts.map { $0.id })", "log": "\(attempts.map { $0.report.repeatedLog.rawValue })",
        "reason": "\(attempts.map { $0.report.reason })", "apns_id": "\(attempts.map { $0.report.apnsID })",
        "http_status": "\(attempts.map { $0.report.status.map(Int32.init) })",
        "duration_ms": "\(attempts.map { Int32($0.report.duration / .milliseconds(1)) })",
        "followers": "\(attempts.map { $0.followers })",
      ])
    return "SELECT * FROM \(rows)"
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
