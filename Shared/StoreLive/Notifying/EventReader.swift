package import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres
import Synchronization

/// Reads the facts of an event in the transaction that decides on it.
package struct EventReader: Sendable {
  /// The event, which may be an earlier one about the same change of a row.
  package let event: EventContext
  private let executor: any QueryExecutor
  private let claim: Claim?

  /// - Parameter claim: finds the event's record with the first query; `nil` in a dry run.
  init(_ event: EventContext, _ executor: any QueryExecutor, claim: Claim? = nil) {
    (self.event, self.executor, self.claim) = (event, executor, claim)
  }

  func query(_ sql: SQL) async throws -> Rows { try await pipeline([sql])[0] }

  func pipeline(_ statements: [SQL]) async throws -> [Rows] {
    guard let claim else { return try await executor.pipeline(statements) }
    return try await claim.pipeline(statements, executor)
  }

  /// Reads rows that concern different people; it skips and logs a row that it cannot read.
  func each<Value>(_ rows: Rows, of table: String, _ read: (Row) throws -> Value) -> [Value] {
    rows.compactMap { row in
      do {
        return try read(row)
      } catch {
        event.log.warning(
          "A row cannot be read and is passed over",
          ["table": table, "row": row["id"] ?? "", "error.cause": "\(error)"])
        return nil
      }
    }
  }

  /// A row that concerns a feedback.
  package enum FeedbackRow: Sendable {
    /// The feedback's own row.
    case feedback(UUID)
    /// A comment on it.
    case comment(UUID, on: UUID)

    // No index serves IS NOT DISTINCT FROM: the row is found by its id, not among all of a popular feedback.
    fileprivate var query: SQL {
      switch self {
      case .feedback(let id):
        "SELECT id AS feedback_id, user_id, user_email, false AS is_admin FROM feedbacks WHERE id = \(id)"
      // A comment has no address of its own, but its `user_id` may be one.
      case .comment(let id, let feedback):
        """
        SELECT feedback_id, user_id, user_id AS user_email, is_admin FROM comments
        WHERE id = \(id) AND feedback_id IS NOT DISTINCT FROM \(feedback)
        """
      }
    }
  }

  /// A row's feedback and author; `nil` if the row or the feedback is gone.
  package func feedback(of row: FeedbackRow) async throws -> (feedback: Feedback, author: Actor)? {
    guard let answer = try await query(Self.feedback(of: row.query)).first else { return nil }
    return (try Feedback(answer), try author(answer))
  }

  /// A vote's feedback, its voter, and the feedback's number of votes; `nil` if the vote or the feedback is gone.
  ///
  /// - Parameter counts: what earlier events have counted.
  package func vote(
    _ id: UUID, for feedback: UUID, _ counts: VoteCounts
  ) async throws -> (feedback: Feedback, voter: Actor, count: Int)? {
    let vote = Self.feedback(
      of: """
        SELECT feedback_id, user_id, user_email, false AS is_admin FROM votes
        WHERE id = \(id) AND feedback_id IS NOT DISTINCT FROM \(feedback)
        """)
    let recent = counts.recent(of: feedback)
    // By itself, so that a batch counts the votes of a feedback once.
    let count: SQL = "SELECT count(*) AS votes FROM votes WHERE feedback_id = \(feedback)"
    let answers = try await pipeline(recent == nil ? [vote, count] : [vote])
    guard let answer = answers[0].first else { return nil }
    let votes = try recent ?? answers[1].only().decode("votes")
    if recent == nil { counts.keep(votes, of: feedback) }
    return (try Feedback(answer), try author(answer), votes)
  }

  private static func feedback(of row: SQL) -> SQL {
    """
    SELECT f.id, f.project_id, f.title, r.user_id AS author_key, p.name AS project_name,
      ARRAY(SELECT u.id FROM users u WHERE u.id = push_uuid(r.user_id)) AS by_id,
      ARRAY(SELECT a.id FROM push_account(r.user_email) a) AS by_email,
      CASE WHEN r.user_id = f.user_id
        THEN ARRAY(\(SQL.accounts(of: "feedbacks", where: "r.id = f.id"))) ELSE '{}' END AS as_submitter,
      ARRAY(
        SELECT p.owner_id WHERE r.is_admin AND r.user_id = 'admin' AND p.owner_id IS NOT NULL AND NOT EXISTS (
          SELECT FROM project_members m WHERE m.project_id = p.id AND m.user_id <> p.owner_id)) AS as_owner
    FROM (\(row)) r JOIN feedbacks f ON f.id = r.feedback_id
    LEFT JOIN projects p ON p.id = f.project_id
    """
  }

  private func author(_ answer: Row) throws -> Actor {
    Actor(
      claimed: event.actorID, byID: try answer.decode("by_id"), byEmail: try answer.decode("by_email"),
      asSubmitter: try answer.decode("as_submitter"), asOwner: try answer.decode("as_owner"),
      key: answer["author_key"])
  }

  /// The person whom the event itself names as its actor.
  package var claimedActor: Actor { Actor(claimed: event.actorID) }
}

extension Feedback {
  package init(_ row: Row) throws {
    self.init(
      id: try row.decode("id"), projectID: try row.decode("project_id"), title: try row.decode("title"),
      projectName: row["project_name"])
  }
}

/// How many votes popular feedbacks had a moment ago.
///
/// PostgreSQL counts votes one by one. If many people vote at the same time, it would count hundreds of thousands of
/// them for each batch, and would soon do nothing else.
package final class VoteCounts: Sendable {
  /// From this number on, a number of votes is used for ``age``.
  static let many = 10_000
  static let age = Duration.seconds(1)

  private let counted = Mutex<[UUID: (votes: Int, time: ContinuousClock.Instant)]>([:])

  package init() {}

  /// The number of votes of a feedback; `nil` if they have to be counted.
  func recent(of feedback: UUID, at now: ContinuousClock.Instant = .now) -> Int? {
    counted.withLock { $0[feedback] }.flatMap { now - $0.time < Self.age ? $0.votes : nil }
  }

  /// Keeps a number that was just counted, if it is large.
  func keep(_ votes: Int, of feedback: UUID, at now: ContinuousClock.Instant = .now) {
    counted.withLock { counted in
      counted = counted.filter { now - $0.value.time < Self.age }
      counted[feedback] = votes < Self.many ? nil : (votes, now)
    }
  }
}
