import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Queues the number of voters on an open proposal for devices whose Live Activity is gone, if it has not said it.
  ///
  /// The same people get it as after a vote: who has voted, or was sent an earlier number. The number is counted again
  /// when it goes out.
  static func pushLeftOutCount(on proposal: UUID, to devices: [UUID], _ event: EventContext) -> SQL {
    let settings = Settings(of: LeadingOptionChange.kind, for: "p")
    let end = event.now.addingTimeInterval(lifetime)
    return """
      WITH counted AS MATERIALIZED (
        SELECT p.id AS proposal_id, p.group_id AS scope_id, \(votes(on: "p")) AS votes,
          least(p.deadline, \(end)::timestamptz) AS expires_at
        FROM event_proposals p
        WHERE p.id = \(proposal) AND p.status = 'open' AND p.deadline > \(event.now)
      ), lonely AS MATERIALIZED (
        SELECT c.*, t.id AS device_id, t.user_id, t.provider
        FROM counted c
        JOIN device_tokens t ON t.id = ANY (\(devices)) AND t.app = \(App.lockItIn.rawValue) AND t.is_active IS NOT FALSE
        JOIN group_members m ON m.group_id = c.scope_id AND m.user_id = t.user_id
        WHERE NOT \(showsActivity("t.id", of: "c.proposal_id"))
          AND NOT EXISTS (
            SELECT FROM live_activities a
            WHERE a.device_token_id = t.id AND a.user_id = t.user_id AND a.subject_id = c.proposal_id::text
              AND (a.said::jsonb ->> 'votes')::bigint = c.votes)
          AND NOT EXISTS (
            SELECT FROM deliveries d JOIN notifications n ON n.id = d.notification_id
            WHERE d.device_token_id = t.id AND d.state = 'queued' AND \(isFree) AND n.proposal_id = c.proposal_id
              AND \(isVoteCount))
          AND (
            EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = c.proposal_id AND v.user_id = t.user_id)
            OR EXISTS (
              SELECT FROM device_tokens o JOIN deliveries d ON d.device_token_id = o.id
              JOIN notifications n ON n.id = d.notification_id
              WHERE o.user_id = t.user_id AND o.app = t.app AND d.state = 'accepted' AND n.proposal_id = c.proposal_id
                AND \(isVoteCount)))
      ), due AS MATERIALIZED (
        SELECT gen_random_uuid() AS id, p.device_id, p.user_id, p.provider, p.proposal_id, p.votes, p.expires_at,
          \(event.now)::timestamptz AS not_before
        FROM (SELECT p.*, \(settings.columns) FROM lonely p \(settings.tables)) p
        WHERE \(wantsVoteCounts("p"))
      ), \(queuingVoteCounts(event))
      """
  }
}
