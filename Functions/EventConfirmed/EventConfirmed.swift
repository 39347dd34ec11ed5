import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Tells a group's members when a proposal has become an event.
@main
struct EventConfirmed: Function {
  struct Row: Decodable, Sendable {
    let id: UUID
    let status: String
  }

  static let summary = "Tells the group's members of a confirmed proposal (update of event_proposals.status)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let (old, new) = try event.data.updated(in: "event_proposals")
    let occurrence = Occurrence(event, context)
    guard old.status != new.status, new.status == "confirmed" else {
      return try NotificationResult.nothing(occurrence, because: "not_confirmed").json
    }

    let result = try await store.tell(occurrence) { database -> Announcement<EventConfirmation>? in
      guard let (proposal, _) = try await database.proposal(new.id),
        let notice = try await database.confirmation(of: new.id)
      else { return nil }
      // The row does not name who confirmed it, or whether anybody did: only the event itself can say that.
      return Announcement(notice, about: proposal, except: database.claimedActor)
    }
    return try result.json
  }
}
