import FunctionKit
import Notifications
import StoreLive

/// Reminds people who have not voted about proposals that close within two hours.
@main
struct ProposalReminder: NotifyingFunction {
  static let summary = "Reminds group members of proposals that close within two hours (schedule, every minute)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Tick>, _ context: Context) async throws -> RawJSON {
    let eventContext = EventContext(event, context)
    let result = try await store.notify(eventContext) { database -> Announcement<DeadlineReminder>? in
      let proposals = try await database.openProposals(dueWithin: DeadlineReminder.window)
      return Announcement(proposals.map { DeadlineReminder(of: $0, at: eventContext.now) }, of: eventContext)
    }
    return try result.json
  }
}
