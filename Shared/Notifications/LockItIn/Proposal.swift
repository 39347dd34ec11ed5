public import FoundationEssentials
public import PushPayload

/// A proposal as LockItIn's notices tell of it.
public struct Proposal: Sendable, Equatable {
  /// Its id.
  public let id: UUID
  /// The event's title.
  public let title: String
  /// The name of the person who proposed it.
  public let proposer: String
  /// Its group's id.
  public let groupID: UUID
  /// The name of its group.
  public let group: String
  /// Until when votes count.
  public let deadline: Date
  /// What may be said of it.
  public let visibility: EventVisibility

  /// A proposal from its parts.
  public init(
    id: UUID, title: String, proposer: String, groupID: UUID, group: String, deadline: Date,
    visibility: EventVisibility
  ) {
    (self.id, self.title, self.proposer, self.groupID, self.group) = (id, title, proposer, groupID, group)
    (self.deadline, self.visibility) = (deadline, visibility)
  }
}

/// A proposal's deadline is near, and the person has not voted.
public struct DeadlineReminder: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "proposal_reminder", importance: .actionRequired, preference: .votingDeadline,
    category: "PROPOSAL_NOTIFICATION")

  /// Reminders go out when at most this much time is left.
  public static let window: TimeInterval = 2 * 3600
  /// Nobody is reminded within this time of their push about the proposal's creation.
  ///
  /// Its proposer is not reminded within this time of the creation itself.
  public static let pauseAfterCreation: TimeInterval = 30 * 60

  let proposal: Proposal
  let timeLeft: TimeLeft

  /// A reminder of a proposal.
  public init(of proposal: Proposal, at now: Date) {
    self.proposal = proposal
    timeLeft = TimeLeft(seconds: proposal.deadline.timeIntervalSince(now))
  }

  /// The proposal.
  public var subject: Subject { .proposal(proposal.id) }
  /// When votes no longer count.
  public var deadline: Date? { proposal.deadline }
  /// Once for each proposal and deadline, so that a moved one reminds again.
  public var dedupeKey: String? {
    "\(Self.kind.name)/\(subject.id)/\(Int((proposal.deadline.timeIntervalSince1970 * 1000).rounded()))"
  }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    [
      "type": .string(Self.kind.name), "proposal_id": .string(subject.id),
      "time_remaining_minutes": .integer(timeLeft.minutes), "deep_link": .string(DeepLink.proposal(proposal.id).url),
    ]
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let hidden = proposal.visibility.headline(hiding: proposal.proposer)
    let title = hidden ?? "\(proposal.title) voting closes \(timeLeft.text)"
    return NotificationText(title: title, body: "\(proposal.group) needs your response")
  }
}

/// What may be said of an event; the raw values are the column's.
public enum EventVisibility: String, Sendable {
  case sharedWithName = "shared_with_name"
  case busyOnly = "busy_only"
  case `private`

  /// What is said instead of an event's title; `nil` where the title may be said.
  func headline(hiding name: String) -> String? {
    switch self {
    case .sharedWithName: nil
    case .busyOnly: "\(name) is busy during this time"
    case .private: "\(name) updated their availability"
    }
  }
}
