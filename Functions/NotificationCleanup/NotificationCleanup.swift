import FunctionKit
import StoreLive

/// Deletes inbox entries past their end, and what is older than 90 days of everything that was kept to look back at.
@main
struct NotificationCleanup: Function {
  static let summary = "Deletes expired and old notifications, deliveries, logs and decisions (schedule, daily)."
  let store: CleanupStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Tick>, _ context: Context) async throws -> CleanupStore.Result {
    try await store.clean(context)
  }
}
