#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What LockItIn's pushes are about.
///
/// The title of a private event is missing, or is the text that may be said instead of it.
public enum LockItInPush: PushContent {
  /// `proposal_created`: somebody proposed an event, and votes count until the deadline.
  case proposalCreated(proposal: UUID, group: UUID?, title: String?, deadline: Date?)
  /// `vote_cast`: somebody voted `yes`, `maybe` or `no` on the person's proposal.
  case voteCast(proposal: UUID, title: String?, voter: String?, vote: String?)
  /// `vote_count_update`: another time option leads; `available` of the group's `total` people can come then.
  case leadingOptionChanged(proposal: UUID, option: UUID?, available: Int?, total: Int?)
  /// In the background, without a type: how many people have voted on the proposal.
  case voteCount(proposal: UUID, count: Int)
  /// `proposal_reminder`: the vote closes soon.
  case proposalReminder(proposal: UUID, minutesLeft: Int?)
  /// `proposal_updated`: the time options changed, and votes were reset.
  case proposalUpdated(proposal: UUID, title: String?, optionCount: Int?)
  /// `event_confirmed`: the group meets.
  case eventConfirmed(event: UUID, title: String?, start: Date?, location: String?)
  /// `event_starting_soon`: an event is half an hour away.
  case eventStartingSoon(event: UUID, title: String?, location: String?, minutesLeft: Int?)
  /// `event_day_before`: an event is a day away.
  case eventDayBefore(event: UUID, title: String?, location: String?, minutesLeft: Int?)
  /// `time_to_leave`: how long the way takes; the coordinate is `latitude,longitude`.
  case timeToLeave(event: UUID, title: String?, travelMinutes: Int?, traffic: String?, coordinate: String?)
  /// `conflict_alert` to the person whose calendar has another event then; the level is the app's own word.
  case conflict(proposal: UUID, existingEvent: UUID?, level: String?)
  /// `conflict_alert` to the organizer: a member has another event then.
  case conflictOfMember(UUID, name: String?, proposal: UUID)
  /// `friend_request`: somebody wants to become friends.
  case friendRequest(UUID, from: UUID?, name: String?)
  /// `group_invite`: the person was added to a group.
  case groupInvite(group: UUID, name: String?, inviter: UUID?, inviterName: String?)
  /// `memory_prompt`: an event is over and asks for photos.
  case memoryPrompt(event: UUID, title: String?, group: UUID?)
  /// `quiet_summary`: how many things waited for the end of the person's quiet hours.
  case quietSummary(count: Int)
  /// A type that this version does not know, one without the ids that it needs, or no type at all.
  case other(type: String?)

  /// The proposal, event or group that it is about, the person's friends for a request, and the inbox for a summary.
  public var link: DeepLink? {
    switch self {
    case .proposalCreated(let id, _, _, _), .voteCast(let id, _, _, _), .leadingOptionChanged(let id, _, _, _),
      .proposalReminder(let id, _), .proposalUpdated(let id, _, _), .conflict(let id, _, _),
      .conflictOfMember(_, _, let id):
      .proposal(id)
    case .eventConfirmed(let id, _, _, _), .eventStartingSoon(let id, _, _, _), .eventDayBefore(let id, _, _, _),
      .timeToLeave(let id, _, _, _, _), .memoryPrompt(let id, _, _):
      .event(id)
    case .groupInvite(let id, _, _, _): .group(id)
    case .friendRequest: .friends
    case .quietSummary: .inbox
    case .voteCount, .other: nil
    }
  }
}
