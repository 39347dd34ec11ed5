import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies the proposer of a vote, and the voters of a new lead.
///
/// The voters' devices get the number of voters, also when a vote is deleted.
@main
struct ProposalVoteCast: BatchNotifyingFunction {
  typealias Payload = RowChange<Row>

  static let summary = "Tells the proposer of a vote and the voters of a new lead (any change of proposal_votes)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func request(_ event: Event<RowChange<Row>>, _ context: Context) throws -> NotificationRequest {
    let eventContext = EventContext(event, context)
    if event.data.type == .delete {
      let proposal = try event.data.deleted(from: "proposal_votes").proposalID
      return .announcement(eventContext) { database in
        Announcement(withoutVoteOn: proposal, of: database.event)
      }
    }
    let (old, new) = try event.data.insertedOrUpdated(in: "proposal_votes")
    guard old?.vote != new.vote else { return .nothing(eventContext, because: "unchanged") }

    let change = new.change(from: old)
    return .announcements(eventContext, then: "lead") { database -> Announcement<VoteOnProposal>? in
      guard let (proposal, voter, actor) = try await database.proposal(of: change) else { return nil }
      let notice = VoteOnProposal(new.vote, by: voter, change.voter, on: proposal)
      let isNewLead = try await database.newLead(of: change) != nil
      return Announcement(
        notice, about: proposal, change: change, isNewLead: isNewLead, of: database.event, except: actor)
    } second: { database, told -> Announcement<LeadingOptionChange>? in
      guard let (proposal, _, actor) = try await database.proposal(of: change) else { return nil }
      guard let lead = try await database.newLead(of: change) else { return Announcement([], to: .nobody) }
      let notice = LeadingOptionChange(to: lead.option, of: lead.members, in: proposal)
      return Announcement(
        notice, about: proposal, change: change, without: told, except: actor, at: eventContext.now)
    }
  }
}
