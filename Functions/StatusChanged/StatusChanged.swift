import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a feedback's submitter and voters of its new status.
@main
struct StatusChanged: BatchNotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let status: FeedbackStatus
  }

  typealias Payload = RowChange<Row>

  static let summary = "Tells a feedback's submitter and voters of its new status (update of feedbacks.status)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func request(_ event: Event<RowChange<Row>>, _ context: Context) throws -> NotificationRequest {
    let (old, new) = try event.data.updated(in: "feedbacks")
    let eventContext = EventContext(event, context)
    guard old.status != new.status else { return .nothing(eventContext, because: "unchanged") }

    return .announcement(eventContext) { database -> Announcement<StatusChange>? in
      guard let (feedback, _) = try await database.feedback(of: .feedback(new.id)) else { return nil }
      let notice = StatusChange(of: feedback, from: old.status, to: new.status)
      // The row names its submitter, not the person who changed it; only the event itself can name that person.
      return Announcement(notice, about: feedback, to: [.submitter, .voter], except: database.claimedActor)
    }
  }
}
