public import FoundationEssentials
public import Notifications
import Postgres

/// A vote that was cast or changed.
public struct VoteChange: Sendable {
  let id: UUID
  let proposal: UUID
  let option: UUID
  let voter: UUID
  let old: ProposalVote?
  let new: ProposalVote
  /// When it was cast; `nil` where the app does not say when a vote was changed.
  public let moment: Date?

  /// A change from its parts.
  /// - Parameter old: what the person said before; `nil` where they had said nothing.
  public init(
    id: UUID, proposal: UUID, option: UUID, voter: UUID, from old: ProposalVote?, to new: ProposalVote, at moment: Date?
  ) {
    (self.id, self.proposal, self.option, self.voter) = (id, proposal, option, voter)
    (self.old, self.new, self.moment) = (old, new, moment)
  }
}

extension EventReader {
  /// The open proposals whose deadline comes within a time from now.
  public func openProposals(dueWithin window: TimeInterval) async throws -> [Proposal] {
    try await proposals(
      where: """
        p.status = 'open' AND p.deadline > \(event.now) AND p.deadline <= \(event.now.addingTimeInterval(window))
        """)
  }

  /// A proposal and who made it; `nil` when it is gone.
  public func proposal(_ id: UUID) async throws -> (proposal: Proposal, proposer: Actor)? {
    guard let proposal = try await proposals(where: "p.id = \(id)").first else { return nil }
    let row = try await query("SELECT created_by FROM event_proposals WHERE id = \(id)").only()
    return (proposal, Actor(claimed: event.actorID, byID: [try row.decode("created_by")]))
  }

  private func proposals(where condition: SQL) async throws -> [Proposal] {
    let rows = try await query(
      """
      SELECT p.id, p.title, u.name AS proposer, p.group_id, g.name AS group_name, p.deadline, p.visibility
      FROM event_proposals p
      JOIN groups g ON g.id = p.group_id
      JOIN users u ON u.id = p.created_by
      WHERE \(condition)
      ORDER BY p.deadline, p.id
      """)
    return try rows.map { row in
      Proposal(
        id: try row.decode("id"), title: try row.decode("title"), proposer: try row.decode("proposer"),
        groupID: try row.decode("group_id"), group: try row.decode("group_name"), deadline: try row.decode("deadline"),
        visibility: EventVisibility(column: row["visibility"]))
    }
  }

  /// How many options a proposal has.
  public func optionCount(of proposal: Proposal) async throws -> Int {
    try await query("SELECT count(*) AS options FROM proposal_options WHERE proposal_id = \(proposal.id)")
      .only().decode("options")
  }

  /// The proposal that was voted on and who voted; `nil` when one of the two or the vote is gone.
  public func proposal(of change: VoteChange) async throws -> (proposal: Proposal, voter: String, actor: Actor)? {
    let rows = try await query(
      "SELECT u.name FROM proposal_votes v JOIN users u ON u.id = v.user_id WHERE v.id = \(change.id)")
    guard let voter = try rows.first?.decode("name", as: String.self),
      let (proposal, _) = try await self.proposal(change.proposal)
    else { return nil }
    return (proposal, voter, Actor(claimed: event.actorID, byID: [change.voter]))
  }

  /// Another option leads since a vote.
  public struct Lead: Sendable {
    /// The option.
    public let option: OptionTally
    /// How many people the group has.
    public let members: Int
  }

  /// The option that leads since a vote and did not before; `nil` where none does.
  ///
  /// Votes that were cast later do not count, nor does what the person said to other options at the same time count as
  /// said before.
  public func newLead(of change: VoteChange) async throws -> Lead? {
    let time: SQL = "greatest(v.created_at, v.updated_at)"
    let isEarlier = change.moment.map { "\(time) < \($0)" as SQL } ?? "true"
    let isThere = change.moment.map { "\(time) <= \($0)" as SQL } ?? "true"
    let moment = change.moment ?? event.now
    let before = try await tallies(but: change, where: isEarlier).adding(change.old, for: change.option, at: moment)
    let after = try await tallies(but: change, where: isThere).adding(change.new, for: change.option, at: moment)
    guard let leader = after.leader, leader.option != before.leader?.option else { return nil }
    return Lead(option: leader, members: try await memberCount(around: change.proposal))
  }

  /// How many people the group of a proposal has.
  public func memberCount(around proposal: UUID) async throws -> Int {
    try await query(
      """
      SELECT count(*) AS members FROM group_members m JOIN event_proposals p ON p.group_id = m.group_id
      WHERE p.id = \(proposal)
      """
    ).only().decode("members")
  }

  private func tallies(but change: VoteChange, where condition: SQL) async throws -> [OptionTally] {
    let rows = try await query(
      """
      SELECT o.id, o.starts_at, count(*) FILTER (WHERE v.vote = 'yes') AS yes,
        count(*) FILTER (WHERE v.vote = 'maybe') AS maybe,
        max(greatest(v.created_at, v.updated_at)) FILTER (WHERE v.vote IN ('yes', 'maybe')) AS last_vote
      FROM proposal_options o
      JOIN event_proposals p ON p.id = o.proposal_id
      LEFT JOIN proposal_votes v ON v.option_id = o.id AND v.id <> \(change.id) AND \(condition)
        AND EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = v.user_id)
      WHERE o.proposal_id = \(change.proposal)
      GROUP BY o.id, o.starts_at
      """)
    return try rows.map { row in
      OptionTally(
        option: try row.decode("id"), startsAt: try row.decode("starts_at"), yes: try row.decode("yes"),
        maybe: try row.decode("maybe"), lastVote: try row.optional("last_vote"))
    }
  }

  /// The event that a proposal became; `nil` when it is gone or cancelled.
  public func confirmation(of proposal: UUID) async throws -> EventConfirmation? {
    let rows = try await query(
      """
      SELECT e.id, e.title, u.name, e.starts_at, coalesce(e.location, p.location) AS location,
        \(SQL.strictestVisibility) AS visibility
      FROM events e
      JOIN event_proposals p ON p.id = e.proposal_id
      JOIN users u ON u.id = p.created_by
      WHERE p.id = \(proposal) AND p.status = 'confirmed' AND e.status = 'confirmed'
      """)
    return try rows.first.map { row in
      EventConfirmation(
        of: try row.decode("id"), title: try row.decode("title"), organizer: try row.decode("name"),
        start: try row.decode("starts_at"), location: row["location"],
        visibility: EventVisibility(column: row["visibility"]))
    }
  }
}

extension SQL {
  /// What may be said of an event `e` and the proposal `p` that it was, either of which may be missing.
  ///
  /// An app that makes the event of a private proposal need not say once more that it is private.
  static var strictestVisibility: SQL {
    """
    CASE WHEN 'private' IN (e.visibility, p.visibility) THEN 'private'
      WHEN 'busy_only' IN (e.visibility, p.visibility) THEN 'busy_only' ELSE coalesce(e.visibility, p.visibility) END
    """
  }
}

extension EventVisibility {
  /// What a column says; what nobody knows is hidden.
  init(column: String?) { self = column.flatMap(EventVisibility.init(rawValue:)) ?? .private }
}
