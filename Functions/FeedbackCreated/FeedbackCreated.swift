import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a project's owner and members of a new feedback.
@main
struct FeedbackCreated: BatchNotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
  }

  typealias Payload = RowChange<Row>

  static let summary = "Tells a project's owner and members that a feedback arrived (insert into feedbacks)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func request(_ event: Event<RowChange<Row>>, _ context: Context) throws -> NotificationRequest {
    let row = try event.data.inserted(into: "feedbacks")
    return .announcement(EventContext(event, context)) { database -> Announcement<NewFeedback>? in
      guard let (feedback, author) = try await database.feedback(of: .feedback(row.id)) else { return nil }
      return Announcement(NewFeedback(feedback), about: feedback, to: [.member], except: author)
    }
  }
}
