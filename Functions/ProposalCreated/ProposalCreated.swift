import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Asks a group's members for their votes on a new proposal.
@main
struct ProposalCreated: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
  }

  static let summary = "Asks the group's members to vote on a new proposal (insert into event_proposals)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let row = try event.data.inserted(into: "event_proposals")
    let eventContext = EventContext(event, context)
    let result = try await store.notify(eventContext) { database -> Announcement<NewProposal>? in
      guard let (proposal, proposer) = try await database.proposal(row.id) else { return nil }
      let members = try await database.memberCount(around: proposal.id)
      let notice = NewProposal(proposal, members: members, at: eventContext.now)
      return Announcement(notice, about: proposal, except: proposer, at: eventContext.now)
    }
    return try result.json
  }
}
