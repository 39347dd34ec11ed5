import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of a friend request, also of one that is asked again after an answer.
@main
struct FriendRequested: NotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let status: String?
  }

  static let summary = "Tells a person of a friend request (friend_requests)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<Row>>, _ context: Context) async throws -> RawJSON {
    let (old, new) = try event.data.insertedOrUpdated(in: "friend_requests")
    let eventContext = EventContext(event, context)
    guard new.isAsked(after: old) else {
      return try NotificationResult.nothing(eventContext, because: "not_asked_again").json
    }
    let result = try await store.notify(eventContext) { database -> Announcement<FriendRequest>? in
      try await database.friendRequest(new.id, isAskedAgain: old != nil)
    }
    return try result.json
  }
}

extension FriendRequested.Row {
  /// Whether a new row asks, or one that had an answer asks again.
  fileprivate func isAsked(after old: Self?) -> Bool {
    guard let old else { return true }
    return old.status != "pending" && status == "pending"
  }
}
