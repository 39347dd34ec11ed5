package import FoundationEssentials
package import Notifications
package import Postgres
package import PushPayload

/// A proposal as a Live Activity shows it.
package struct ShownProposal: ActivitySubject {
  package let attributes: ProposalActivityAttributes
  package let state: ProposalActivityAttributes.ContentState
  package var people: Int? { state.members }
  package static let app = App.lockItIn

  /// Updates are urgent in the last minutes before votes end.
  private static let urgent: TimeInterval = 15 * 60

  package func updatePriority(at now: Date) -> Int { state.deadline.timeIntervalSince(now) <= Self.urgent ? 10 : 5 }

  package static func all(
    _ ids: [UUID], at now: Date, _ transaction: Transaction
  ) async throws -> [UUID: ShownProposal] {
    guard !ids.isEmpty else { return [:] }
    let rows = try await transaction.pipeline([.shown(ids), .tallies(of: ids, "true")])
    var options: [UUID: [Choice]] = [:]
    for row in rows[1] { options[try row.decode("proposal_id"), default: []].append(try Choice(row)) }
    var shown: [UUID: ShownProposal] = [:]
    for row in rows[0] {
      let id: UUID = try row.decode("id")
      shown[id] = try ShownProposal(row, options[id] ?? [], at: now)
    }
    return shown
  }

  private init(_ row: Row, _ choices: [Choice], at now: Date) throws {
    let visibility = EventVisibility(column: row["visibility"])
    attributes = ProposalActivityAttributes(
      proposal: try row.decode("id"), group: try row.decode("group_id"),
      title: visibility == .sharedWithName ? row["title"] : nil, groupName: row["group_name"])
    let (deadline, chosen): (Date, Date?) = (try row.decode("deadline"), try row.optional("chosen"))
    let leader = choices.map(\.tally).leader?.option
    let isLeader: (Choice) -> Bool = { choice in
      chosen.map { choice.tally.startsAt == $0 } ?? (choice.tally.option == leader)
    }
    let options = choices.map(\.option).sorted { ($0.start, $0.id.uuidString) < ($1.start, $1.id.uuidString) }
    state = .init(
      status: Self.status(row["status"], isOver: deadline <= now), deadline: deadline,
      votes: try row.decode("votes"), members: try row.decode("members"),
      leader: choices.first(where: isLeader)?.option, options: options)
  }

  private static func status(_ word: String?, isOver: Bool) -> ProposalActivityAttributes.Status {
    switch word {
    case "open": isOver ? .closed : .open
    case "confirmed": .confirmed
    case "expired": .closed
    default: .cancelled
    }
  }

  package static func subject(of notification: SQL) -> SQL { "\(notification).proposal_id" }

  package static func isAbout(_ subject: UUID) -> SQL { "n.proposal_id = \(subject)" }

  package static func openUntil(_ subject: SQL) -> SQL {
    "(SELECT p.deadline FROM event_proposals p WHERE p.id = (\(subject))::uuid AND p.status = 'open')"
  }

  /// The members of its group may see it.
  package static func seen(_ subject: SQL, by person: SQL) -> SQL {
    """
    SELECT m.user_id, p.group_id AS scope_id, p.id AS proposal_id
    FROM event_proposals p JOIN group_members m ON m.group_id = p.group_id AND m.user_id = \(person)
    WHERE p.id = (\(subject))::uuid
    """
  }

  /// They get the number of voters that the activity did not say.
  package static func insteadOfActivity(about subject: UUID, on devices: [UUID], _ event: EventContext) -> SQL? {
    .pushLeftOutCount(on: subject, to: devices, event)
  }

  /// One proposed time with its votes.
  private struct Choice {
    let tally: OptionTally
    let option: ProposalActivityAttributes.Option

    init(_ row: Row) throws {
      tally = try OptionTally(row)
      option = ProposalActivityAttributes.Option(
        id: tally.option, start: tally.startsAt, end: try row.optional("ends_at"), yes: tally.yes, maybe: tally.maybe,
        no: try row.decode("no"))
    }
  }
}

extension SQL {
  /// `id, group_id, group_name, title, visibility, deadline, status, votes, members, chosen`; `chosen` is when the event
  /// starts that a proposal became.
  fileprivate static func shown(_ proposals: [UUID]) -> SQL {
    """
    SELECT p.id, p.group_id, g.name AS group_name, p.title, p.visibility, p.deadline, p.status,
      \(votes(on: "p")) AS votes, (SELECT count(*) FROM group_members m WHERE m.group_id = p.group_id) AS members,
      (
        SELECT min(e.starts_at) FROM events e
        WHERE p.status = 'confirmed' AND e.proposal_id = p.id AND e.status = 'confirmed'
      ) AS chosen
    FROM event_proposals p JOIN groups g ON g.id = p.group_id
    WHERE p.id = ANY (\(proposals))
    """
  }
}
