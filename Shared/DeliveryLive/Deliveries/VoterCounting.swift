import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension DeliveryBatch {
  /// The batch with the numbers of voters as they are now, without those that a device need not or must not get.
  ///
  /// A number may have waited for other votes, or for room in its device's hour.
  func countingVoters(_ connection: Connection, at now: Date) async throws -> DeliveryBatch {
    let counts = pushes.filter { $0.pushType == "background" }.map(\.id)
    guard !counts.isEmpty else { return self }
    // Somebody may change the votes' notifications at the same time.
    let rows = try await GivingWay.repeating { () throws(PostgresError) in
      try await connection.query(.countVoters(for: counts, lease, at: now))
    }
    var batch = self
    for row in rows {
      let id: UUID = try row.decode("id")
      if let payload = row["payload"] {
        for index in batch.pushes.indices where batch.pushes[index].id == id { batch.pushes[index].payload = payload }
      } else {
        batch.pushes.removeAll { $0.id == id }
        batch.expired += 1
      }
    }
    return batch
  }
}

extension SQL {
  /// Writes the current numbers into leased background pushes, and ends those that are not needed: `id, payload`, without
  /// a payload for what is not sent.
  ///
  /// A device that was sent the number already needs none. What waits for the place of such a push is due.
  fileprivate static func countVoters(for deliveries: [UUID], _ lease: UUID, at now: Date) -> SQL {
    let settings = SettingsSQL(of: LeadingOptionChange.kind, for: "p")
    return """
      WITH leased AS MATERIALIZED (
        SELECT d.id, d.notification_id, d.device_token_id, d.user_id, n.proposal_id
        FROM deliveries d JOIN notifications n ON n.id = d.notification_id
        WHERE d.id = ANY (\(deliveries)) AND d.lease_id = \(lease) AND \(isVoteCount)
      ), counted AS MATERIALIZED (
        SELECT p.id, p.group_id, \(votes(on: "p")) AS votes FROM event_proposals p
        WHERE p.id IN (SELECT proposal_id FROM leased) AND p.status = 'open' AND p.deadline > \(now)
      ), needed AS MATERIALIZED (
        SELECT p.* FROM (
          SELECT p.*, \(settings.columns) FROM (
            SELECT l.*, c.group_id AS scope_id, c.votes
            FROM leased l
            JOIN counted c ON c.id = l.proposal_id
            JOIN group_members m ON m.group_id = c.group_id AND m.user_id = l.user_id
          ) p
          \(settings.tables)
        ) p
        WHERE \(wantsVoteCounts("p")) AND NOT \(showsActivity("p.device_token_id", of: "p.proposal_id")) AND p.votes IS DISTINCT FROM (
          SELECT (n.data ->> 'vote_count')::bigint FROM notifications n JOIN deliveries d ON d.notification_id = n.id
          WHERE n.proposal_id = p.proposal_id AND n.user_id = p.user_id AND \(isVoteCount)
            AND d.device_token_id = p.device_token_id AND d.state = 'accepted'
          ORDER BY d.accepted_at DESC, d.created_at DESC LIMIT 1)
      ), worded AS (
        UPDATE notifications n
        SET data = n.data || jsonb_build_object('vote_count', p.votes), payload = \(voteCountPayload("p")),
          updated_at = \(now)
        FROM needed p WHERE n.id = p.notification_id AND n.payload IS DISTINCT FROM \(voteCountPayload("p"))
      ), ended AS (
        UPDATE deliveries d
        SET state = 'expired', reason = \(DeliveryEnd.superseded.rawValue), lease_id = NULL, lease_until = NULL,
          unsettled = greatest(d.unsettled - 1, 0), updated_at = \(now)
        FROM leased l WHERE d.id = l.id AND l.id NOT IN (SELECT id FROM needed)
        RETURNING d.id, d.device_token_id
      ), unsent AS (
        SELECT device_token_id AS id, count(*) AS places FROM ended GROUP BY 1
      ), places AS (
        UPDATE device_tokens t SET quiet_pushes = \(quietPushes(without: "u.places", claimedAt: now))
        FROM unsent u WHERE t.id = u.id
      ), next AS (
        UPDATE deliveries d SET not_before = \(now), updated_at = \(now)
        WHERE d.id IN (
          SELECT d.id FROM deliveries d
          WHERE d.device_token_id IN (SELECT id FROM unsent) AND d.state = 'queued' AND d.reason = 'TooManyQuietPushes'
            AND d.not_before > \(now) AND \(isFree)
          FOR UPDATE SKIP LOCKED)
      )
      SELECT p.id, \(voteCountPayload("p")) AS payload FROM needed p
      UNION ALL SELECT e.id, NULL FROM ended e
      """
  }
}
