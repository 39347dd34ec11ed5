import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a project's owner and members, and the feedback's submitter, of a comment.
@main
struct CommentAdded: BatchNotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let feedbackID: UUID

    private enum CodingKeys: String, CodingKey {
      case id
      case feedbackID = "feedback_id"
    }
  }

  typealias Payload = RowChange<Row>

  static let summary = "Tells the project's people and the submitter of a comment (insert into comments)."
  let store: NotificationStore

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func request(_ event: Event<RowChange<Row>>, _ context: Context) throws -> NotificationRequest {
    let row = try event.data.inserted(into: "comments")
    return .announcement(EventContext(event, context)) { database -> Announcement<NewComment>? in
      guard let (feedback, author) = try await database.feedback(of: .comment(row.id, on: row.feedbackID)) else {
        return nil
      }
      let notice = NewComment(row.id, on: feedback, by: author.bestKey)
      return Announcement(notice, about: feedback, to: [.member, .submitter], except: author)
    }
  }
}
