import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of a friend request, also of one that is asked again after an answer.
@main
struct FriendRequested: NotifyingFunction {
  static let summary = "Tells a person of a friend request (friend_requests)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<AskingRow>>, _ context: Context) async throws -> RawJSON {
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
