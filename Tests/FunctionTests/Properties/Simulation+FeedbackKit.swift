import FoundationEssentials
import Postgres

@testable import CommentAdded
@testable import FeedbackCreated
@testable import StatusChanged
@testable import VoteCast

extension Simulation {
  /// The maker of a row, and what the row says of them.
  private struct Author {
    var key: String
    var email: String?
    var claim: UUID?
    /// The person that the row itself names.
    var account: UUID?
    /// The person whose act it is, as far as that can be known.
    var actor: UUID? { claim ?? account }
  }

  private func author(withEmail hasEmail: Bool = true) -> Author {
    let person = random.pick(people)
    switch random.number(0..<(hasEmail ? 10 : 7)) {
    case 0..<3: return Author(key: "sdk-\(random.number(0..<8))")
    case 3..<6: return Author(key: person.id.text.uppercased(), account: person.id)
    case 6: return Author(key: "sdk-\(random.number(0..<8))", claim: person.id)
    default: return Author(key: "sdk of \(person.name)", email: person.email.uppercased(), account: person.id)
    }
  }

  func createFeedback() async throws {
    let (author, project) = (author(), random.pick(projects))
    let feedback = Feedback(id: random.uuid(), project: project, key: author.key, submitter: author.account)
    try await write(
      """
      INSERT INTO feedbacks (id, title, user_id, user_email, project_id, created_at)
      VALUES (\(feedback.id), \("Feedback \(feedbacks.count)"), \(author.key), \(author.email as String?), \(project.id),
        \(clock))
      """)
    feedbacks.append(feedback)
    let record = try await row("feedbacks", feedback.id)
    try await hand(
      FeedbackCreated.init,
      { RowEvent.event("INSERT", "feedbacks", record: record, id: $0, actor: author.claim?.text) },
      by: [author.actor], to: project.people)
  }

  func comment() async throws {
    guard let feedback = recentFeedback() else { return }
    var author = author(withEmail: false)
    if random.percent(25) { author = Author(key: feedbacks[feedback].key, account: feedbacks[feedback].submitter) }
    let (id, about) = (random.uuid(), feedbacks[feedback])
    try await write(
      """
      INSERT INTO comments (id, content, user_id, feedback_id, created_at)
      VALUES (\(id), 'Yes', \(author.key), \(about.id), \(clock))
      """)
    let isSubmitter = author.key == about.key
    let record = try await row("comments", id)
    try await hand(
      CommentAdded.init,
      { RowEvent.event("INSERT", "comments", record: record, id: $0, actor: author.claim?.text) },
      by: [author.actor ?? (isSubmitter ? about.submitter : nil)], to: about.project.people + [about.submitter])
  }

  func vote() async throws {
    guard let feedback = recentFeedback() else { return }
    let (author, id, about) = (author(), random.uuid(), feedbacks[feedback])
    guard feedbacks[feedback].voterKeys.insert(author.key).inserted else { return }
    if let voter = author.account { feedbacks[feedback].voters.insert(voter) }
    try await write(
      """
      INSERT INTO votes (id, user_id, user_email, feedback_id, created_at)
      VALUES (\(id), \(author.key), \(author.email as String?), \(about.id), \(clock))
      """)
    let isSubmitter = author.key == about.key
    let record = try await row("votes", id)
    try await hand(
      VoteCast.init, { RowEvent.event("INSERT", "votes", record: record, id: $0, actor: author.claim?.text) },
      by: [author.actor ?? (isSubmitter ? about.submitter : nil)], to: [about.submitter])
  }

  /// Somebody takes a vote back; nobody is told of that.
  func takeVoteBack() async throws {
    guard let feedback = recentFeedback(), let key = feedbacks[feedback].voterKeys.min() else { return }
    feedbacks[feedback].voterKeys.remove(key)
    let voters: [String] = try await database.query(
      "DELETE FROM votes WHERE feedback_id = \(feedbacks[feedback].id) AND user_id = \(key) RETURNING id::text AS id"
    ).decode("id")
    if voters.isEmpty { violation("set up", "a vote was not there") }
    // A person who still votes for it in another way remains a voter.
    feedbacks[feedback].voters = Set(
      try await database.query(
        """
        SELECT coalesce(i.id, e.id) AS id FROM votes v
        LEFT JOIN users i ON i.id = push_uuid(v.user_id)
        LEFT JOIN users e ON i.id IS NULL AND lower(e.email) = lower(v.user_email)
        WHERE v.feedback_id = \(feedbacks[feedback].id) AND coalesce(i.id, e.id) IS NOT NULL
        """
      ).decode("id", as: UUID.self))
  }

  func changeStatus() async throws {
    guard let feedback = recentFeedback() else { return }
    let about = feedbacks[feedback]
    let status = random.pick(["approved", "in_progress", "testflight", "completed", "rejected"])
    guard status != about.status else { return }
    let claim = random.percent(50) ? random.pick(people).id : nil
    let old = try await row("feedbacks", about.id)
    try await write("UPDATE feedbacks SET status = \(status) WHERE id = \(about.id)")
    (feedbacks[feedback].status, feedbacks[feedback].statusSince) = (status, clock)
    let record = try await row("feedbacks", about.id)
    try await hand(
      StatusChanged.init,
      { RowEvent.event("UPDATE", "feedbacks", record: record, oldRecord: old, id: $0, actor: claim?.text) },
      by: [claim], to: [about.submitter] + about.voters)
  }

  /// Usually one of the last few, so that much happens to it.
  private func recentFeedback() -> Int? {
    guard !feedbacks.isEmpty else { return nil }
    return feedbacks.count - 1 - random.number(0..<min(feedbacks.count, 3))
  }
}
