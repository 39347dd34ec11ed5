import FunctionKit
import Notifications
import StoreLive

/// Tells an event's attendees that it comes, that they have to leave, and afterwards asks how it was.
@main
struct EventReminder: NotifyingFunction {
  static let summary = "Reminds attendees before an event and asks for memories after it (schedule, every minute)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Tick>, _ context: Context) async throws -> RawJSON {
    let occurrence = Occurrence(event, context)
    let results = [
      try await tell(EventDayBefore.self, occurrence), try await tell(EventStartingSoon.self, occurrence),
      try await tell(TimeToLeave.self, occurrence), try await tell(MemoryPrompt.self, occurrence),
    ]
    return try NotificationResult.total(results, of: occurrence).json
  }

  private func tell<N: AttendeeNotice>(_ type: N.Type, _ occurrence: Occurrence) async throws -> NotificationResult {
    try await store.tell(occurrence.part(N.kind.name)) { database -> Announcement<N>? in
      try await database.attendeeNotices(type)
    }
  }
}
