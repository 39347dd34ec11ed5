import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Votes within this many seconds make one push: a person often votes on several options at once.
  private static let gathering: TimeInterval = 10
  /// The seconds that APNs and FCM keep a count for a device that is off; more than the hour that it may wait for room.
  private static let lifetime: TimeInterval = 4 * 3_600

  /// Makes a background push with the number of voters on a proposal, for each of the voters' devices.
  ///
  /// A person who switched off vote updates or muted the group gets none. The new count replaces one that still waits
  /// for a device.
  /// - Parameter voters: the people whose votes changed; their devices get the count only if an earlier one waits.
  static func pushVoteCount(of proposal: UUID, except voters: Set<UUID>, _ event: EventContext) -> SQL {
    let settings = Settings(of: LeadingOptionChange.kind, for: "p")
    let (end, start) = (event.now.addingTimeInterval(lifetime), event.now.addingTimeInterval(gathering))
    let id = Subject.proposal(proposal).id
    let payload = #"{"aps":{"content-available":1},"proposal_id":"\#(id)","vote_count":"#
    return """
      WITH people AS MATERIALIZED (
        SELECT DISTINCT m.user_id, p.id AS proposal_id, p.group_id AS scope_id,
          least(p.deadline, \(end)::timestamptz) AS expires_at
        FROM event_proposals p
        JOIN proposal_votes v ON v.proposal_id = p.id
        JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
        WHERE p.id = \(proposal) AND p.status = 'open' AND p.deadline > \(event.now)
      ), waiting AS MATERIALIZED (
        SELECT n.id, d.device_token_id, d.not_before FROM notifications n JOIN deliveries d ON d.notification_id = n.id
        WHERE n.proposal_id = \(proposal) AND n.type = 'vote_count' AND n.origin = 'function'
          AND d.state = 'queued' AND \(isFree)
        ORDER BY d.id FOR UPDATE OF d
      ), replaced AS (
        DELETE FROM notifications n USING waiting w WHERE n.id = w.id
      ), due AS MATERIALIZED (
        SELECT gen_random_uuid() AS id, t.id AS device_id, t.user_id, t.provider, p.proposal_id, p.expires_at,
          coalesce(w.not_before, \(start)) AS not_before, (SELECT count(*) FROM people) AS votes
        FROM (SELECT p.*, \(settings.columns) FROM people p \(settings.tables)) p
        JOIN device_tokens t ON t.user_id = p.user_id AND t.app = \(App.lockItIn.rawValue) AND t.is_active
        LEFT JOIN (SELECT device_token_id, min(not_before) AS not_before FROM waiting GROUP BY 1) w
          ON w.device_token_id = t.id
        WHERE p.is_enabled AND p.level = 'all' AND coalesce(p.override, p.personal, true)
          AND (p.user_id <> ALL (\(Array(voters))) OR w.device_token_id IS NOT NULL)
      ), told AS (
        INSERT INTO notifications (
          id, user_id, app, type, title, data, proposal_id, is_archived, origin, importance, counts_for_badge, payload,
          push_type, priority, collapse_id, function, source, source_event_id, created_at, updated_at, expires_at,
          push_expires_at)
        SELECT id, user_id, \(App.lockItIn.rawValue), 'vote_count', '', jsonb_build_object('vote_count', votes),
          proposal_id, true, 'function', \(Importance.passive.rawValue), false, \(payload)::text || votes || '}',
          'background', 5, 'votes ' || proposal_id, \(event.function), \(event.source), \(event.id), \(event.now),
          \(event.now), expires_at, expires_at
        FROM due
      )
      INSERT INTO deliveries (
        notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
      SELECT id, device_id, user_id, \(App.lockItIn.rawValue), provider, not_before, expires_at, \(event.now),
        \(event.now)
      FROM due
      """
  }
}
