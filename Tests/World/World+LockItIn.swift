import FoundationEssentials
import FunctionKit
import TestSupport

extension World {
  mutating func propose() -> [Act] {
    let place = random.number(0..<groups.count)
    let (group, deadline) = (groups[place], clock + Double(random.number(1..<40)) * 3_600)
    let visibility = random.pick(["shared_with_name", "shared_with_name", "busy_only", "private"])
    let creator = random.pick(group.members)
    let row = Row(
      "event_proposals",
      [
        "id": random.id(), "group_id": group.id, "created_by": creator,
        "title": visibility == "shared_with_name" ? "Game Night" : "\(Self.secret) party",
        "deadline": RFC3339.string(deadline), "status": "open", "visibility": visibility, "created_at": time,
        "updated_at": time,
      ], ["options_version": "1", "notify_vote_cast": "\(random.percent(60))"])
    var proposal = Proposal(row: row, group: place, creator: creator, deadline: deadline, options: [])
    let options = (0..<random.number(1..<4)).map { _ in addOption(to: &proposal) }
    proposals.append(proposal)
    return [
      Act(
        [row.insertion] + options, Event("proposal-created", row), by: creator, to: group.members,
        moments: [deadline - 7_200, deadline + 1])
    ]
  }

  private mutating func addOption(to proposal: inout Proposal) -> String {
    let option = Option(id: random.id(), start: proposal.deadline + Double(random.number(1..<40)) * 3_600)
    proposal.options.append(option)
    return Row(
      "proposal_options",
      [
        "id": option.id, "proposal_id": proposal.id, "starts_at": RFC3339.string(option.start),
        "ends_at": RFC3339.string(option.start + 7_200), "created_at": time,
      ]
    ).insertion
  }

  mutating func voteOnProposal() -> [Act] {
    guard let place = openProposal(orLate: habits.votesLate) else { return [] }
    let about = proposals[place]
    let voter = random.percent(10) ? about.creator : random.pick(groups[about.group].members)
    let (option, answer) = (random.pick(about.options), random.pick(["yes", "yes", "maybe", "no"]))
    let claim = random.percent(10) ? person().id : nil
    proposals[place].votedAt = clock
    let given = proposalVotes.firstIndex { $0["option_id"] == option.id && $0["user_id"] == voter }
    if let given {
      let old = proposalVotes[given]
      let statement = proposalVotes[given].set(["vote": answer, "updated_at": time])
      let event = Event("proposal-vote-cast", proposalVotes[given], from: old, by: claim)
      return [Act([statement], event, by: claim ?? voter)]
    }
    let row = Row(
      "proposal_votes",
      [
        "id": random.id(), "proposal_id": about.id, "option_id": option.id, "user_id": voter, "vote": answer,
        "created_at": time, "updated_at": time,
      ])
    proposalVotes.append(row)
    return [Act([row.insertion], Event("proposal-vote-cast", row, by: claim), by: claim ?? voter)]
  }

  /// People who have voted have to vote again: the function deletes their votes, if they did not go with their options.
  mutating func changeOptions() -> [Act] {
    guard let place = openProposal() else { return [] }
    let old = proposals[place]
    var new = old
    let version = Int(old.row["options_version"] ?? "").map { "\($0 + 1)" }
    let statement = new.row.set(["options_version": version, "updated_at": time])
    var changes = [statement]
    switch random.number(0..<4) {
    // A further option, the other ones, or one at another time.
    case 0: changes.append(addOption(to: &new))
    case 1:
      let moved = random.number(0..<new.options.count)
      new.options[moved].start += Double(random.number(1..<30)) * 3_600
      let start = RFC3339.string(new.options[moved].start)
      changes.append("UPDATE proposal_options SET starts_at = '\(start)' WHERE id = '\(new.options[moved].id)'")
    default:
      let gone = random.percent(50) ? new.options : [random.pick(new.options)]
      new.options.removeAll { option in gone.contains { $0.id == option.id } }
      changes.append(addOption(to: &new))
      changes += gone.map { "DELETE FROM proposal_options WHERE id = '\($0.id)'" }
    }
    changes.shuffle(using: &random)
    new.votedAt = clock
    proposals[place] = new
    let voters = proposalVotes.filter { $0["proposal_id"] == old.id }.map { $0["user_id"] }
    proposalVotes.removeAll { $0["proposal_id"] == old.id }
    return [
      Act(changes, Event("proposal-updated", new.row, from: old.row), by: old.creator, to: voters)
    ]
  }

  /// Somebody takes a vote back; nobody is told of that.
  mutating func withdrawVote() -> [Act] {
    guard !proposalVotes.isEmpty else { return [] }
    let vote = proposalVotes.remove(at: place(among: proposalVotes.count))
    for index in proposals.indices where proposals[index].id == vote["proposal_id"] { proposals[index].votedAt = clock }
    return [Act(["DELETE FROM proposal_votes WHERE id = '\(vote.id)'"])]
  }

  /// The app computes somebody's conflicts with a proposal again: some are over, the others are written anew.
  mutating func computeConflicts() -> [Act] {
    guard !conflicts.isEmpty else { return [] }
    let place = place(among: conflicts.count)
    let old = conflicts[place]
    let deletion = "DELETE FROM event_conflicts WHERE id = '\(old.id)'"
    guard random.percent(70) else {
      conflicts.remove(at: place)
      return [Act([deletion])]
    }
    var new = old
    _ = new.set(["id": random.id()])
    conflicts[place] = new
    return [Act([deletion, new.insertion], Event("conflict-detected", new))]
  }

  /// The app makes the event with the status, and does not always say that it is private.
  mutating func confirm() -> [Act] {
    guard let place = openProposal() else { return [] }
    let (old, group) = (proposals[place], groups[proposals[place].group])
    let statement = proposals[place].row.set(["status": "confirmed", "updated_at": time])
    let (option, id) = (random.pick(old.options), random.id())
    let event = Row(
      "events",
      [
        "id": id, "group_id": group.id, "proposal_id": old.id, "option_id": option.id, "created_by": old.creator,
        "title": old.row["title"], "starts_at": RFC3339.string(option.start),
        "ends_at": RFC3339.string(option.start + 7_200),
        "visibility": random.percent(50) ? old.row["visibility"] : "shared_with_name", "created_at": time,
        "updated_at": time,
      ])
    let attendees = group.members.filter { _ in random.percent(60) }.map { member in
      Row(
        "event_attendees",
        [
          "event_id": id, "user_id": member, "status": random.pick(["yes", "yes", "maybe", "no"]),
          "travel_minutes": random.pick([nil, "4", "25"]), "travel_mode": "driving", "traffic": "light",
          "updated_at": time,
        ])
    }
    let claim = random.percent(50) ? random.pick(group.members) : nil
    let (start, end) = (option.start, option.start + 7_200)
    return [
      Act(
        [statement] + ([event] + attendees).map(\.insertion),
        Event("event-confirmed", proposals[place].row, from: old.row, by: claim), by: claim, to: group.members,
        moments: [start - 86_400, start - 2_400, start - 1_800, end + 600])
    ]
  }

  mutating func collide() -> [Act] {
    guard let place = openProposal() else { return [] }
    let about = proposals[place]
    let person = random.pick(groups[about.group].members)
    let row = Row(
      "event_conflicts",
      [
        "id": random.id(), "proposal_id": about.id, "user_id": person, "existing_event_id": random.id(),
        "existing_title": "HIDDEN from all but \(person)", "created_at": time,
      ])
    conflicts.append(row)
    return [Act([row.insertion], Event("conflict-detected", row), to: [person, about.creator])]
  }

  mutating func befriend() -> [Act] {
    request("friend_requests", "friend-requested", ["requester_id": person().id, "recipient_id": person().id])
  }

  mutating func invite() -> [Act] {
    let group = random.pick(groups).id
    return request(
      "group_invites", "group-invited", ["inviter_id": person().id, "invitee_id": person().id, "group_id": group])
  }

  private mutating func request(_ table: String, _ function: String, _ people: Row.Columns) -> [Act] {
    let row = Row(table, people).with([
      "id": random.id(), "status": "pending", "created_at": time, "updated_at": time,
    ])
    let (one, other) = (people[0].value, people[1].value)
    requests.append(Request(row: row, recipient: other ?? ""))
    return [Act([row.insertion], Event(function, row), by: one, to: [other])]
  }

  mutating func answer() -> [Act] {
    guard !requests.isEmpty else { return [] }
    let place = random.number(0..<requests.count)
    let old = requests[place].row
    let statement = requests[place].row.set(["status": random.pick(["accepted", "declined"]), "updated_at": time])
    return [Act([statement], Event("action-completed", requests[place].row, from: old))]
  }

  private mutating func openProposal(orLate: Bool = false) -> Int? {
    let open = proposals.indices.filter { orLate || proposals[$0].isOpen && proposals[$0].deadline > clock }
    return open.isEmpty ? nil : open[place(among: open.count, last: 1)]
  }

  /// The options with the most yes, then the most maybe; of several, the one that got there first leads.
  package func leaders(of proposal: Proposal) -> [String] {
    let members = groups[proposal.group].members
    var counts: [String: (yes: Int, maybe: Int)] = [:]
    for vote in proposalVotes where vote["proposal_id"] == proposal.id && members.contains(vote["user_id"] ?? "") {
      let option = vote["option_id"] ?? ""
      if vote["vote"] == "yes" { counts[option, default: (0, 0)].yes += 1 }
      if vote["vote"] == "maybe" { counts[option, default: (0, 0)].maybe += 1 }
    }
    let most = counts.values.max { $0 < $1 } ?? (0, 0)
    return most.yes > 0 ? counts.filter { $0.value == most }.map(\.key) : []
  }
}
