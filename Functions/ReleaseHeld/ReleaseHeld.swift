import DeliveryLive
import FunctionKit
import Notifications
import StoreLive

/// Sends notifications that waited for the end of a window or of quiet hours, or for room under the hourly limit.
///
/// The content of the event does not matter: it only means that something may be due.
@main
struct ReleaseHeld: Function {
  static let summary = "Sends held notifications, merged, when their window, quiet hours or full hour is over."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RawJSON>, _ context: Context) async throws -> ReleaseResult {
    try await store.release(at: context.now, dryRun: context.dryRun, log: context.log)
  }
}
