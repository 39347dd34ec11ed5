import Formats
package import FoundationEssentials
package import PushPayload

extension Proposal {
  /// Its title, or the text that replaces it.
  func shownTitle(in words: Words) -> String { hiddenTitle(in: words)?.text ?? title }
  /// The text that replaces its title; `nil` if the title is public.
  func hiddenTitle(in words: Words) -> Sentence? { visibility.headline(hiding: proposer, in: words) }
  /// Whether its title is public.
  var isNamed: Bool { visibility == .sharedWithName }
}

/// A person proposed an event and asks for votes.
package struct NewProposal: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "proposal_created", importance: .actionRequired,
    preference: .init("proposal_notifications", inGroups: true),
    category: .proposal, section: .pendingVotes)

  /// The texts of an experiment; the first one is used without an experiment.
  package enum Variant: String, CaseIterable {
    case control, urgency, names, event
  }

  let proposal: Proposal
  let members: Int
  let timeLeft: TimeLeft

  /// A new proposal.
  /// - Parameter members: how many people the group has.
  package init(_ proposal: Proposal, members: Int, at now: Date) {
    (self.proposal, self.members) = (proposal, members)
    timeLeft = TimeLeft(seconds: proposal.deadline.timeIntervalSince(now))
  }

  package var subject: Subject { .proposal(proposal.id) }
  /// When votes stop counting.
  package var deadline: Date? { proposal.deadline }
  /// The deadline is ISO 8601 in UTC.
  package var values: [String: PushPayload.Value] { values(in: .english) }

  package func values(for recipient: Recipient) -> [String: PushPayload.Value] { values(in: recipient.words) }

  private func values(in words: Words) -> [String: PushPayload.Value] {
    LockItInPush.proposalCreated(
      proposal: proposal.id, group: proposal.groupID, title: proposal.shownTitle(in: words),
      deadline: proposal.deadline
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    let title =
      proposal.hiddenTitle(in: words)
      ?? words(
        "lockitin.proposal_created.title", ["name": .value(proposal.proposer), "event": .value(proposal.title)])
    return NotificationText(title: title, body: body(recipient.variant.flatMap(Variant.init) ?? .control, words))
  }

  /// Empty if one text lacks its facts: the title is hidden, or nobody else is asked.
  package var variants: [String] {
    proposal.isNamed && members > 1 ? Variant.allCases.map(\.rawValue) : []
  }

  private func body(_ variant: Variant, _ words: Words) -> Sentence {
    switch variant {
    case .control: words("lockitin.proposal_created.body", ["time": .words(words.away(timeLeft))])
    case .urgency: words("lockitin.proposal_created.body_urgency", ["amount": .words(words.amount(timeLeft))])
    case .names: words("lockitin.proposal_created.body_names", ["count": .count(members - 1)])
    case .event:
      words(
        "lockitin.proposal_created.body_event",
        ["event": .value(proposal.title), "amount": .words(words.amount(timeLeft))])
    }
  }
}

/// A member voted on a person's proposal.
package struct VoteOnProposal: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "vote_cast", importance: .normal,
    preference: .init("vote_cast", inGroups: true, ofProposal: "notify_vote_cast"), isOnByDefault: false,
    family: .proposalVotes, section: .activity)

  let proposal: Proposal
  let voter: String
  let voterID: UUID?
  let vote: ProposalVote

  /// - Parameters:
  ///   - voter: the name of the person who voted.
  ///   - voterID: their id.
  package init(_ vote: ProposalVote, by voter: String, _ voterID: UUID? = nil, on proposal: Proposal) {
    (self.vote, self.voter, self.voterID, self.proposal) = (vote, voter, voterID, proposal)
  }

  /// Voters are counted per proposal.
  package var part: BatchPart? {
    let title = proposal.isNamed ? proposal.title : nil
    return BatchPart(of: subject.id, named: title, by: voterID?.lowercased ?? voter, called: voter)
  }

  package var subject: Subject { .proposal(proposal.id) }
  package var values: [String: PushPayload.Value] { values(in: .english) }

  package func values(for recipient: Recipient) -> [String: PushPayload.Value] { values(in: recipient.words) }

  private func values(in words: Words) -> [String: PushPayload.Value] {
    LockItInPush.voteCast(
      proposal: proposal.id, title: proposal.shownTitle(in: words), voter: voter, vote: vote.rawValue
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    return NotificationText(
      title: words("lockitin.vote_cast.title_\(vote.rawValue)", ["name": .value(voter)]),
      body: proposal.hiddenTitle(in: words)
        ?? words("lockitin.vote_cast.body", ["event": .value(proposal.title)]))
  }
}

/// Another time leads the votes.
package struct LeadingOptionChange: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "vote_count_update", importance: .normal, preference: .init("vote_updates", inGroups: true),
    family: .leads, section: .activity)

  let proposal: Proposal
  let leader: OptionTally
  let members: Int

  /// - Parameter members: how many people the group has.
  package init(to leader: OptionTally, of members: Int, in proposal: Proposal) {
    (self.leader, self.members, self.proposal) = (leader, members, proposal)
  }

  package var option: UUID { leader.option }
  /// An option whose times have moved is another one.
  package var stateKeys: [String] { ["time_option_id", "time_option_start"] }
  /// If a proposal's lead changes several times, the last change counts.
  package var part: BatchPart? { BatchPart(of: subject.id, named: nil, by: leader.option.lowercased) }
  package var subject: Subject { .proposal(proposal.id) }
  package var values: [String: PushPayload.Value] {
    LockItInPush.leadingOptionChanged(
      proposal: proposal.id, option: leader.option, start: leader.startsAt, available: leader.yes, total: members
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    let slot = words.slot(LocalTime(leader.startsAt, in: recipient.timeZone))
    return NotificationText(
      title: words("lockitin.vote_count_update.title", ["slot": .words(slot)]),
      body: words(
        "lockitin.vote_count_update.body", ["available": .number(leader.yes), "members": .number(members)]))
  }
}

/// The options of a proposal have changed, and the votes on the old ones no longer count.
package struct OptionsChange: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "proposal_updated", importance: .actionRequired,
    preference: .init("proposal_notifications", inGroups: true),
    category: .proposal, replacesItself: true, section: .pendingVotes)

  let proposal: Proposal
  let options: Int
  let version: Int

  /// - Parameters:
  ///   - options: how many there are now.
  ///   - version: counts the changes.
  package init(of proposal: Proposal, options: Int, version: Int) {
    (self.proposal, self.options, self.version) = (proposal, options, version)
  }

  /// Once for each version: each one deletes the votes, so none is a duplicate.
  package var dedupeKey: String? { "\(Self.kind.name)/\(subject.id)/\(version)" }

  package var subject: Subject { .proposal(proposal.id) }
  /// When votes stop counting.
  package var deadline: Date? { proposal.deadline }
  package var values: [String: PushPayload.Value] { values(in: .english) }

  package func values(for recipient: Recipient) -> [String: PushPayload.Value] { values(in: recipient.words) }

  private func values(in words: Words) -> [String: PushPayload.Value] {
    LockItInPush.proposalUpdated(
      proposal: proposal.id, title: proposal.shownTitle(in: words), optionCount: options
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    return NotificationText(
      title: proposal.hiddenTitle(in: words)
        ?? words("lockitin.proposal_updated.title", ["event": .value(proposal.title)]),
      body: words("lockitin.proposal_updated.body"))
  }
}

extension Kind {
  /// The kinds about votes on a proposal; they end when it takes no more votes.
  package static let aboutVotes = [
    NewProposal.kind, VoteOnProposal.kind, LeadingOptionChange.kind, OptionsChange.kind, DeadlineReminder.kind,
  ]

  /// The kinds that ask for a vote and that a vote settles.
  package static let askingForVotes = [NewProposal.kind, OptionsChange.kind, DeadlineReminder.kind]
}
