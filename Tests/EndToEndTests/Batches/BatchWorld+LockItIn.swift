import Foundation
import FunctionKit

extension BatchWorld {
  /// A proposal, a friend request or an invitation, with the notifications that ask for an answer.
  mutating func addLockItIn() {
    let group = random.pick(groups)
    let proposal = Proposal(
      id: random.id(), group: group, options: (0..<random.number(1..<4)).map { _ in random.id() })
    let deadline = RFC3339.string(clock + Double(random.number(1..<40) * 3_600))
    insert(
      into: "event_proposals",
      [
        "id": proposal.id, "group_id": group.id, "created_by": random.pick(group.members), "title": "Game Night",
        "deadline": deadline, "status": random.pick(["open", "open", "open", "confirmed"]), "created_at": time,
        "visibility": random.pick(["shared_with_name", "private"]), "updated_at": time,
      ], ["notify_vote_cast": "\(random.percent(60))"])
    for option in proposal.options {
      insert(
        into: "proposal_options",
        ["id": option, "proposal_id": proposal.id, "starts_at": deadline, "ends_at": deadline, "created_at": time])
    }
    proposals.append(proposal)
    guard function == "action-completed" else { return }
    for member in group.members where random.percent(80) {
      addEntry(for: member, "lockitin", "proposal_created", ["proposal_id": proposal.id, "subject_id": proposal.id])
    }
    addRequests(group)
    for _ in 0..<4 {
      addEntry(for: person().id, random.pick(["feedbackkit", "mugshot", "repairminder"]), "like", [:], isOwn: true)
    }
  }

  private mutating func addRequests(_ group: Group) {
    let (one, other) = (person().id, person().id)
    let request = random.id()
    let row = insert(
      into: "friend_requests",
      ["id": request, "requester_id": one, "recipient_id": other, "created_at": time, "updated_at": time])
    addEntry(for: other, "lockitin", "friend_request", ["friend_request_id": request, "subject_id": request])
    requests.append(Request(table: "friend_requests", row: row, id: request))
    let invite = random.id()
    let invitation = insert(
      into: "group_invites",
      [
        "id": invite, "group_id": group.id, "inviter_id": one, "invitee_id": other, "created_at": time,
        "updated_at": time,
      ])
    addEntry(for: other, "lockitin", "group_invite", ["subject_id": group.id])
    requests.append(Request(table: "group_invites", row: invitation, id: invite))
  }

  /// An entry as a function leaves it, with what waits of it.
  ///
  /// - Parameter isOwn: whether acts may report that it was read.
  private mutating func addEntry(
    for person: String, _ app: String, _ type: String, _ columns: [String: String], isOwn: Bool = false
  ) {
    let id = random.id()
    let row = insert(
      into: "notifications",
      [
        "id": id, "user_id": person, "app": app, "type": type, "title": "Title", "body": "Body",
        "origin": "function", "function": "earlier", "source": "/db", "source_event_id": id,
        "subject_id": columns["subject_id"], "proposal_id": columns["proposal_id"],
        "friend_request_id": columns["friend_request_id"], "payload": "{}", "collapse_id": id, "created_at": time,
        "updated_at": time, "push_expires_at": RFC3339.string(clock + 86_400),
        "expires_at": RFC3339.string(clock + 2_592_000),
      ])
    if isOwn { entries.append(Entry(id: id, row: row)) }
    if random.percent(25) {
      insert(
        into: "held_notifications",
        [
          "notification_id": id, "user_id": person, "app": app,
          "reason": random.pick(["quiet_hours", "rate_limited", "snoozed", "batched"]),
          "held_until": RFC3339.string(clock + Double(random.number(60..<40_000))), "held_since": time,
        ])
    } else if random.percent(80) {
      let state = random.pick(["queued", "queued", "accepted"])
      write(
        """
        INSERT INTO deliveries (id, notification_id, device_token_id, user_id, app, provider, state, not_before,
          expires_at, created_at, updated_at)
        SELECT md5(id || '\(id)')::uuid, '\(id)', id, user_id, app, provider, '\(state)', '\(time)',
          '\(time)'::timestamptz + interval '1 day', '\(time)', '\(time)'
        FROM device_tokens WHERE user_id = '\(person)' AND app = '\(app)'
        """)
    }
  }

  mutating func voteOnProposal(writes: Bool) {
    let proposal = random.percent(focus) ? proposals[0] : random.pick(proposals)
    let (option, person) = (random.pick(proposal.options), random.pick(proposal.group.members))
    let answer = random.pick(["yes", "yes", "maybe", "no"])
    let claim = random.percent(10) ? self.person().id : nil
    let place = proposalVotes.firstIndex { $0.option == option && $0.person == person }
    if writes, let place {
      let old = proposalVotes[place]
      (proposalVotes[place].vote, proposalVotes[place].updatedAt) = (answer, time)
      write("UPDATE proposal_votes SET vote = '\(answer)', updated_at = '\(time)' WHERE id = '\(old.id)'")
      tell("UPDATE", "proposal_votes", Self.row(proposalVotes[place]), old: Self.row(old), by: claim)
      return
    }
    let vote = ProposalVote(
      id: random.id(), proposal: proposal.id, option: option, person: person, vote: answer, createdAt: time,
      updatedAt: time)
    insert(
      into: "proposal_votes",
      [
        "id": vote.id, "proposal_id": proposal.id, "option_id": option, "user_id": person, "vote": answer,
        "created_at": time, "updated_at": time,
      ], writes: writes)
    if writes { proposalVotes.append(vote) }
    tell("INSERT", "proposal_votes", Self.row(vote), by: claim)
  }

  private static func row(_ vote: ProposalVote) -> String {
    """
    {"id":"\(vote.id)","proposal_id":"\(vote.proposal)","option_id":"\(vote.option)","user_id":"\(vote.person)",\
    "vote":"\(vote.vote)","created_at":"\(vote.createdAt)","updated_at":"\(vote.updatedAt)"}
    """
  }
}
