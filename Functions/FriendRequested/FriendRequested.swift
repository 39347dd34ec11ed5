import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of a friend request.
@main
struct FriendRequested: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
  }

  static let summary = "Tells a person of a friend request (insert into friend_requests)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let row = try event.data.inserted(into: "friend_requests")
    let result = try await store.notify(EventContext(event, context)) { database -> Announcement<FriendRequest>? in
      try await database.friendRequest(row.id)
    }
    return try result.json
  }
}
