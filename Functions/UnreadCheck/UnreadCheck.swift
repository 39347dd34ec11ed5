import DeliveryLive
import FunctionKit
import StoreLive

/// Gives notifications that stay unread to the functions that `"kinds"` of `functions.json` names.
///
/// The content of the event does not matter: it only means that something may be due.
@main
struct UnreadCheck: Function {
  static let summary = "Gives notifications that stay unread to other functions, such as one that sends e-mail."
  let store: UnreadStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<RawJSON>, _ context: Context) async throws -> UnreadStore.Result {
    try await store.check(at: context.now, dryRun: context.dryRun, log: context.log)
  }
}
