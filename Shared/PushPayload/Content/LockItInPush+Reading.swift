#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension LockItInPush {
  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    let read =
      values.uuid("proposal_id").flatMap { Self(type, proposal: $0, values) }
      ?? values.uuid("event_id").flatMap { Self(type, event: $0, values) }
      ?? Self(type, others: values)
    self = read ?? .other(type: type)
  }

  private init?(_ type: String?, proposal id: UUID, _ values: [String: PushPayload.Value]) {
    let title = values.text("event_title")
    switch type {
    case "proposal_created":
      let deadline = values.date("deadline_timestamp")
      self = .proposalCreated(proposal: id, group: values.uuid("group_id"), title: title, deadline: deadline)
    case "vote_cast":
      self = .voteCast(
        proposal: id, title: title, voter: values.text("voter_name"), vote: values.text("vote_type"))
    case "vote_count_update":
      self = .leadingOptionChanged(
        proposal: id, option: values.uuid("time_option_id"), available: values.integer("available_count"),
        total: values.integer("total_count"))
    case "proposal_reminder":
      self = .proposalReminder(proposal: id, minutesLeft: values.integer("time_remaining_minutes"))
    case "proposal_updated":
      self = .proposalUpdated(proposal: id, title: title, optionCount: values.integer("new_time_count"))
    case "conflict_alert":
      if let member = values.uuid("conflicted_user_id") {
        self = .conflictOfMember(member, name: values.text("conflicted_user_name"), proposal: id)
      } else {
        self = .conflict(
          proposal: id, existingEvent: values.uuid("existing_event_id"), level: values.text("conflict_level"))
      }
    case nil:
      guard let count = values.integer("vote_count") else { return nil }
      self = .voteCount(proposal: id, count: count)
    default: return nil
    }
  }

  private init?(_ type: String?, event id: UUID, _ values: [String: PushPayload.Value]) {
    let title = values.text("event_title")
    let location = values.text("location")
    let minutes = values.integer("time_until_event")
    switch type {
    case "event_confirmed":
      self = .eventConfirmed(event: id, title: title, start: values.date("event_time"), location: location)
    case "event_starting_soon":
      self = .eventStartingSoon(event: id, title: title, location: location, minutesLeft: minutes)
    case "event_day_before":
      self = .eventDayBefore(event: id, title: title, location: location, minutesLeft: minutes)
    case "time_to_leave":
      self = .timeToLeave(
        event: id, title: title, travelMinutes: values.integer("travel_time_minutes"),
        traffic: values.text("traffic_level"), coordinate: values.text("location_lat_lng"))
    case "memory_prompt":
      self = .memoryPrompt(event: id, title: title, group: values.uuid("group_id"))
    default: return nil
    }
  }

  private init?(_ type: String?, others values: [String: PushPayload.Value]) {
    switch type {
    case "friend_request":
      guard let id = values.uuid("friend_request_id") else { return nil }
      self = .friendRequest(id, from: values.uuid("requester_id"), name: values.text("requester_name"))
    case "group_invite":
      guard let id = values.uuid("group_id") else { return nil }
      self = .groupInvite(
        group: id, name: values.text("group_name"), inviter: values.uuid("inviter_id"),
        inviterName: values.text("inviter_name"))
    case "quiet_summary":
      guard let count = values.integer("count") else { return nil }
      self = .quietSummary(count: count)
    default: return nil
    }
  }
}
