extension LockItInPush {
  /// The app's own keys; times are ISO 8601 in UTC, to the second.
  public var values: [String: PushPayload.Value] {
    var values = people
    values.set("type", type)
    values.set("deep_link", link?.url)
    switch link {
    case .proposal(let id): values.set("proposal_id", id)
    case .event(let id): values.set("event_id", id)
    case .group(let id): values.set("group_id", id)
    default: break
    }
    return values
  }

  private var type: String? {
    switch self {
    case .proposalCreated: "proposal_created"
    case .voteCast: "vote_cast"
    case .leadingOptionChanged: "vote_count_update"
    case .proposalReminder: "proposal_reminder"
    case .proposalUpdated: "proposal_updated"
    case .eventConfirmed: "event_confirmed"
    case .eventStartingSoon: "event_starting_soon"
    case .eventDayBefore: "event_day_before"
    case .timeToLeave: "time_to_leave"
    case .conflict, .conflictOfMember: "conflict_alert"
    case .friendRequest: "friend_request"
    case .groupInvite: "group_invite"
    case .memoryPrompt: "memory_prompt"
    case .quietSummary: "quiet_summary"
    case .voteCount: nil
    case .other(let type): type
    }
  }

  private var people: [String: PushPayload.Value] {
    var values = proposals
    switch self {
    case .conflict(_, let existing, let level):
      values.set("existing_event_id", existing)
      values.set("conflict_level", level)
    case .conflictOfMember(let member, let name, _):
      values.set("conflicted_user_id", member)
      values.set("conflicted_user_name", name)
    case .friendRequest(let id, let requester, let name):
      values.set("friend_request_id", id)
      values.set("requester_id", requester)
      values.set("requester_name", name)
    case .groupInvite(_, let name, let inviter, let inviterName):
      values.set("group_name", name)
      values.set("inviter_id", inviter)
      values.set("inviter_name", inviterName)
    case .quietSummary(let count): values.set("count", count)
    default: break
    }
    return values
  }

  private var proposals: [String: PushPayload.Value] {
    var values = events
    switch self {
    case .proposalCreated(_, let group, let title, let deadline):
      values.set("group_id", group)
      values.set("event_title", title)
      values.set("deadline_timestamp", deadline)
    case .voteCast(_, let title, let voter, let vote):
      values.set("event_title", title)
      values.set("voter_name", voter)
      values.set("vote_type", vote)
    case .leadingOptionChanged(_, let option, let available, let total):
      values.set("time_option_id", option)
      values.set("available_count", available)
      values.set("total_count", total)
    case .voteCount(let id, let count):
      values.set("proposal_id", id)
      values.set("vote_count", count)
    case .proposalReminder(_, let minutes): values.set("time_remaining_minutes", minutes)
    case .proposalUpdated(_, let title, let count):
      values.set("event_title", title)
      values.set("new_time_count", count)
    default: break
    }
    return values
  }

  private var events: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [:]
    switch self {
    case .eventConfirmed(_, let title, let start, let location):
      values.set("event_title", title)
      values.set("event_time", start)
      values.set("location", location)
    case .eventStartingSoon(_, let title, let location, let minutes),
      .eventDayBefore(_, let title, let location, let minutes):
      values.set("event_title", title)
      values.set("location", location)
      values.set("time_until_event", minutes)
    case .timeToLeave(_, let title, let minutes, let traffic, let coordinate):
      values.set("event_title", title)
      values.set("travel_time_minutes", minutes)
      values.set("traffic_level", traffic)
      values.set("location_lat_lng", coordinate)
    case .memoryPrompt(_, let title, let group):
      values.set("event_title", title)
      values.set("group_id", group)
    default: break
    }
    return values
  }
}
