import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a person of a message as MessageAI's analysis has judged it.
@main
struct AnalyzeForNotification: Function {
  static let summary =
    "Tells a person of a message that MessageAI's analysis found worth it (its back-end's call, by HTTP)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Request>, _ context: Context) async throws -> RawJSON {
    let request = event.data
    switch try await store.notify(of: try request.analysis(), EventContext(event, context)) {
    case .unknownUser:
      return RawJSON(object: [("found", RawJSON(false))] + request.ids).answering(404)
    case .overLimit(let excess):
      let seconds = Int(excess.resetAt.timeIntervalSince(context.now).rounded(.up))
      return excess.json.answering(429, headers: [("Retry-After", "\(max(1, seconds))")])
    case .decided(let reason, let rehearsal):
      let answer = [
        ("wasDelivered", RawJSON(reason == nil)),
        ("suppressReason", reason.map(RawJSON.init(reason:)) ?? .null),
      ]
      let details = try rehearsal?.json.members.map { ($0.name, $0.value) } ?? []
      return RawJSON(object: answer + request.ids + details)
    }
  }
}
