import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import World

extension Simulation {
  /// Sends what is due, to providers that do not always answer well.
  func deliver() async throws {
    guard !isSenderOff else { return }
    while true {
      let batch = try await queue.claim(50, PushProvider.allCases, clock)
      guard batch.taken > 0 else { return }
      let verdicts = batch.pushes.map { ($0, verdict(on: $0)) }
      try await observe(verdicts)
      let settlements = verdicts.map { push, verdict in
        DeliverySettlement(
          push,
          PushReport(
            verdict: verdict, provider: push.device.provider, environment: push.device.environment ?? .production,
            topic: "com.example"), now: clock, jitter: 0.5)
      }
      try await queue.settle(batch.lease, settlements, clock)
      try await noteLanguages()
    }
  }

  /// The same for the same push to the same device, no matter in which order they are sent.
  private func verdict(on push: QueuedPush) -> PushVerdict {
    var dice = SplitMix(seed: seed, for: "\(push.device.token) \(push.attempts) \(clock.timeIntervalSince1970)")
    switch dice.number(0..<100) {
    case 0..<4: return .retryLater(atLeast: nil)
    case 4..<7: return .unknown
    case 7..<9: return .holdDevice(atLeast: nil)
    case 9..<10: return .rejected
    case 10..<11: return .deviceGone(at: clock)
    case 11..<12: return .notSent(pause: .seconds(5_400))
    default: return .accepted
    }
  }

  /// Writes down what goes out, and what its person wants at this moment.
  private func observe(_ pushes: [(QueuedPush, PushVerdict)]) async throws {
    let rows = try await database.query(
      """
      WITH people AS (
        SELECT d.id AS delivery, d.created_at AS decided, d.user_id AS owed, n.id, n.user_id, n.app, lower(n.type) AS kind, n.subject_id, n.source_event_id, n.feedback_id, n.proposal_id,
          coalesce(n.proposal_id, (SELECT e.proposal_id FROM events e WHERE e.id::text = n.subject_id)) AS about_proposal,
          t.is_active AND t.user_id = n.user_id AND t.app = n.app AS is_theirs,
          CASE n.app WHEN 'lockitin' THEN p.quiet_hours_enabled ELSE s.quiet_hours_enabled END AS is_quiet,
          CASE n.app WHEN 'lockitin' THEN p.quiet_hours_start ELSE s.quiet_hours_start END AS first,
          CASE n.app WHEN 'lockitin' THEN p.quiet_hours_end ELSE s.quiet_hours_end END AS last,
          CASE n.app WHEN 'lockitin' THEN p.quiet_hours_days ELSE s.quiet_hours_days END AS days,
          CASE n.app WHEN 'lockitin' THEN p.timezone ELSE s.timezone END AS zone,
          EXISTS (
            SELECT FROM notification_mutes q
            WHERE q.user_id = n.user_id AND q.muted_until > \(clock)
              AND (q.created_at < d.created_at OR q.created_at < \(clock - Self.timeLimit)) AND CASE q.scope
              WHEN 'person' THEN true
              WHEN 'app' THEN q.target = n.app
              WHEN 'project' THEN q.target = (SELECT f.project_id FROM feedbacks f WHERE f.id = n.feedback_id)::text
              WHEN 'group' THEN q.target = (
                SELECT e.group_id FROM event_proposals e WHERE e.id = n.proposal_id)::text
              ELSE q.target = n.subject_id END) AS is_muted,
          CASE n.app WHEN 'lockitin' THEN coalesce(p.hourly_limit, 5) ELSE s.hourly_limit END AS hourly_limit
        FROM deliveries d
        JOIN notifications n ON n.id = d.notification_id
        JOIN device_tokens t ON t.id = d.device_token_id
        LEFT JOIN user_notification_preferences p ON p.user_id = n.user_id
        LEFT JOIN notification_settings s ON s.user_id = n.user_id AND s.app = n.app
        WHERE d.id = ANY (\(pushes.map(\.0.id)))
      ), walls AS (
        SELECT *, \(clock)::timestamptz AT TIME ZONE CASE WHEN zone = ANY (\(World.zones)) THEN zone ELSE 'UTC' END AS wall
        FROM people
      ), hours AS (
        SELECT *, days -> to_char(wall, 'FMday') AS today, days -> to_char(wall - interval '1 day', 'FMday') AS before
        FROM walls
      )
      SELECT *, coalesce(today ->> 'start', to_char(first, 'HH24:MI'), '22:00') AS "from",
        coalesce(today ->> 'end', to_char(last, 'HH24:MI'), '08:00') AS until,
        coalesce(before ->> 'start', to_char(first, 'HH24:MI'), '22:00') AS from_before,
        coalesce(before ->> 'end', to_char(last, 'HH24:MI'), '08:00') AS until_before,
        to_char(wall, 'HH24:MI') AS clock
      FROM hours
      """)
    var known: [UUID: Row] = [:]
    for row in rows { known[try row.decode("delivery")] = row }
    for (push, verdict) in pushes {
      guard let row = known[push.id] else {
        violation("their device", "nobody knows delivery \(push.id)")
        continue
      }
      let user: String = try row.decode("user_id")
      try compare(row["kind"] ?? "", push.payload, feedback: row["feedback_id"], row["proposal_id"])
      if row["kind"] == "vote_count" { try await compareVotes(push, to: user, on: row["proposal_id"] ?? "") }
      try await compareLanguage(push.payload, row, since: try row.decode("decided"))
      sent.append(
        SentPush(
          time: clock, notification: try row.decode("id"), event: row["source_event_id"] ?? "", user: user,
          subject: row["subject_id"] ?? "",
          device: push.device.id, app: try row.decode("app"), kind: try row.decode("kind"), payload: push.payload,
          verdict: verdict, isTheirs: try row.decode("is_theirs"), wantsQuiet: try row.optional("is_quiet") ?? false,
          quietFrom: try row.decode("from"), quietUntil: try row.decode("until"),
          quietFromBefore: try row.decode("from_before"), quietUntilBefore: try row.decode("until_before"),
          localTime: try row.decode("clock"), isMuted: try row.decode("is_muted"),
          limit: try row.optional("hourly_limit"), badge: push.badge,
          countedBadge: try await countBadge(of: user, push.device.app)))
    }
  }
}
