import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import StoreLive

/// Notifies a feedback's submitter of a vote, with the number of votes.
@main
struct VoteCast: BatchNotifyingFunction {
  struct Row: Decodable, Sendable {
    let id: UUID
    let feedbackID: UUID

    private enum CodingKeys: String, CodingKey {
      case id
      case feedbackID = "feedback_id"
    }
  }

  typealias Payload = RowChange<Row>

  static let summary = "Tells a feedback's submitter of a vote (insert into votes)."
  let store: NotificationStore
  let counts = VoteCounts()

  static func live(_ environment: Environment) throws -> Self {
    Self(store: try .live(environment, name: name))
  }

  func request(_ event: Event<RowChange<Row>>, _ context: Context) throws -> NotificationRequest {
    let row = try event.data.inserted(into: "votes")
    return .announcement(EventContext(event, context)) { database -> Announcement<NewVote>? in
      guard let vote = try await database.vote(row.id, for: row.feedbackID, counts) else { return nil }
      // A voter of whom nothing is known is somebody else with each vote.
      let voter = vote.voter.key ?? row.id.lowercased
      let notice = NewVote(for: vote.feedback, count: vote.count, by: voter)
      return Announcement(notice, about: vote.feedback, to: [.submitter], except: vote.voter)
    }
  }
}
