#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of LockItIn's pushes.
///
/// For a private event, the title is missing or replaced by a neutral text.
public enum LockItInPush: PushContent {
  /// `proposal_created`: somebody proposed an event, and votes count until the deadline.
  case proposalCreated(proposal: UUID, group: UUID?, title: String?, deadline: Date?)
  /// `vote_cast`: a member voted `yes`, `maybe` or `no` on the person's proposal.
  case voteCast(proposal: UUID, title: String?, voter: String?, vote: String?)
  /// `vote_count_update`: another time leads, which starts then; `available` of the group's `total` people can come.
  case leadingOptionChanged(proposal: UUID, option: UUID?, start: Date?, available: Int?, total: Int?)
  /// A background push without a type: how many people have voted on the proposal.
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
  /// `conflict_alert` to the person with another event at that time; the level is the app's own word.
  case conflict(proposal: UUID, existingEvent: UUID?, level: String?)
  /// `conflict_alert` to the organizer: a member has another event at that time.
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

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    self = Self.forms.content(type, values) ?? .other(type: type)
  }

  /// The app's own keys; times are ISO 8601 in UTC, to the second.
  public var values: [String: PushPayload.Value] {
    var (values, link) = Self.forms.written(self) ?? ([:], nil)
    if case .other(let type) = self { values.set("type", type) }
    values.set("deep_link", link?.url)
    return values
  }

  /// The proposal, event or group that it is about; the person's friends for a request; the inbox for a summary.
  public var link: DeepLink? { Self.forms.written(self)?.link }
}

extension LockItInPush {
  /// Every type with its keys; a conflict that names a member is the organizer's.
  static let forms: [PushForm<LockItInPush>] = [
    PushForm(
      "proposal_created", .proposal, "proposal_id", "group_id", "event_title", "deadline_timestamp",
      make: Self.proposalCreated
    ) { if case .proposalCreated(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil } },
    PushForm(
      "vote_cast", .proposal, "proposal_id", "event_title", "voter_name", "vote_type",
      make: Self.voteCast
    ) { if case .voteCast(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil } },
    PushForm(
      "vote_count_update", .proposal, "proposal_id", "time_option_id", "time_option_start", "available_count",
      "total_count", make: Self.leadingOptionChanged
    ) { if case .leadingOptionChanged(let a, let b, let c, let d, let e) = $0 { (a, b, c, d, e) } else { nil } },
    PushForm(
      nil, .none, "proposal_id", "vote_count",
      make: Self.voteCount
    ) { if case .voteCount(let a, let b) = $0 { (a, b) } else { nil } },
    PushForm(
      "proposal_reminder", .proposal, "proposal_id", "time_remaining_minutes",
      make: Self.proposalReminder
    ) { if case .proposalReminder(let a, let b) = $0 { (a, b) } else { nil } },
    PushForm(
      "proposal_updated", .proposal, "proposal_id", "event_title", "new_time_count",
      make: Self.proposalUpdated
    ) { if case .proposalUpdated(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    PushForm(
      "event_confirmed", .event, "event_id", "event_title", "event_time", "location",
      make: Self.eventConfirmed
    ) { if case .eventConfirmed(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil } },
    PushForm(
      "event_starting_soon", .event, "event_id", "event_title", "location", "time_until_event",
      make: Self.eventStartingSoon
    ) { if case .eventStartingSoon(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil } },
    PushForm(
      "event_day_before", .event, "event_id", "event_title", "location", "time_until_event",
      make: Self.eventDayBefore
    ) { if case .eventDayBefore(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil } },
    PushForm(
      "time_to_leave", .event, "event_id", "event_title", "travel_time_minutes", "traffic_level", "location_lat_lng",
      make: Self.timeToLeave
    ) { if case .timeToLeave(let a, let b, let c, let d, let e) = $0 { (a, b, c, d, e) } else { nil } },
    PushForm(
      "conflict_alert", .proposal, "conflicted_user_id", "conflicted_user_name", "proposal_id",
      make: Self.conflictOfMember
    ) { if case .conflictOfMember(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    PushForm(
      "conflict_alert", .proposal, "proposal_id", "existing_event_id", "conflict_level",
      make: Self.conflict
    ) { if case .conflict(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    PushForm(
      "friend_request", .fixed(.friends), "friend_request_id", "requester_id", "requester_name",
      make: Self.friendRequest
    ) { if case .friendRequest(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    PushForm(
      "group_invite", .group, "group_id", "group_name", "inviter_id", "inviter_name",
      make: Self.groupInvite
    ) { if case .groupInvite(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil } },
    PushForm(
      "memory_prompt", .event, "event_id", "event_title", "group_id",
      make: Self.memoryPrompt
    ) { if case .memoryPrompt(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    PushForm(
      "quiet_summary", .fixed(.inbox), "count",
      make: Self.quietSummary
    ) { if case .quietSummary(let a) = $0 { a } else { nil } },
  ]
}

extension PushForm<LockItInPush>.TapTarget {
  fileprivate static let proposal = Self.at("proposal_id", DeepLink.proposal)
  fileprivate static let event = Self.at("event_id", DeepLink.event)
  fileprivate static let group = Self.at("group_id", DeepLink.group)
}
