import FoundationEssentials
import World

/// LockItIn's words.
extension ToldPush {
  func isOfLockItIn(in language: ToldLanguage, at wall: Int?) -> Bool {
    switch kind {
    case "friend_request":
      let asker = world.requests.first { $0.id == subject }.flatMap { world.name(of: $0.asker) }
      return says(title, "title", ["name": asker], in: language) && says(body, "body", in: language)
    case "group_invite":
      let group = world.groups.firstIndex { $0.id == subject }.map { "Group \($0)" }
      let askers = world.requests.filter { $0.subject == subject && $0.recipient == user }.map(\.asker)
      return says(title, "title", ["group": group], in: language)
        && askers.contains { says(body, "body", ["name": world.name(of: $0)], in: language) }
    case "event_confirmed":
      guard let wall, let proposal else { return false }
      return names(proposal, title, "title", in: language)
        && language.says(
          body, "lockitin.event_confirmed.body", ["weekday": language.weekday(wall), "time": language.time(wall)])
    case "event_day_before", "event_starting_soon", "time_to_leave", "memory_prompt":
      return proposal.map { isOfAnEvent(of: $0, in: language) } ?? false
    default: return proposal.map { isOfAProposal($0, in: language, at: wall) } ?? false
    }
  }

  private func isOfAProposal(_ proposal: World.Proposal, in language: ToldLanguage, at wall: Int?) -> Bool {
    let creator = world.name(of: proposal.creator)
    switch kind {
    case "proposal_created":
      // A push goes out as it was decided for a minute.
      let left = proposal.deadline.timeIntervalSince(world.clock)
      let seconds = stride(from: left, through: left + Simulation.timeLimit + 30, by: 15).map(\.self)
      let (away, amount) = (language.away(seconds), language.amount(seconds))
      let bodies: [(String, [String: ToldLanguage.Fact])] = [
        ("body", ["time": away]), ("body_urgency", ["amount": amount]),
        ("body_event", ["event": language.value(proposal.publicTitle ?? ""), "amount": amount]),
      ]
      return names(proposal, title, "title", ["name": creator], in: language)
        && (bodies.contains { language.says(body, "lockitin.proposal_created.\($0)", $1) }
          || (1..<7).contains { language.says(body, "lockitin.proposal_created.body_names", of: $0) })
    case "vote_cast":
      let vote = text("vote_type") ?? ""
      let isNewest = names(proposal, body, "body", in: language)
      if says(title, "title_\(vote)", ["name": text("voter_name")], in: language), isNewest { return true }
      let subject = proposal.publicTitle.map { ["subject": language.value($0)] }
      let title = "several.proposal_votes.title\(subject == nil ? "" : "_named")"
      return language.count(self.title, title, subject ?? [:], from: 2) != nil
        && language.lists(body, world.people.map(\.name))
    case "vote_count_update":
      guard let wall, let available = number("available_count"), let members = number("total_count") else {
        return false
      }
      let numbers = ["available": available, "members": members]
      return language.says(title, "lockitin.vote_count_update.title", ["slot": language.slot(wall)])
        && language.says(
          body, "lockitin.vote_count_update.body", numbers.mapValues { .one(of: [language.number($0)]) })
    case "proposal_updated": return names(proposal, title, "title", in: language) && says(body, "body", in: language)
    case "proposal_reminder":
      guard let minutes = number("time_remaining_minutes") else { return false }
      let facts = ["time": language.away(Self.moments(minutes))].merging(
        proposal.publicTitle.map { ["event": language.value($0)] } ?? [:]
      ) { $1 }
      let form = proposal.publicTitle == nil ? "title_unnamed" : "title"
      return language.says(title, "lockitin.proposal_reminder.\(form)", facts)
        && says(body, "body", ["group": proposal.groupName], in: language)
    case "conflict_alert": return isConflict(with: proposal, in: language)
    default: return false
    }
  }

  private func isOfAnEvent(of proposal: World.Proposal, in language: ToldLanguage) -> Bool {
    let (event, suffix) = (proposal.publicTitle, proposal.publicTitle == nil ? "_unnamed" : "")
    var facts = event.map { ["event": language.value($0)] } ?? [:]
    let minutes = number("time_until_event") ?? 0
    switch kind {
    case "event_day_before":
      facts["time"] = language.away(Self.moments(minutes))
      return language.says(title, "lockitin.event_day_before.title\(suffix)", facts) && body == proposal.groupName
    case "event_starting_soon":
      facts["time"] = language.away(minutes: minutes)
      let form = minutes == 0 ? "title_now" : "title"
      return language.says(title, "lockitin.event_starting_soon.\(form)\(suffix)", facts)
        && body == proposal.groupName
    case "time_to_leave":
      guard let travel = number("travel_time_minutes") else { return false }
      let parts = body.split(separator: " • ").map(String.init)
      return language.says(title, "lockitin.time_to_leave.title\(suffix)", facts) && parts.count == 2
        && language.says(
          parts[0], "lockitin.time_to_leave.body_mode",
          ["amount": language.minutes(travel), "mode": language.value("driving")])
        && parts[1] == language.text("lockitin.time_to_leave.traffic.light")
    default:
      return language.says(title, "lockitin.memory_prompt.title\(suffix)", facts) && says(body, "body", in: language)
    }
  }

  private func isConflict(with proposal: World.Proposal, in language: ToldLanguage) -> Bool {
    let ownBody = proposal.publicTitle.map { event in
      says(body, "body", ["event": event, "other": "HIDDEN from all but \(user)"], in: language)
    }
    if says(title, "title", in: language) { return ownBody ?? isHidden(proposal, body, in: language) }
    let people = world.people.contains { says(title, "organizer_title", ["name": $0.name], in: language) }
    let areSeveral = language.count(title, "several.conflicts.title", from: 2) != nil
    if areSeveral, ownBody ?? isHidden(proposal, body, in: language) { return true }
    guard people || areSeveral else { return false }
    let suffix = proposal.publicTitle == nil ? "_unnamed" : ""
    let event = proposal.publicTitle.map { ["event": language.value($0)] } ?? [:]
    return language.says(body, "lockitin.conflict_alert.organizer_body\(suffix)", event)
      || (0..<7).contains { day in
        let facts = event.merging(["weekday": language.weekday(day * 86_400)]) { $1 }
        return language.says(body, "lockitin.conflict_alert.organizer_body_day\(suffix)", facts)
      }
  }

  /// Whether a part is the kind's text, or what stands there for a hidden event.
  private func names(
    _ proposal: World.Proposal, _ told: String, _ part: String, _ facts: [String: String?] = [:],
    in language: ToldLanguage
  ) -> Bool {
    guard let event = proposal.publicTitle else { return isHidden(proposal, told, in: language) }
    return says(told, part, facts.merging(["event": event]) { $1 }, in: language)
  }

  private func isHidden(_ proposal: World.Proposal, _ told: String, in language: ToldLanguage) -> Bool {
    let name = proposal.visibility == "private" ? "hidden.private" : "hidden.busy"
    return world.name(of: proposal.creator).map { language.says(told, name, ["name": language.value($0)]) } ?? false
  }

  private func says(
    _ told: String, _ part: String, _ facts: [String: String?] = [:], in language: ToldLanguage
  ) -> Bool {
    language.says(told, "lockitin.\(kind).\(part)", facts.compactMapValues { $0.map(language.value) })
  }

  /// The seconds that are rounded to a number of minutes.
  private static func moments(_ minutes: Int) -> [Double] {
    [-29.9, 0, 29.9].map { Double(minutes) * 60 + $0 }
  }
}
