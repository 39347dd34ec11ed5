import FunctionKit
import Notifications
import StoreLive

/// Reminds attendees of an event, and of leaving for it, and afterwards asks how it was.
@main
struct EventReminder: NotifyingFunction {
  static let summary = "Reminds attendees before an event and asks for memories after it (schedule, every minute)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Tick>, _ context: Context) async throws -> RawJSON {
    let eventContext = EventContext(event, context)
    var results: [NotificationResult] = []
    for notice in GroupEvent.notices { results.append(try await notify(notice, eventContext)) }
    return try NotificationResult.total(results, of: eventContext).json
  }

  private func notify<N: AttendeeNotice>(_ type: N.Type, _ eventContext: EventContext) async throws
    -> NotificationResult
  {
    try await store.notify(eventContext.part(N.kind.name)) { database -> Announcement<N>? in
      try await database.attendeeNotices(type)
    }
  }
}
