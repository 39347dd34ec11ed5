import FoundationEssentials
import Postgres

@testable import ConflictDetected
@testable import EventConfirmed
@testable import FriendRequested
@testable import GroupInvited
@testable import ProposalCreated
@testable import ProposalUpdated
@testable import ProposalVoteCast

extension Simulation {
  func propose() async throws {
    let group = random.number(0..<groups.count)
    let (creator, id) = (random.pick(groups[group].members), random.uuid())
    let visibility = random.pick(["shared_with_name", "shared_with_name", "busy_only", "private"])
    let deadline = clock + Double(random.number(1..<40)) * 3_600
    let title = visibility == "shared_with_name" ? "Game Night" : "\(Self.secret) party"
    try await write(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline, visibility, notify_vote_cast, created_at,
        updated_at)
      VALUES (\(id), \(groups[group].id), \(creator), \(title), \(deadline), \(visibility), \(random.percent(60)),
        \(clock), \(clock))
      """)
    var proposal = Proposal(id: id, group: group, creator: creator, deadline: deadline, options: [])
    for _ in 0..<random.number(1..<4) { proposal.options.append(try await addOption(to: proposal)) }
    proposals.append(proposal)
    moments += [deadline - 7_200, deadline + 1]
    let record = try await row("event_proposals", id)
    try await hand(
      ProposalCreated.init, { RowEvent.event("INSERT", "event_proposals", record: record, id: $0) },
      by: [creator], to: groups[group].members)
  }

  private func addOption(to proposal: Proposal) async throws -> UUID {
    let id = random.uuid()
    let start = proposal.deadline + Double(random.number(1..<40)) * 3_600
    try await write(
      """
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
      VALUES (\(id), \(proposal.id), \(start), \(start + 7_200))
      """)
    return id
  }

  func voteOnProposal() async throws {
    guard let proposal = openProposal() else { return }
    let about = proposals[proposal]
    let voter = random.percent(25) ? about.creator : random.pick(groups[about.group].members)
    let option = random.pick(about.options)
    let find: SQL = """
      (SELECT row_to_json(v)::text FROM proposal_votes v WHERE option_id = \(option) AND user_id = \(voter))
      """
    let old = try await database.query("SELECT \(find) AS row").only()["row"]
    try await write(
      """
      INSERT INTO proposal_votes (id, proposal_id, option_id, user_id, vote, created_at, updated_at)
      VALUES (\(random.uuid()), \(about.id), \(option), \(voter), \(random.pick(["yes", "yes", "maybe", "no"])),
        \(clock), \(clock))
      ON CONFLICT (option_id, user_id) DO UPDATE SET vote = excluded.vote, updated_at = excluded.updated_at
      """)
    proposals[proposal].votedAt = clock
    let record: String = try await database.query("SELECT \(find) AS row").only().decode("row")
    try await hand(
      ProposalVoteCast.init,
      {
        RowEvent.event(
          old == nil ? "INSERT" : "UPDATE", "proposal_votes", record: record, oldRecord: old ?? "null", id: $0)
      }, by: [voter])
  }

  func changeOptions() async throws {
    guard let proposal = openProposal() else { return }
    let about = proposals[proposal]
    let old = try await row("event_proposals", about.id)
    proposals[proposal].options.append(try await addOption(to: about))
    proposals[proposal].votedAt = clock
    try await write(
      "UPDATE event_proposals SET options_version = options_version + 1, updated_at = \(clock) WHERE id = \(about.id)")
    let record = try await row("event_proposals", about.id)
    try await hand(
      ProposalUpdated.init,
      { RowEvent.event("UPDATE", "event_proposals", record: record, oldRecord: old, id: $0) }, by: [about.creator])
  }

  /// The app makes the event with the status, and does not always say that it is private.
  func confirm() async throws {
    guard let proposal = openProposal() else { return }
    let (about, id) = (proposals[proposal], random.uuid())
    let old = try await row("event_proposals", about.id)
    let option = random.pick(about.options)
    try await write("UPDATE event_proposals SET status = 'confirmed', updated_at = \(clock) WHERE id = \(about.id)")
    try await write(
      """
      INSERT INTO events (id, group_id, proposal_id, option_id, created_by, title, starts_at, ends_at, visibility)
      SELECT \(id), p.group_id, p.id, o.id, p.created_by, p.title, o.starts_at, o.ends_at,
        CASE WHEN \(random.percent(50)) THEN p.visibility ELSE 'shared_with_name' END
      FROM event_proposals p JOIN proposal_options o ON o.id = \(option) WHERE p.id = \(about.id)
      """)
    (proposals[proposal].isOpen, proposals[proposal].event) = (false, id)
    for member in groups[about.group].members where random.percent(60) {
      try await write(
        """
        INSERT INTO event_attendees (event_id, user_id, status, travel_minutes, travel_mode, traffic)
        VALUES (\(id), \(member), \(random.pick(["yes", "yes", "maybe", "no"])), \(random.pick([nil, 4, 25]) as Int?),
          'driving', 'light')
        """)
    }
    let start: Date = try await database.query("SELECT starts_at FROM events WHERE id = \(id)").only()
      .decode("starts_at")
    moments += [start - 86_400, start - 2_400, start - 1_800, start + 7_200 + 600]
    let claim = random.percent(50) ? random.pick(groups[about.group].members) : nil
    let record = try await row("event_proposals", about.id)
    try await hand(
      EventConfirmed.init,
      { RowEvent.event("UPDATE", "event_proposals", record: record, oldRecord: old, id: $0, actor: claim?.text) },
      by: [claim], to: groups[about.group].members)
  }

  func collide() async throws {
    guard let proposal = openProposal() else { return }
    let (about, id) = (proposals[proposal], random.uuid())
    let person = random.pick(groups[about.group].members)
    try await write(
      """
      INSERT INTO event_conflicts (id, proposal_id, user_id, existing_event_id, existing_title)
      VALUES (\(id), \(about.id), \(person), \(random.uuid()), \("HIDDEN from all but \(person.text)"))
      """)
    let record = try await row("event_conflicts", id)
    try await hand(
      ConflictDetected.init, { RowEvent.event("INSERT", "event_conflicts", record: record, id: $0) },
      to: [person, about.creator])
  }

  func befriend() async throws {
    let (one, other, id) = (random.pick(people), random.pick(people), random.uuid())
    try await write(
      """
      INSERT INTO friend_requests (id, requester_id, recipient_id, created_at)
      VALUES (\(id), \(one.id), \(other.id), \(clock))
      """)
    let record = try await row("friend_requests", id)
    try await hand(
      FriendRequested.init, { RowEvent.event("INSERT", "friend_requests", record: record, id: $0) },
      by: [one.id], to: [other.id])
  }

  func invite() async throws {
    let (one, other, group, id) = (random.pick(people), random.pick(people), random.pick(groups), random.uuid())
    try await write(
      """
      INSERT INTO group_invites (id, group_id, inviter_id, invitee_id, created_at)
      VALUES (\(id), \(group.id), \(one.id), \(other.id), \(clock))
      """)
    let record = try await row("group_invites", id)
    try await hand(
      GroupInvited.init, { RowEvent.event("INSERT", "group_invites", record: record, id: $0) },
      by: [one.id], to: [other.id])
  }

  private func openProposal() -> Int? {
    let open = proposals.indices.filter { proposals[$0].isOpen && proposals[$0].deadline > clock }
    return open.isEmpty ? nil : random.pick(open)
  }
}
