import DeliveryLive
import FunctionKit
import StoreLive

/// Queues the pushes that start, update and end Live Activities.
///
/// The content of the event does not matter: it only means that something may be due.
@main
struct LiveActivities: Function {
  static let summary = "Starts, updates and ends Live Activities of what has changed."
  let store: LiveActivityStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RawJSON>, _ context: Context) async throws -> LiveActivityStore.Result {
    try await store.check(EventContext(event, context), context.log)
  }
}
