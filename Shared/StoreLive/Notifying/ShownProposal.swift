package import FoundationEssentials
import Notifications
package import Postgres
package import PushPayload

/// A proposal as a Live Activity shows it.
package struct ShownProposal: Sendable {
  package let attributes: ProposalActivityAttributes
  package let state: ProposalActivityAttributes.ContentState

  /// Whether votes still count.
  package var isOpen: Bool { state.status == .open }

  /// The proposals with these ids that are there.
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

  /// Whether a row of `live_activities` is one of LockItIn's about a proposal, and has not ended.
  package static func isRunning(_ row: SQL, of proposal: SQL) -> SQL {
    "\(row).subject_id = \(proposal)::text AND \(row).app = \(App.lockItIn.rawValue) AND \(row).ended_at IS NULL"
  }

  /// Whether a person wants an app's Live Activities; one who has not chosen does.
  package static func wantsActivities(of person: SQL, in app: SQL) -> SQL {
    """
    coalesce((SELECT w.is_enabled FROM activity_settings w WHERE w.user_id = \(person) AND w.app = \(app)), true)
    """
  }
}
