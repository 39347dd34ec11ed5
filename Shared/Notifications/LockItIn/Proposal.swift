package import FoundationEssentials
package import PushPayload

/// The facts about a proposal in LockItIn's notices.
package struct Proposal: Sendable, Equatable {
  package let id: UUID
  /// The event's title.
  package let title: String
  /// The name of the person who proposed it.
  package let proposer: String
  /// Its group's id.
  package let groupID: UUID
  /// The name of its group.
  package let group: String
  /// When votes stop counting.
  package let deadline: Date
  /// How much a push may say about it.
  package let visibility: EventVisibility

  package init(
    id: UUID, title: String, proposer: String, groupID: UUID, group: String, deadline: Date,
    visibility: EventVisibility
  ) {
    (self.id, self.title, self.proposer, self.groupID, self.group) = (id, title, proposer, groupID, group)
    (self.deadline, self.visibility) = (deadline, visibility)
  }
}

/// A proposal's deadline is near, and the person has not voted.
package struct DeadlineReminder: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "proposal_reminder", importance: .actionRequired,
    preference: .init(
      "voting_deadline", following: "proposal_notifications", inGroups: true,
      inGroupsFollowing: "proposal_notifications"),
    category: .proposal, section: .pendingVotes)

  /// The most seconds that are left when a reminder goes out.
  package static let window: TimeInterval = 2 * 3600
  /// The least number of seconds between the push about the proposal and a reminder.
  ///
  /// For the proposer, it counts from the creation.
  package static let pauseAfterCreation: TimeInterval = 30 * 60

  let proposal: Proposal
  let timeLeft: TimeLeft

  package init(of proposal: Proposal, at now: Date) {
    self.proposal = proposal
    timeLeft = TimeLeft(seconds: proposal.deadline.timeIntervalSince(now))
  }

  package var subject: Subject { .proposal(proposal.id) }
  /// When votes stop counting.
  package var deadline: Date? { proposal.deadline }
  /// Once for each proposal and deadline, so that a moved deadline causes another reminder.
  package var dedupeKey: String? {
    "\(Self.kind.name)/\(subject.id)/\(Int((proposal.deadline.timeIntervalSince1970 * 1000).rounded()))"
  }
  package var values: [String: PushPayload.Value] {
    LockItInPush.proposalReminder(proposal: proposal.id, minutesLeft: timeLeft.minutes).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    let time = Words.Fact.words(words.away(timeLeft))
    return NotificationText(
      title: proposal.visibility == .sharedWithName
        ? words("lockitin.proposal_reminder.title", ["event": .value(proposal.title), "time": time])
        : words("lockitin.proposal_reminder.title_unnamed", ["time": time]),
      body: words("lockitin.proposal_reminder.body", ["group": .value(proposal.group)]))
  }
}

/// How much others may learn about an event; the raw values are the column's.
package enum EventVisibility: String, Sendable {
  case sharedWithName = "shared_with_name"
  case busyOnly = "busy_only"
  case `private`

  /// The text that replaces an event's title; `nil` if the title is public.
  func headline(hiding name: String, in words: Words) -> Sentence? {
    switch self {
    case .sharedWithName: nil
    case .busyOnly: words("hidden.busy", ["name": .value(name)])
    case .private: words("hidden.private", ["name": .value(name)])
    }
  }
}
