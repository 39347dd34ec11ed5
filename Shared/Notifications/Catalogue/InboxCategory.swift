/// The sections of LockItIn's inbox; the other apps' have none.
public enum InboxCategory: String, Sendable, CaseIterable {
  /// What asks for a vote.
  case pendingVotes = "pending_votes"
  /// Events that are settled, and when to go there.
  case upcoming
  /// What happened besides: requests, invitations, votes of others, conflicts, memories.
  case activity

  /// The section of a kind; `nil` for other apps' kinds.
  public init?(of kind: Kind) {
    guard kind.app == .lockItIn else { return nil }
    switch kind {
    case NewProposal.kind, OptionsChange.kind, DeadlineReminder.kind: self = .pendingVotes
    case EventConfirmation.kind, EventDayBefore.kind, EventStartingSoon.kind, TimeToLeave.kind: self = .upcoming
    default: self = .activity
    }
  }

  /// The kinds that stand in it.
  public var kinds: [Kind] { Kind.catalogue.filter { InboxCategory(of: $0) == self } }
}
