public import FoundationEssentials
public import Notifications
import Postgres

/// Reads what an event is about, in the transaction that decides on it.
public struct EventReader: Sendable {
  let event: Occurrence
  let transaction: Transaction

  /// A row that concerns a feedback.
  public enum Row: Sendable {
    /// The feedback's own row.
    case feedback(UUID)
    /// A comment on it.
    case comment(UUID, on: UUID)
    /// A vote for it.
    case vote(UUID, for: UUID)

    fileprivate var query: SQL {
      switch self {
      case .feedback(let id): "SELECT id AS feedback_id, user_id, user_email FROM feedbacks WHERE id = \(id)"
      case .comment(let id, let feedback):
        """
        SELECT feedback_id, user_id, NULL AS user_email FROM comments
        WHERE id = \(id) AND feedback_id = \(feedback)
        """
      case .vote(let id, let feedback):
        "SELECT feedback_id, user_id, user_email FROM votes WHERE id = \(id) AND feedback_id = \(feedback)"
      }
    }
  }

  /// The feedback that a row concerns and who made the row; `nil` when one of the two is gone.
  public func feedback(of row: Row) async throws -> (feedback: Feedback, author: Actor)? {
    let rows = try await transaction.query(
      """
      SELECT f.id, f.project_id, f.title, r.user_id AS author_key, p.name AS project_name,
        ARRAY(SELECT u.id FROM users u WHERE u.id = push_uuid(r.user_id)) AS by_id,
        ARRAY(SELECT u.id FROM users u WHERE lower(u.email) = lower(r.user_email)) AS by_email,
        CASE WHEN r.user_id = f.user_id
          THEN ARRAY(\(SQL.accounts(of: "feedbacks", where: "r.id = f.id"))) ELSE '{}' END AS as_submitter
      FROM (\(row.query)) r JOIN feedbacks f ON f.id = r.feedback_id
      LEFT JOIN projects p ON p.id = f.project_id
      """)
    guard let row = rows.first else { return nil }
    let feedback = Feedback(
      id: try row.decode("id"), projectID: try row.decode("project_id"), title: try row.decode("title"),
      projectName: row["project_name"])
    let author = Actor(
      claimed: event.actorID, byID: try row.decode("by_id"), byEmail: try row.decode("by_email"),
      asSubmitter: try row.decode("as_submitter"), key: row["author_key"])
    return (feedback, author)
  }

  /// How many votes a feedback has.
  public func voteCount(of feedback: Feedback) async throws -> Int {
    let rows = try await transaction.query("SELECT count(*) AS votes FROM votes WHERE feedback_id = \(feedback.id)")
    return try rows.only().decode("votes")
  }

  /// The person whom the event itself names as its cause.
  public var claimedActor: Actor { Actor(claimed: event.actorID) }
}
