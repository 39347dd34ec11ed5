import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a person and the organiser that a proposal conflicts with the person's calendar.
@main
struct ConflictDetected: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
  }

  static let summary = "Tells the person and the organiser of a scheduling conflict (insert into event_conflicts)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let row = try event.data.inserted(into: "event_conflicts")
    let result = try await store.notify(EventContext(event, context)) { database -> Announcement<ConflictAlert>? in
      try await database.conflict(row.id)
    }
    return try result.json
  }
}
