public import FoundationEssentials
public import PushPayload

extension Proposal {
  /// Its title, or what is said instead of it.
  var shownTitle: String { hiddenTitle ?? title }
  /// What is said instead of its title; `nil` where the title may be said.
  var hiddenTitle: String? { visibility.headline(hiding: proposer) }

  fileprivate func values(_ kind: Kind, _ more: [String: PushPayload.Value]) -> [String: PushPayload.Value] {
    let values: [String: PushPayload.Value] = [
      "type": .string(kind.name), "proposal_id": .string(id.lowercased),
      "deep_link": .string(DeepLink.proposal(id).url),
    ]
    return values.merging(more) { _, new in new }
  }
}

/// Somebody proposed an event, and votes are asked for.
public struct NewProposal: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "proposal_created", importance: .actionRequired, preference: .proposals,
    category: "PROPOSAL_NOTIFICATION")

  /// The texts that can be tried out; the first is the one without an experiment.
  public enum Variant: String, CaseIterable {
    case control, urgency, names, event
  }

  let proposal: Proposal
  let members: Int
  let timeLeft: TimeLeft

  /// The arrival of a proposal.
  /// - Parameter members: how many people the group has.
  public init(_ proposal: Proposal, members: Int, at now: Date) {
    (self.proposal, self.members) = (proposal, members)
    timeLeft = TimeLeft(seconds: proposal.deadline.timeIntervalSince(now))
  }

  /// The proposal.
  public var subject: Subject { .proposal(proposal.id) }
  /// When votes no longer count.
  public var deadline: Date? { proposal.deadline }
  /// The app's own keys of the payload; the deadline is ISO 8601 in UTC.
  public var values: [String: PushPayload.Value] {
    proposal.values(
      Self.kind,
      [
        "group_id": .string(proposal.groupID.lowercased), "event_title": .string(proposal.shownTitle),
        "deadline_timestamp": .string(proposal.deadline.formatted(.iso8601)),
      ])
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let title = proposal.hiddenTitle ?? "\(proposal.proposer) proposed \(proposal.title)"
    return NotificationText(title: title, body: body(recipient.variant.flatMap(Variant.init) ?? .control))
  }

  /// None where one of them has nothing to say: where the title is hidden, or nobody else is asked.
  public var variants: [String] {
    proposal.hiddenTitle == nil && members > 1 ? Variant.allCases.map(\.rawValue) : []
  }

  private func body(_ variant: Variant) -> String {
    switch variant {
    case .control: "Vote needed • Closes \(timeLeft.text)"
    case .urgency: "Vote needed • \(timeLeft.amount) left!"
    case .names: "\(members - 1) \(members == 2 ? "person needs" : "people need") your vote"
    case .event: "Vote on \(proposal.title) • \(timeLeft.amount)"
    }
  }
}

/// Somebody voted on a person's proposal.
public struct VoteOnProposal: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "vote_cast", importance: .normal, preference: .proposalVotes, isOnByDefault: false,
    family: .proposalVotes)

  let proposal: Proposal
  let voter: String
  let voterID: UUID?
  let vote: ProposalVote

  /// A vote.
  /// - Parameters:
  ///   - voter: the name of the person who voted.
  ///   - voterID: their id.
  public init(_ vote: ProposalVote, by voter: String, _ voterID: UUID? = nil, on proposal: Proposal) {
    (self.vote, self.voter, self.voterID, self.proposal) = (vote, voter, voterID, proposal)
  }

  /// Voters are counted for each proposal.
  public var part: BatchPart? {
    let title = proposal.hiddenTitle == nil ? proposal.title : nil
    return BatchPart(of: subject.id, named: title, by: voterID?.lowercased ?? voter, called: voter)
  }

  /// The proposal.
  public var subject: Subject { .proposal(proposal.id) }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    proposal.values(
      Self.kind,
      [
        "event_title": .string(proposal.shownTitle), "voter_name": .string(voter),
        "vote_type": .string(vote.rawValue),
      ])
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "\(voter) voted \(vote.displayName)", body: proposal.hiddenTitle ?? "on \(proposal.title)")
  }
}

/// Another time leads the votes.
public struct LeadingOptionChange: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "vote_count_update", importance: .normal, preference: .voteUpdates, family: .leads)

  let proposal: Proposal
  let leader: OptionTally
  let members: Int

  /// A change of the option that leads.
  /// - Parameter members: how many people the group has.
  public init(to leader: OptionTally, of members: Int, in proposal: Proposal) {
    (self.leader, self.members, self.proposal) = (leader, members, proposal)
  }

  /// The option that leads.
  public var option: UUID { leader.option }
  /// The option that leads.
  public var stateKey: String? { "time_option_id" }
  /// The last of several changes of a proposal's lead counts.
  public var part: BatchPart? { BatchPart(of: subject.id, named: nil, by: leader.option.lowercased) }
  /// The proposal.
  public var subject: Subject { .proposal(proposal.id) }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    proposal.values(
      Self.kind,
      [
        "time_option_id": .string(leader.option.lowercased), "available_count": .integer(leader.yes),
        "total_count": .integer(members),
      ])
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let slot = LocalTime(leader.startsAt, in: recipient.timeZone).slot
    return NotificationText(title: "\(slot) now winning!", body: "\(leader.yes)/\(members) people available")
  }
}

/// The options of a proposal have changed, and the votes on the old ones no longer count.
public struct OptionsChange: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "proposal_updated", importance: .actionRequired, preference: .proposals,
    category: "PROPOSAL_NOTIFICATION")

  let proposal: Proposal
  let options: Int
  let version: Int

  /// A change of the options.
  /// - Parameters:
  ///   - options: how many there are now.
  ///   - version: counts the changes.
  public init(of proposal: Proposal, options: Int, version: Int) {
    (self.proposal, self.options, self.version) = (proposal, options, version)
  }

  /// Once for each version: each one deletes the votes, so that none may pass for a repetition.
  public var dedupeKey: String? { "\(Self.kind.name)/\(subject.id)/\(version)" }

  /// The proposal.
  public var subject: Subject { .proposal(proposal.id) }
  /// When votes no longer count.
  public var deadline: Date? { proposal.deadline }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    proposal.values(
      Self.kind, ["event_title": .string(proposal.shownTitle), "new_time_count": .integer(options)])
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(
      title: proposal.hiddenTitle ?? "\(proposal.title) times changed", body: "Please vote again on new options")
  }
}

extension Kind {
  /// The kinds about the votes on a proposal, which interest nobody when it takes no more votes.
  public static let aboutVotes = [
    NewProposal.kind, VoteOnProposal.kind, LeadingOptionChange.kind, OptionsChange.kind, DeadlineReminder.kind,
  ]

  /// The kinds that ask for a vote, and are settled by one.
  public static let askingForVotes = [NewProposal.kind, OptionsChange.kind, DeadlineReminder.kind]
}
