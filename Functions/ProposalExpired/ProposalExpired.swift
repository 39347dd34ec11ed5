import DeliveryLive
import FunctionKit
import StoreLive

/// Removes requests for votes from inboxes, queue and badges when a proposal takes no more votes.
@main
struct ProposalExpired: Function {
  static let summary = "Clears the inboxes of proposals that take no more votes (schedule, every minute)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Tick>, _ context: Context) async throws -> RawJSON {
    let withdrawal = try await store.withdrawClosedProposals(EventContext(event, context))
    return RawJSON(
      object: [
        ("function", RawJSON(context.function)), ("event", RawJSON(event.id)),
        ("archived", RawJSON(withdrawal.notifications)), ("withdrawn", RawJSON(withdrawal.deliveries)),
        ("badgePushes", RawJSON(withdrawal.badgePushes)),
      ] + (withdrawal.proposals.map { [("closed", RawJSON($0)), ("dryRun", RawJSON(true))] } ?? []))
  }
}
