import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Leases due deliveries, and ends or puts off those that must not be sent.
  ///
  /// Each row of the answer is a leased delivery; without any, there is still one row with the counts. Deliveries of
  /// other providers are closed if they have expired, and otherwise left alone.
  ///
  /// A lease changes no indexed column, and not `updated_at`. After each consecutive lease that ended without a written
  /// answer, the next lease is four times as long. After too many refused answers a delivery is given up.
  ///
  /// Each delivery remembers the number that it goes out with. An earlier one that nobody answered for may be on the device:
  /// then the device's number is unknown. A person who misses a number because a push expires or is given up is noted.
  ///
  /// A row is written at the place where it was locked: one that somebody has changed a moment before stays for the next
  /// claim.
  ///
  /// The limit is a literal: a plan that is made once for any limit would expect a tenth of the queue.
  /// - Parameter unsettled: leases whose deliveries are left alone, even if they have expired.
  static func claim(
    lease: UUID, limit: Int, of providers: [PushProvider], besides unsettled: [UUID] = [], now: Date
  ) -> SQL {
    """
    WITH due AS MATERIALIZED (
      \(due(limit: limit, of: providers, besides: unsettled, now: now))
    ), \(quietPushes(now: now)), judged AS (
      SELECT due.*, coalesce(q.fate, due.fate) AS verdict, coalesce(q.until, due.held_until) AS until,
        CASE WHEN q.fate IS NULL THEN 'TooManyRequests' ELSE 'TooManyQuietPushes' END AS pause,
        \(hasBadge("due")) AND coalesce(q.fate, due.fate) = 'sent' AS has_badge
      FROM due LEFT JOIN quiet q ON q.id = due.id
    ), placed AS (
      SELECT *, row_number() OVER (PARTITION BY user_id, app, has_badge) = 1 AS is_first FROM judged
    ), numbered AS (
      SELECT p.*, max(CASE WHEN p.has_badge AND p.is_first THEN (SELECT badge FROM push_badges(p.user_id, p.app, \(now))) END)
        OVER (PARTITION BY p.user_id, p.app, p.has_badge) AS badge
      FROM placed p
    ), taken AS (
      UPDATE deliveries d
      SET state = CASE j.verdict
          WHEN 'expired' THEN 'expired' WHEN 'superseded' THEN 'expired' WHEN 'rejected' THEN 'rejected'
          WHEN 'unknown' THEN 'unknown' ELSE 'queued'
        END,
        reason = CASE j.verdict
          WHEN 'rejected' THEN 'NoActiveDevice' WHEN 'superseded' THEN \(DeliveryEnd.superseded.rawValue)
          WHEN 'unknown' THEN 'Unsettled' WHEN 'held' THEN coalesce(d.reason, j.pause) ELSE d.reason
        END,
        outage = CASE WHEN j.verdict <> 'held' THEN d.outage END,
        outage_since = CASE WHEN j.verdict <> 'held' THEN d.outage_since END,
        not_before = CASE WHEN j.verdict = 'held' THEN least(j.until, d.expires_at) ELSE d.not_before END,
        lease_id = CASE WHEN j.verdict = 'sent' THEN \(lease) END,
        lease_until = CASE
          WHEN j.verdict = 'sent' THEN clock_timestamp() + \(DeliveryBatch.leaseSeconds) * 4 ^ least(d.unsettled, 2)
        END,
        unsettled = d.unsettled + (j.verdict = 'sent')::int, badge = coalesce(j.badge, d.badge),
        updated_at = CASE WHEN j.verdict = 'sent' THEN d.updated_at ELSE \(now) END
      FROM numbered j WHERE d.ctid = j.place
      RETURNING j.*
    ), \(claimedPlaces(now: now)), missed AS (
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT DISTINCT user_id, app, \(now)::timestamptz FROM taken
      WHERE verdict IN ('expired', 'unknown') AND device_id IS NOT NULL AND \(hasBadge("taken"))
    ), counts AS (
      SELECT count(*) FILTER (WHERE verdict IN ('expired', 'superseded')) AS expired,
        count(*) FILTER (WHERE verdict = 'rejected') AS rejected, count(*) FILTER (WHERE verdict = 'held') AS held,
        count(*) FILTER (WHERE verdict = 'unknown') AS unknown
      FROM taken
    )
    SELECT c.expired, c.rejected, c.held, c.unknown, (\(unserved(by: providers, now))) AS unserved, l.id, l.user_id, l.app, l.provider,
      l.expires_at, l.attempts, l.probe, l.payload, l.traceparent,
      l.badge, l.push_type, l.priority, l.collapse_id, coalesce(l.activity_id, l.device_id) AS device_id,
      l.token, l.environment, l.bundle_id, l.registered_at, l.last_accepted_at, l.throttles, l.acceptances,
      l.created_at <= \(now.addingTimeInterval(-DeliveryBatch.lateAfter)) AS is_late
    FROM counts c LEFT JOIN taken l ON l.verdict = 'sent'
    ORDER BY l.not_before
    """
  }

  /// The deliveries that are due, and those that have expired without a provider that would take them.
  ///
  /// Each part reads an index from its start: however much waits for a provider that is away, the others' goes on.
  private static func due(
    limit: Int, of providers: [PushProvider], besides unsettled: [UUID], now: Date
  ) -> SQL {
    let due: SQL = """
      SELECT * FROM (
        \(rows(besides: unsettled, now: now)) AND \(isQueued(for: providers)) AND d.not_before <= \(now)
        ORDER BY d.not_before LIMIT \(unescaped: "\(limit)") FOR UPDATE OF d SKIP LOCKED
      ) served
      """
    guard let others = isQueued(besides: providers) else { return due }
    return due + """
       UNION ALL SELECT * FROM (
        \(rows(besides: unsettled, now: now)) AND \(others) AND d.expires_at <= \(now)
        ORDER BY d.expires_at LIMIT \(unescaped: "\(limit)") FOR UPDATE OF d SKIP LOCKED
      ) lapsed
      """
  }

  /// Free deliveries with what is to be sent, and their fates; those to a Live Activity with its token `r`.
  ///
  /// A push that starts an activity is not sent again if nobody knows whether it was: a phone would show two. What an
  /// activity gets that has ended with a push is decided when the push is worded.
  private static func rows(besides unsettled: [UUID], now: Date) -> SQL {
    """
    SELECT d.ctid AS place, d.id, d.user_id, d.app, d.provider, d.not_before, d.created_at, d.expires_at, d.attempts,
      d.badge AS carried,
      CASE
        WHEN r.environment IS NOT NULL AND r.last_accepted_at >= r.registered_at THEN NULL
        WHEN d.probe_registered_at = r.registered_at THEN d.probe_environment
      END AS probe, coalesce(n.payload, '{}') AS payload, n.traceparent, n.push_type,
      CASE WHEN n.push_type = 'background' THEN least(n.priority, 5) ELSE n.priority END AS priority,
      coalesce(n.collapse_id, n.id::text) AS collapse_id, t.id AS device_id, a.id AS activity_id, r.token,
      r.environment, t.bundle_id, r.registered_at, r.last_accepted_at, t.throttles, r.acceptances, t.held_until,
      CASE
        WHEN d.expires_at <= \(now) THEN 'expired'
        WHEN t.id IS NULL OR r.token IS NULL OR n.payload IS NULL AND a.id IS NULL OR \(isGone("d.user_id"))
          THEN 'rejected'
        WHEN d.unsettled > 0 AND a.id IS NOT NULL AND n.data ->> 'event' = 'start' THEN 'unknown'
        WHEN d.refusals >= \(DeliveryBatch.mostRefusals) THEN 'unknown'
        WHEN \(isDeviceHeld(at: now)) THEN 'held'
        WHEN \(isQuiet) THEN 'quiet'
        ELSE 'sent'
      END AS fate
    FROM deliveries d
    JOIN notifications n ON n.id = d.notification_id
    LEFT JOIN device_tokens t
      ON t.id = d.device_token_id AND t.user_id = d.user_id AND t.app = d.app AND t.is_active IS NOT FALSE
    LEFT JOIN live_activities a ON a.id = d.activity_id
    CROSS JOIN LATERAL (
      SELECT t.token, t.environment, t.registered_at, t.last_accepted_at, t.acceptances WHERE d.activity_id IS NULL
      UNION ALL
      SELECT
        CASE WHEN a.user_id = d.user_id AND (a.ended_at IS NULL OR a.ended_reason = 'ended') THEN a.token END,
        coalesce(a.environment, t.environment), a.registered_at, a.last_accepted_at, a.acceptances WHERE d.activity_id IS NOT NULL
    ) r
    WHERE \(isFree) AND (d.lease_id = ANY(\(unsettled))) IS NOT TRUE
    """
  }
}

extension SQL {
  /// Whether a push brings its device a number: one that shows nothing does not, nor does one to a Live Activity.
  static func hasBadge(_ row: SQL) -> SQL { "\(row).push_type NOT IN ('background', 'liveactivity')" }
}

extension DeliveryBatch {
  fileprivate static var leaseSeconds: SQL { "make_interval(secs => \(lease / .seconds(1)))" }
}

extension DeliveryBatch {
  /// Reads the answer to `SQL.claim`.
  init(lease: UUID, _ rows: Rows) throws(PostgresError) {
    self.init(lease: lease, pushes: [])
    if let row = rows.first {
      expired = try row.decode("expired")
      undeliverable = try row.decode("rejected")
      held = try row.decode("held")
      unknown = try row.decode("unknown")
      unserved = try row.decode("unserved")
    }
    pushes.reserveCapacity(rows.count)
    for row in rows {
      guard let id = try row.optional("id", as: UUID.self) else { continue }
      pushes.append(try QueuedPush(id: id, row))
    }
  }
}

extension QueuedPush {
  fileprivate init(id: UUID, _ row: Row) throws(PostgresError) {
    self.init(
      id: id, device: try Device(row), payload: try row.decode("payload"), badge: try row.optional("badge"),
      pushType: try row.decode("push_type"), priority: try row.decode("priority"),
      collapseID: try row.decode("collapse_id"), expiresAt: try row.decode("expires_at"),
      attempts: try row.decode("attempts"), probe: row["probe"].flatMap(PushEnvironment.init),
      traceparent: row["traceparent"])
  }
}

extension QueuedPush.Device {
  fileprivate init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row.decode("device_id"), person: try row.decode("user_id"),
      provider: PushProvider(rawValue: try row.decode("provider")) ?? .apns,
      app: try row.decode("app"), token: try row.decode("token"),
      environment: row["environment"].flatMap(PushEnvironment.init), topic: row["bundle_id"],
      registeredAt: try row.decode("registered_at"), lastAcceptedAt: try row.optional("last_accepted_at"),
      throttles: try row.decode("throttles"), acceptances: try row.decode("acceptances"))
  }
}
