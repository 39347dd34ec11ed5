import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of an invitation into a group.
@main
struct GroupInvited: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
  }

  static let summary = "Tells a person of an invitation to a group (insert into group_invites)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let row = try event.data.inserted(into: "group_invites")
    let result = try await store.notify(EventContext(event, context)) { database -> Announcement<GroupInvite>? in
      try await database.groupInvite(row.id)
    }
    return try result.json
  }
}
