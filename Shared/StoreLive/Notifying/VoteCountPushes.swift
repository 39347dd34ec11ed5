import FoundationEssentials
import Notifications
package import Postgres

/// The number of voters on a proposal, which has to be pushed because a vote was cast, changed or deleted.
package struct VoteCount: Sendable {
  let proposal: UUID
  /// The people who voted; their own devices get the number only if an earlier one waits.
  let voters: Set<UUID>
  let event: EventContext
}

extension SQL {
  /// Votes within this many seconds make one push: a person often votes on several options at once.
  private static let gathering: TimeInterval = 10
  /// The seconds that APNs and FCM keep a count for a device that is off; more than the hour that it may wait for room.
  static let lifetime: TimeInterval = 4 * 3_600

  /// The statements that push the numbers of voters because of several votes: one for each proposal, where the votes are
  /// in the order of their times.
  static func pushVoteCounts(_ counts: [VoteCount]) -> [SQL] {
    var (batches, last): ([[VoteCount]], [UUID: Int]) = ([], [:])
    for count in counts {
      if let batch = last[count.proposal], let before = batches[batch].last, before.event.now <= count.event.now {
        batches[batch].append(count)
      } else {
        last[count.proposal] = batches.count
        batches.append([count])
      }
    }
    return batches.map { pushVoteCount($0) }
  }

  /// Makes a background push with the number of voters on a proposal, for each device of who has voted or was told an
  /// earlier number.
  ///
  /// A person who switched off vote updates or muted the group gets none, and a device that shows a Live Activity of the
  /// proposal gets that number by it. The new push replaces one that still waits for a
  /// device. The number is counted again when it goes out.
  /// - Parameter counts: those of one or several votes on the same proposal, in the order of the votes. The devices get
  ///   what they would get one vote after the other: the push of the last vote, at the time of the first.
  static func pushVoteCount(_ counts: [VoteCount]) -> SQL {
    let settings = SettingsSQL(of: LeadingOptionChange.kind, for: "p")
    let (proposal, event) = (counts[0].proposal, counts[counts.count - 1].event)
    let end = event.now.addingTimeInterval(lifetime)
    let starts = counts.map { $0.event.now.addingTimeInterval(gathering) }
    // When a voter's own devices get it: because of the first vote that is not theirs.
    let voters = Array(counts.reduce(into: Set()) { $0.formUnion($1.voters) })
    let votersStarts = voters.map { voter in zip(counts, starts).first { !$0.0.voters.contains(voter) }?.1 }
    let voting: SQL = .rows("v", ["user_id": "\(voters)", "starts_at": "\(votersStarts)"])
    return """
      WITH counted AS MATERIALIZED (
        SELECT p.id AS proposal_id, p.group_id AS scope_id, \(votes(on: "p")) AS votes,
          least(p.deadline, \(end)::timestamptz) AS expires_at
        FROM event_proposals p
        WHERE p.id = \(proposal) AND p.status = 'open' AND p.deadline > \(event.now)
      ), people AS MATERIALIZED (
        SELECT m.user_id, p.* FROM counted p
        JOIN group_members m ON m.group_id = p.scope_id
        WHERE m.user_id IN (
          SELECT v.user_id FROM proposal_votes v WHERE v.proposal_id = \(proposal)
          UNION ALL SELECT n.user_id FROM notifications n JOIN deliveries d ON d.notification_id = n.id
          WHERE n.proposal_id = \(proposal) AND \(isVoteCount) AND d.state = 'accepted')
      ), waiting AS MATERIALIZED (
        SELECT n.id, d.device_token_id, d.not_before FROM notifications n JOIN deliveries d ON d.notification_id = n.id
        WHERE n.proposal_id = \(proposal) AND \(isVoteCount) AND d.state = 'queued' AND \(isFree)
        ORDER BY d.id FOR UPDATE OF d
      ), replaced AS (
        DELETE FROM notifications n USING waiting w WHERE n.id = w.id
      ), due AS MATERIALIZED (
        SELECT gen_random_uuid() AS id, t.id AS device_id, t.user_id, t.provider, p.proposal_id, p.votes, p.expires_at,
          coalesce(w.not_before, p.starts_at) AS not_before
        FROM (
          SELECT p.*, \(settings.columns), CASE WHEN v.user_id IS NULL THEN \(starts[0]) ELSE v.starts_at END AS starts_at
          FROM people p LEFT JOIN \(voting) USING (user_id)
          \(settings.tables)
        ) p
        JOIN device_tokens t ON t.user_id = p.user_id AND t.app = \(App.lockItIn.rawValue)
          AND t.is_active IS NOT FALSE
        LEFT JOIN (SELECT device_token_id, min(not_before) AS not_before FROM waiting GROUP BY 1) w
          ON w.device_token_id = t.id
        WHERE \(wantsVoteCounts("p")) AND (p.starts_at IS NOT NULL OR w.device_token_id IS NOT NULL)
          AND NOT \(showsActivity("t.id", of: "p.proposal_id"))
      ), shown AS (
        INSERT INTO activity_changes (app, subject_id, due_at, openings)
        SELECT \(App.lockItIn.rawValue), c.proposal_id, \(starts[0])::timestamptz, '{}' FROM counted c
        WHERE EXISTS (SELECT FROM live_activities a WHERE \(isRunning("a", of: "c.proposal_id", in: .lockItIn)))
      ), \(queuingVoteCounts(event))
      """
  }

  /// The notifications and deliveries for rows `due` with `id, device_id, user_id, provider, proposal_id, votes,
  /// expires_at, not_before`.
  static func queuingVoteCounts(_ event: EventContext) -> SQL {
    """
    told AS (
      INSERT INTO notifications (
        id, user_id, app, type, title, data, proposal_id, is_read, is_archived, origin, importance, counts_for_badge,
        payload, push_type, priority, collapse_id, function, source, source_event_id, traceparent, created_at,
        updated_at, expires_at, push_expires_at)
      SELECT d.id, d.user_id, \(App.lockItIn.rawValue), 'vote_count', '', jsonb_build_object('vote_count', d.votes),
        d.proposal_id, true, true, 'function', \(Importance.passive.rawValue), false, \(voteCountPayload("d")),
        'background', 5, 'votes ' || d.proposal_id, \(event.function), \(event.source), \(event.id),
        \(event.traceparent as String?)::text, \(event.now), \(event.now), d.expires_at, d.expires_at
      FROM due d
    )
    INSERT INTO deliveries (
      notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
    SELECT id, device_id, user_id, \(App.lockItIn.rawValue), provider, not_before, expires_at, \(event.now),
      \(event.now)
    FROM due
    """
  }

  /// Whether a device shows its person a Live Activity of a proposal that they want: that says the number, too.
  ///
  /// One that an earlier person of the device has left there says nothing more. One that listens to a channel says it as
  /// long as the channel is live, if APNs accepted its start.
  package static func showsActivity(_ device: SQL, of proposal: SQL) -> SQL {
    """
    EXISTS (
      SELECT FROM live_activities a JOIN device_tokens o ON o.id = a.device_token_id AND o.user_id = a.user_id
      WHERE \(isRunning("a", of: proposal, in: .lockItIn)) AND a.device_token_id = \(device)
        AND (a.token IS NOT NULL OR \(listensToChannel("a")))
        AND \(wantsActivities(of: "a.user_id", in: "a.app")))
    """
  }

  private static func listensToChannel(_ row: SQL) -> SQL {
    """
    EXISTS (SELECT FROM activity_channels c WHERE c.id = \(row).channel_id AND c.state = 'live') AND EXISTS (
      SELECT FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      WHERE d.device_token_id = \(row).device_token_id AND d.activity_id IS NOT NULL AND d.state = 'accepted'
        AND n.subject_id = \(row).subject_id)
    """
  }

  /// How many members of a proposal's group have voted on it.
  package static func votes(on proposal: SQL) -> SQL {
    """
    (SELECT count(DISTINCT v.user_id) FROM proposal_votes v
      JOIN group_members m ON m.group_id = \(proposal).group_id AND m.user_id = v.user_id
      WHERE v.proposal_id = \(proposal).id)
    """
  }

  /// Whether a notification `n` is a background push with a number of voters.
  package static let isVoteCount: SQL = "n.type = 'vote_count' AND n.origin = 'function'"

  /// Whether a person with the settings in a row wants the numbers of voters.
  package static func wantsVoteCounts(_ row: SQL) -> SQL {
    "\(row).is_enabled AND \(row).level = 'all' AND coalesce(\(row).override, \(row).personal, true)"
  }

  /// The background push for a row with `proposal_id, votes`.
  package static func voteCountPayload(_ row: SQL) -> SQL {
    """
    '{"aps":{"content-available":1},"proposal_id":"' || \(row).proposal_id || '","vote_count":' || \(row).votes || '}'
    """
  }
}

extension SQL {
  /// Queues the number of voters on an open proposal for devices whose Live Activity is gone, if it has not said it.
  ///
  /// The same people get it as after a vote: who has voted, or was sent an earlier number. The number is counted again
  /// when it goes out.
  static func pushLeftOutCount(on proposal: UUID, to devices: [UUID], _ event: EventContext) -> SQL {
    let settings = SettingsSQL(of: LeadingOptionChange.kind, for: "p")
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
