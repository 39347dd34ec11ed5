import FoundationEssentials
import Notifications
import Postgres
import PushPayload
import StoreLive

/// The current facts of notices that go out late.
struct CurrentFacts {
  private let now: Date
  private var feedbacks: [UUID: (feedback: Feedback, status: FeedbackStatus, votes: Int)] = [:]
  private var proposals: [UUID: ProposalFacts] = [:]
  private var tallies: [UUID: [OptionTally]] = [:]
  private var voters: [Pair: (name: String, votes: [ProposalVote])] = [:]
  private var conflicts: [Pair: [Conflict]] = [:]
  private var events: [UUID: GroupEvent] = [:]
  private var confirmations: [UUID: EventConfirmation] = [:]
  private var requests: [UUID: FriendRequest] = [:]
  private var invites: [Pair: GroupInvite] = [:]

  private struct ProposalFacts {
    let proposal: Proposal
    let members: Int
    let options: Int
    let version: Int
  }

  private struct Pair: Hashable {
    let one: UUID
    let other: UUID
  }

  /// The last act on a proposal that counts; its own may have been taken back since others were merged into it.
  private static func act(of part: Waiting, on proposal: UUID) -> Pair? {
    (part.acts.last?.actor ?? part.actor).flatMap(UUID.init).map { Pair(one: proposal, other: $0) }
  }

  /// Reads the facts of our functions' notices; apps word their own rows.
  init(of waiting: [Waiting], at now: Date, _ transaction: Transaction) async throws {
    self.now = now
    let own = waiting.filter(\.isOurs)
    let (feedbackIDs, proposalIDs) = (Set(own.compactMap(\.feedback)), Set(own.compactMap(\.proposal)))
    let (eventIDs, requestIDs) = (Set(own.compactMap(\.event)), Set(own.compactMap(\.friendRequest)))
    if !feedbackIDs.isEmpty { try await readFeedbacks(Array(feedbackIDs), own, transaction) }
    if !proposalIDs.isEmpty { try await readProposals(Array(proposalIDs), own, transaction) }
    if !eventIDs.isEmpty { try await readEvents(Array(eventIDs), transaction) }
    // Nothing asks for a request where the app's own table of that name is about something else.
    if !requestIDs.isEmpty { try await readRequests(Array(requestIDs), transaction) }
    let invited = own.filter { $0.kind.name == GroupInvite.kind.name }
    if !invited.isEmpty { try await readInvites(invited, transaction) }
  }

  private mutating func readFeedbacks(_ ids: [UUID], _ waiting: [Waiting], _ transaction: Transaction) async throws {
    // Only who is told of a vote is told the number.
    let counted = Set(waiting.filter { $0.kind.name == NewVote.kind.name }.compactMap(\.feedback))
    let rows = try await transaction.query(
      """
      SELECT f.id, f.project_id, f.title, p.name AS project_name, f.status,
        (SELECT count(*) FROM votes v WHERE v.feedback_id = f.id AND f.id = ANY (\(Array(counted)))) AS votes
      FROM feedbacks f LEFT JOIN projects p ON p.id = f.project_id WHERE f.id = ANY (\(ids))
      """)
    for row in rows {
      feedbacks[try row.decode("id")] = (
        try Feedback(row), FeedbackStatus(rawValue: row["status"] ?? ""), try row.decode("votes")
      )
    }
  }

  private mutating func readProposals(_ ids: [UUID], _ waiting: [Waiting], _ transaction: Transaction) async throws {
    let acts = waiting.compactMap { part in part.proposal.flatMap { Self.act(of: part, on: $0) } }
    let isOne: (SQL) -> SQL = { alias in
      "(\(alias).proposal_id, \(alias).user_id) IN (SELECT * FROM unnest(\(acts.map(\.one)), \(acts.map(\.other))))"
    }
    let rows = try await transaction.pipeline([
      .proposals(where: "p.id = ANY (\(ids))"),
      """
      SELECT p.id, p.options_version, (SELECT count(*) FROM group_members m WHERE m.group_id = p.group_id) AS members,
        (SELECT count(*) FROM proposal_options o WHERE o.proposal_id = p.id) AS options
      FROM event_proposals p WHERE p.id = ANY (\(ids))
      """, .tallies(of: ids, "true"),
      """
      SELECT v.proposal_id, v.user_id, u.name, array_agg(v.vote ORDER BY greatest(v.created_at, v.updated_at) DESC) AS votes
      FROM proposal_votes v JOIN users u ON u.id = v.user_id WHERE \(isOne("v"))
      GROUP BY v.proposal_id, v.user_id, u.name
      """, .conflicts(where: isOne("c")),
    ])
    let found: [UUID: Proposal] = try rows[0].reduce(into: [:]) { found, row in
      let proposal = try Proposal(row)
      found[proposal.id] = proposal
    }
    for row in rows[1] {
      let id: UUID = try row.decode("id")
      guard let proposal = found[id] else { continue }
      proposals[id] = ProposalFacts(
        proposal: proposal, members: try row.decode("members"), options: try row.decode("options"),
        version: try row.decode("options_version"))
    }
    for row in rows[2] { tallies[try row.decode("proposal_id"), default: []].append(try OptionTally(row)) }
    for row in rows[3] {
      let votes: [String] = try row.decode("votes")
      voters[Pair(one: try row.decode("proposal_id"), other: try row.decode("user_id"))] = (
        try row.decode("name"), votes.compactMap(ProposalVote.init)
      )
    }
    for row in rows[4] {
      let conflict = try Conflict(row)
      conflicts[Pair(one: conflict.proposal, other: conflict.person), default: []].append(conflict)
    }
  }

  private mutating func readEvents(_ ids: [UUID], _ transaction: Transaction) async throws {
    let rows = try await transaction.pipeline([
      .groupEvents(where: "e.id = ANY (\(ids))"), .confirmations(where: "e.id = ANY (\(ids))"),
    ])
    for row in rows[0] { events[try row.decode("id")] = try GroupEvent(row) }
    for row in rows[1] { confirmations[try row.decode("id")] = try EventConfirmation(row) }
  }

  private mutating func readRequests(_ ids: [UUID], _ transaction: Transaction) async throws {
    for row in try await transaction.query(.friendRequests(where: "r.id = ANY (\(ids))")) {
      requests[try row.decode("id")] = try FriendRequest(row)
    }
  }

  private mutating func readInvites(_ invited: [Waiting], _ transaction: Transaction) async throws {
    let groups = invited.map { UUID(uuidString: $0.candidate.subjectID) }
    let rows = try await transaction.query(
      .groupInvites(
        where: "(i.group_id, i.invitee_id) IN (SELECT * FROM unnest(\(groups), \(invited.map(\.candidate.user))))"))
    for row in rows {
      invites[Pair(one: try row.decode("id"), other: try row.decode("invitee_id"))] = try GroupInvite(row)
    }
  }
}

extension CurrentFacts {
  /// The notice of a held notification in its current words; `nil` if it is no longer true.
  func notice(_ part: Waiting) -> (any Notice)? {
    let notice = current(part)
    // Options that have changed once more are the newest ones; who voted in between gets a notice for them.
    if part.kind.name == OptionsChange.kind.name { return notice }
    // A moved event gets a new notice for its new time.
    guard let key = notice?.dedupeKey, let earlier = part.dedupeKey else { return notice }
    return key == earlier ? notice : nil
  }

  private func current(_ part: Waiting) -> (any Notice)? {
    if let feedback = part.feedback { return about(feedback: feedback, part) }
    if let proposal = part.proposal.flatMap({ proposals[$0] }) { return about(proposal, part) }
    if let event = part.event { return about(event: event, part) }
    if let request = part.friendRequest { return requests[request] }
    return UUID(uuidString: part.candidate.subjectID).flatMap { invites[Pair(one: $0, other: part.candidate.user)] }
  }

  private func about(feedback id: UUID, _ part: Waiting) -> (any Notice)? {
    guard let (feedback, status, votes) = feedbacks[id] else { return nil }
    switch part.kind.name {
    case NewFeedback.kind.name: return NewFeedback(feedback)
    case NewComment.kind.name:
      return part.text(of: "commentId").flatMap(UUID.init).map { NewComment($0, on: feedback, by: part.actor) }
    case NewVote.kind.name: return NewVote(for: feedback, count: votes, by: part.actor)
    case StatusChange.kind.name:
      let old = FeedbackStatus(rawValue: part.text(of: "oldStatus") ?? "")
      return StatusChange(of: feedback, from: old, to: status)
    default: return nil
    }
  }

  private func about(_ facts: ProposalFacts, _ part: Waiting) -> (any Notice)? {
    let proposal = facts.proposal
    let act = Self.act(of: part, on: proposal.id)
    switch part.kind.name {
    case NewProposal.kind.name: return NewProposal(proposal, members: facts.members, at: now)
    case OptionsChange.kind.name:
      return OptionsChange(of: proposal, options: facts.options, version: facts.version)
    case DeadlineReminder.kind.name: return DeadlineReminder(of: proposal, at: now)
    case LeadingOptionChange.kind.name:
      return tallies[proposal.id]?.leader.map { LeadingOptionChange(to: $0, of: facts.members, in: proposal) }
    case VoteOnProposal.kind.name:
      guard let act, let (name, votes) = voters[act], let latest = votes.first else { return nil }
      let said = part.text(of: "vote_type").flatMap(ProposalVote.init)
      let vote = said.flatMap { votes.contains($0) ? $0 : nil } ?? latest
      return VoteOnProposal(vote, by: name, act.other, on: proposal)
    case ConflictAlert.kind.name:
      let found = act.flatMap { conflicts[$0] } ?? []
      let other = part.text(of: "existing_event_id").flatMap(UUID.init)
      return (part.candidate.reason == .organizer ? found.last : found.last { $0.existing == other })
        .map(ConflictAlert.init)
    default: return nil
    }
  }

  private func about(event id: UUID, _ part: Waiting) -> (any Notice)? {
    if part.kind.name == EventConfirmation.kind.name { return confirmations[id] }
    guard let event = events[id] else { return nil }
    // Nobody is told to leave for what is around the corner by now, or whose way is unknown.
    if part.kind.name == TimeToLeave.kind.name, (part.candidate.travel?.minutes ?? 0) <= TimeToLeave.shortWay {
      return nil
    }
    return GroupEvent.notices.first { $0.kind.name == part.kind.name }?.init(of: event, at: now)
  }
}
