import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of an invitation into a group, also of one that is made again after an answer.
@main
struct GroupInvited: NotifyingFunction {
  static let summary = "Tells a person of an invitation to a group (group_invites)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RowChange<AskingRow>>, _ context: Context) async throws -> RawJSON {
    let (old, new) = try event.data.insertedOrUpdated(in: "group_invites")
    let eventContext = EventContext(event, context)
    guard new.isAsked(after: old) else {
      return try NotificationResult.nothing(eventContext, because: "not_asked_again").json
    }
    let result = try await store.notify(eventContext) { database -> Announcement<GroupInvite>? in
      try await database.groupInvite(new.id, isAskedAgain: old != nil)
    }
    return try result.json
  }
}
