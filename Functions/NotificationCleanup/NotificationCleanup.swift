import DeliveryLive
import FunctionKit

/// Archives unread inbox entries that have ended, and deletes what is older than 90 days.
@main
struct NotificationCleanup: Function {
  static let summary = "Archives ended notifications; deletes what is older than 90 days (schedule, daily)."
  let store: CleanupStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Tick>, _ context: Context) async throws -> CleanupStore.Result {
    try await store.clean(context)
  }
}
