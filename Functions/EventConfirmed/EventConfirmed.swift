import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Tells a group's members when a proposal has become an event.
///
/// It does so once the proposal is confirmed and the event is there; the app may write either of them first.
@main
struct EventConfirmed: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let status: String
    /// For an event: the proposal that it was.
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
    let occurrence = Occurrence(event, context)
    guard let id = try event.data.confirmed() else {
      return try NotificationResult.nothing(occurrence, because: "not_confirmed").json
    }

    var isWaiting = false
    let result = try await store.tell(occurrence) { database -> Announcement<EventConfirmation>? in
      isWaiting = false
      guard let (proposal, _) = try await database.proposal(id) else { return nil }
      guard let notice = try await database.confirmation(of: id) else {
        guard try await database.isConfirmationComing(of: id) else { return nil }
        isWaiting = true
        return Announcement([], to: .nobody)
      }
      // The row does not name who confirmed it, or whether anybody did: only the event itself can say that.
      return Announcement(notice, about: proposal, of: database.event, except: database.claimedActor)
    }
    return try isWaiting ? NotificationResult.nothing(occurrence, because: "not_both_there").json : result.json
  }
}

extension RowChange<EventConfirmed.Row> {
  /// The proposal that may have become an event by the change.
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
