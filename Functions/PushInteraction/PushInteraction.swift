import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive

/// Records the app's report that a person opened a notification or acted on it.
@main
struct PushInteraction: Function {
  struct Report: Decodable, Sendable {
    let notificationId: UUID
    let deviceId: UUID?
    let event: Interaction.Event
    let action: String?
    let at: Date?
  }

  static let summary = "Writes down that a notification was opened or acted on (an app's report, by HTTP)."
  static let longestAction = 100
  let store: InteractionStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func handle(_ event: Event<Report>, _ context: Context) async throws -> RawJSON {
    let report = event.data
    let found = try await store.record(try report.interaction(), context)
    let result = RawJSON(object: [
      ("found", RawJSON(found)), ("notificationId", RawJSON(report.notificationId.lowercased)),
      ("event", RawJSON(report.event.rawValue)),
    ])
    return found ? result : result.answering(404)
  }
}

extension PushInteraction.Report {
  fileprivate func interaction() throws(FunctionError) -> Interaction {
    if let action {
      guard event == .acted else { throw FunctionError(.invalidEvent, "action goes with the event \"acted\" only.") }
      guard (1...PushInteraction.longestAction).contains(action.unicodeScalars.count) else {
        throw FunctionError(.invalidEvent, "action must have 1 to \(PushInteraction.longestAction) characters.")
      }
    }
    return Interaction(notification: notificationId, device: deviceId, event: event, action: action, time: at)
  }
}
