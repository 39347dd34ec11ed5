package import FoundationEssentials
package import Notifications
package import Postgres

/// A vote that was cast or changed.
package struct VoteChange: Sendable {
  let id: UUID
  let proposal: UUID
  /// `nil` for a vote on the proposal as a whole.
  let option: UUID?
  package let voter: UUID
  let old: ProposalVote?
  let new: ProposalVote
  /// When it was cast; `nil` if the app does not say when a vote was changed.
  package let moment: Date?

  /// - Parameter old: the person's earlier vote; `nil` if there is none.
  package init(
    id: UUID, proposal: UUID, option: UUID?, voter: UUID, from old: ProposalVote?, to new: ProposalVote,
    at moment: Date?
  ) {
    (self.id, self.proposal, self.option, self.voter) = (id, proposal, option, voter)
    (self.old, self.new, self.moment) = (old, new, moment)
  }
}

extension EventReader {
  /// The open proposals whose deadline is at most this many seconds away.
  package func openProposals(dueWithin window: TimeInterval) async throws -> [Proposal] {
    let rows = try await query(
      .proposals(
        where: """
          p.status = 'open' AND p.deadline > \(event.now) AND p.deadline <= \(event.now.addingTimeInterval(window))
          """))
    return each(rows, of: "event_proposals") { try Proposal($0) }
  }

  /// A proposal and its proposer; `nil` if it is gone.
  package func proposal(_ id: UUID) async throws -> (proposal: Proposal, proposer: Actor)? {
    guard let proposal = try await proposals(where: "p.id = \(id)").first else { return nil }
    let row = try await query("SELECT created_by FROM event_proposals WHERE id = \(id)").only()
    return (proposal, Actor(claimed: event.actorID, byID: [try row.decode("created_by")]))
  }

  private func proposals(where condition: SQL) async throws -> [Proposal] {
    try await query(.proposals(where: condition)).map { try Proposal($0) }
  }

  /// How many options a proposal has.
  package func optionCount(of proposal: Proposal) async throws -> Int {
    try await query("SELECT count(*) AS options FROM proposal_options WHERE proposal_id = \(proposal.id)")
      .only().decode("options")
  }

  /// A vote's proposal and voter; `nil` if the vote, the proposal or the voter is gone.
  package func proposal(of change: VoteChange) async throws -> (proposal: Proposal, voter: String, actor: Actor)? {
    let rows = try await query(
      "SELECT u.name FROM proposal_votes v JOIN users u ON u.id = v.user_id WHERE v.id = \(change.id)")
    guard let voter = try rows.first?.decode("name", as: String.self),
      let (proposal, _) = try await self.proposal(change.proposal)
    else { return nil }
    return (proposal, voter, Actor(claimed: event.actorID, byID: [change.voter]))
  }

  /// A new leading option.
  package struct Lead: Sendable {
    package let option: OptionTally
    /// How many people the group has.
    package let members: Int
  }

  /// The option that leads by all current votes; `nil` if it is the one that was announced last.
  ///
  /// If none was announced yet, it is compared with the option that led before this vote.
  package func newLead(of change: VoteChange) async throws -> Lead? {
    let lock: SQL = event.dryRun ? "" : "FOR UPDATE"
    let announced: UUID? = try await query(
      "SELECT option_id FROM proposal_leads WHERE proposal_id = \(change.proposal) \(lock)"
    ).first?.decode("option_id")
    guard let leader = try await tallies(of: change.proposal, "true").leader else { return nil }
    let before: UUID?
    if let announced {
      before = announced
    } else {
      let isEarlier = change.moment.map { "greatest(v.created_at, v.updated_at) < \($0)" as SQL } ?? "true"
      before = try await tallies(of: change.proposal, "v.id <> \(change.id) AND \(isEarlier)")
        .adding(change.old, for: change.option, at: change.moment ?? event.now).leader?.option
    }
    guard leader.option != before else { return nil }
    return Lead(option: leader, members: try await memberCount(around: change.proposal))
  }

  /// How many people the group of a proposal has.
  package func memberCount(around proposal: UUID) async throws -> Int {
    try await query(
      """
      SELECT count(*) AS members FROM group_members m JOIN event_proposals p ON p.group_id = m.group_id
      WHERE p.id = \(proposal)
      """
    ).only().decode("members")
  }

  private func tallies(of proposal: UUID, _ condition: SQL) async throws -> [OptionTally] {
    try await query(.tallies(of: [proposal], condition)).map { try OptionTally($0) }
  }

  /// Whether the app still has to write the event of a proposal, or the proposal's new status.
  package func isConfirmationComing(of proposal: UUID) async throws -> Bool {
    try await !query(
      """
      SELECT FROM event_proposals p
      WHERE p.id = \(proposal) AND p.status IN ('open', 'confirmed')
        AND NOT EXISTS (SELECT FROM events e WHERE e.proposal_id = p.id AND e.status <> 'confirmed')
      """
    ).isEmpty
  }

  /// The event that a proposal became; `nil` if it is gone or cancelled.
  ///
  /// An app writes two rows to confirm a proposal, often at once. The event of the second row waits here for the first
  /// one's transaction, and then finds whom it has considered.
  package func confirmation(of proposal: UUID) async throws -> EventConfirmation? {
    let lock: SQL = "SELECT pg_advisory_xact_lock(hashtextextended('confirmation of ' || \(proposal)::uuid, 0))"
    let rows = try await pipeline((event.dryRun ? [] : [lock]) + [.confirmations(where: "p.id = \(proposal)")])
    return try rows.last?.first.map { try EventConfirmation($0) }
  }
}

extension SQL {
  /// The stricter visibility of an event `e` and its proposal `p`; either may be missing.
  ///
  /// An app need not mark the event of a private proposal as private again.
  package static var strictestVisibility: SQL {
    """
    CASE WHEN 'private' IN (e.visibility, p.visibility) THEN 'private'
      WHEN 'busy_only' IN (e.visibility, p.visibility) THEN 'busy_only' ELSE coalesce(e.visibility, p.visibility) END
    """
  }
}

extension SQL {
  /// Rows for `Proposal`, by a condition on `event_proposals p`.
  package static func proposals(where condition: SQL) -> SQL {
    """
    SELECT p.id, p.title, u.name AS proposer, p.group_id, g.name AS group_name, p.deadline, p.visibility
    FROM event_proposals p
    JOIN groups g ON g.id = p.group_id
    JOIN users u ON u.id = p.created_by
    WHERE \(condition)
    ORDER BY p.deadline, p.id
    """
  }

  /// The options of proposals with their votes, except votes of people who have left the group.
  /// - Parameter condition: selects the votes `v` that count.
  package static func tallies(of proposals: [UUID], _ condition: SQL) -> SQL {
    """
    SELECT o.proposal_id, o.id, o.starts_at, o.ends_at, count(*) FILTER (WHERE v.vote = 'yes') AS yes,
      count(*) FILTER (WHERE v.vote = 'maybe') AS maybe, count(*) FILTER (WHERE v.vote = 'no') AS no,
      max(greatest(v.created_at, v.updated_at)) FILTER (WHERE v.vote IN ('yes', 'maybe')) AS last_vote
    FROM proposal_options o
    JOIN event_proposals p ON p.id = o.proposal_id
    LEFT JOIN proposal_votes v ON v.option_id = o.id AND \(condition)
      AND EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = v.user_id)
    WHERE o.proposal_id = ANY (\(proposals))
    GROUP BY o.proposal_id, o.id, o.starts_at, o.ends_at
    """
  }

  /// The events that proposals `p` became, by a condition on those or on `events e`.
  package static func confirmations(where condition: SQL) -> SQL {
    """
    SELECT e.id, e.title, u.name, e.starts_at, coalesce(e.location, p.location) AS location,
      \(strictestVisibility) AS visibility
    FROM events e
    JOIN event_proposals p ON p.id = e.proposal_id
    JOIN users u ON u.id = p.created_by
    WHERE \(condition) AND p.status = 'confirmed' AND e.status = 'confirmed'
    """
  }
}

extension Proposal {
  package init(_ row: Row) throws {
    self.init(
      id: try row.decode("id"), title: try row.decode("title"), proposer: try row.decode("proposer"),
      groupID: try row.decode("group_id"), group: try row.decode("group_name"), deadline: try row.decode("deadline"),
      visibility: EventVisibility(column: row["visibility"]))
  }
}

extension OptionTally {
  package init(_ row: Row) throws {
    self.init(
      option: try row.decode("id"), startsAt: try row.decode("starts_at"), yes: try row.decode("yes"),
      maybe: try row.decode("maybe"), lastVote: try row.optional("last_vote"))
  }
}

extension EventConfirmation {
  package init(_ row: Row) throws {
    self.init(
      of: try row.decode("id"), title: try row.decode("title"), organizer: try row.decode("name"),
      start: try row.decode("starts_at"), location: row["location"],
      visibility: EventVisibility(column: row["visibility"]))
  }
}

extension EventVisibility {
  /// The visibility in a column; an unknown value is private.
  init(column: String?) { self = column.flatMap(EventVisibility.init(rawValue:)) ?? .private }
}
