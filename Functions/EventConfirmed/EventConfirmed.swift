import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a group's members that a proposal has become an event.
///
/// It waits until the proposal is confirmed and the event exists; the app may write either of them first.
@main
struct EventConfirmed: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let status: String
    /// In a row of `events`: the proposal of the event.
    let proposalID: UUID?

    private enum CodingKeys: String, CodingKey {
      case id, status
      case proposalID = "proposal_id"
    }
  }

  static let summary =
    "Tells the group's members of a confirmed proposal (event_proposals.status, or its row of events)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let eventContext = EventContext(event, context)
    guard let id = try event.data.confirmed() else {
      return try NotificationResult.nothing(eventContext, because: "not_confirmed").json
    }

    let result = try await store.notify(eventContext) { database -> Announcement<EventConfirmation>? in
      guard let (proposal, _) = try await database.proposal(id) else { return nil }
      guard let notice = try await database.confirmation(of: id) else {
        return try await database.isConfirmationComing(of: id) ? .nothing(because: "not_both_there") : nil
      }
      // The row does not name the person who confirmed it, if there is one; only the event itself can.
      return Announcement(notice, about: proposal, of: database.event, except: database.claimedActor)
    }
    return try result.json
  }
}

extension RowChange<EventConfirmed.Row> {
  /// The proposal that the change may have made an event.
  fileprivate func confirmed() throws(FunctionError) -> UUID? {
    if table == "events" {
      let (old, new) = try insertedOrUpdated(in: table)
      let isNew = old?.proposalID != new.proposalID || old?.status != new.status
      return isNew && new.status == "confirmed" ? new.proposalID : nil
    }
    let (old, new) = try updated(in: "event_proposals")
    return old.status != new.status && new.status == "confirmed" ? new.id : nil
  }
}
