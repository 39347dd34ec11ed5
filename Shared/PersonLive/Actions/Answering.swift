import FoundationEssentials
import Notifications
import Postgres

/// An answer to a request or an invitation; the raw value is stored in `status`.
enum Reply: String {
  case accepted, declined
}

extension Transaction {
  /// Casts the same vote for every option of a proposal; `false` if the person has these votes already.
  ///
  /// If the app's people vote on proposals without options, it is one vote on the proposal.
  func vote(_ vote: String, on subject: ActionSubject, by person: Person, at now: Date) async throws -> Bool {
    guard let proposal = subject.proposal, let facts = try await query(.votes(on: proposal, by: person)).first else {
      throw ActionRefusal.conflict("The proposal is gone.")
    }
    let votes: [String?] = try facts.decode("votes")
    if !votes.isEmpty, votes.allSatisfy({ $0 == vote }) { return false }
    let status = facts["status"] ?? ""
    guard status == "open" else { throw ActionRefusal.conflict("The proposal takes no more votes: it is \(status).") }
    guard try facts.decode("deadline", as: Date.self) > now else {
      throw ActionRefusal.conflict("The proposal takes no more votes: its deadline has passed.")
    }
    guard try facts.decode("is_member") else {
      throw ActionRefusal.conflict("The proposal is of a group that you have left.")
    }
    guard !votes.isEmpty else { throw ActionRefusal.conflict("The proposal has no options.") }
    _ = try await pipeline(SQL.cast(vote, for: proposal, by: person, at: now))
    return true
  }

  /// Answers a friend request; `false` if it has this answer already.
  func answerFriend(_ reply: Reply, on subject: ActionSubject, by person: Person, at now: Date) async throws -> Bool {
    let request = subject.friendRequest
    // There is none where the app's own table of that name is about something else.
    guard try await !query("SELECT FROM push_friend_requests() r WHERE r.id = \(request as UUID?)").isEmpty else {
      throw ActionRefusal.conflict("The friend request is gone.")
    }
    let status = try await query(
      """
      SELECT status FROM friend_requests
      WHERE id = \(request as UUID?) AND recipient_id = \(person.id) FOR NO KEY UPDATE
      """
    ).first?["status"]
    guard try status.isOpen(to: reply, "The friend request") else { return false }
    _ = try await query(
      "UPDATE friend_requests SET status = \(reply.rawValue), updated_at = \(now) WHERE id = \(request as UUID?)")
    return true
  }

  /// Answers every waiting invitation into a group, or else the last one; `false` if it has this answer already.
  ///
  /// A person who accepts becomes a member.
  func answerGroup(_ reply: Reply, on subject: ActionSubject, by person: Person, at now: Date) async throws -> Bool {
    let own: SQL = "group_id = \(subject.group as UUID?) AND invitee_id = \(person.id)"
    let invites = try await query(
      "SELECT id, status FROM group_invites WHERE \(own) ORDER BY updated_at, id FOR NO KEY UPDATE")
    let statuses: [String] = try invites.decode("status")
    let status = statuses.contains("pending") ? "pending" : statuses.last
    guard try status.isOpen(to: reply, "The invitation") else { return false }
    if reply == .accepted {
      _ = try await query(
        """
        INSERT INTO group_members (group_id, user_id, created_at)
        VALUES (\(subject.group as UUID?), \(person.id), \(now)) ON CONFLICT DO NOTHING
        """)
    }
    _ = try await query(
      "UPDATE group_invites SET status = \(reply.rawValue), updated_at = \(now) WHERE \(own) AND status = 'pending'")
    return true
  }
}

extension String? {
  /// Whether a request with this status waits for an answer; `false` if it has this answer already.
  /// - Throws: ``ActionRefusal`` if it is gone or has another answer.
  fileprivate func isOpen(to reply: Reply, _ name: String) throws(ActionRefusal) -> Bool {
    switch self {
    case nil: throw .conflict("\(name) is gone.")
    case "pending": return true
    case reply.rawValue: return false
    case let status?: throw .conflict("\(name) has been \(status) already.")
    }
  }
}

extension SQL {
  /// A proposal with a person's vote on each option; the proposal cannot close before the end of the transaction.
  ///
  /// A vote from before a change of the options does not count.
  fileprivate static func votes(on proposal: UUID, by person: Person) -> SQL {
    """
    SELECT p.status, p.deadline,
      EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = \(person.id)) AS is_member,
      ARRAY(
        SELECT v.vote FROM (\(places(of: "p.id"))) o
        LEFT JOIN proposal_votes v ON v.proposal_id = p.id AND v.option_id IS NOT DISTINCT FROM o.id
          AND v.user_id = \(person.id) AND coalesce(v.options_version, 1) >= p.options_version) AS votes
    FROM event_proposals p WHERE p.id = \(proposal) FOR SHARE OF p
    """
  }

  /// The ids that a person votes on: a proposal's options, or NULL if it has none and a vote needs none.
  private static func places(of proposal: SQL) -> SQL {
    """
    SELECT o.id FROM proposal_options o WHERE o.proposal_id = \(proposal)
    UNION ALL
    SELECT NULL FROM pg_attribute a
    WHERE a.attrelid = 'proposal_votes'::regclass AND a.attname = 'option_id' AND NOT a.attnotnull
      AND NOT EXISTS (SELECT FROM proposal_options o WHERE o.proposal_id = \(proposal))
    """
  }

  // An app's own table may have other keys than ours: what is there already is found by whichever key says so.
  fileprivate static func cast(_ vote: String, for proposal: UUID, by person: Person, at now: Date) -> [SQL] {
    [
      """
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote, created_at, updated_at)
      SELECT \(proposal), o.id, \(person.id), \(vote), \(now), \(now)
      FROM (\(places(of: "\(proposal)"))) o
      WHERE NOT EXISTS (
        SELECT FROM proposal_votes v
        WHERE v.proposal_id = \(proposal) AND v.user_id = \(person.id) AND v.option_id IS NOT DISTINCT FROM o.id)
      ORDER BY o.id
      ON CONFLICT DO NOTHING
      """,
      """
      UPDATE proposal_votes v SET vote = \(vote), updated_at = \(now)
      FROM event_proposals p
      WHERE p.id = \(proposal) AND v.proposal_id = p.id AND v.user_id = \(person.id)
        AND (v.vote <> \(vote) OR coalesce(v.options_version, 1) < p.options_version)
      """,
    ]
  }
}
