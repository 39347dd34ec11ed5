import Postgres
import TestSupport
import Testing

@testable import Demo

@Suite(.heavy)
struct StoryTests {
  @Test func everyStatementRunsAgainstTheSchema() async throws {
    let database = try await migratedDatabase()

    for step in Story(now: "now()").steps {
      for case .sql(let text) in step.actions { try await database.script(text) }
    }

    let rows = try await database.query(
      """
      SELECT (SELECT count(*) FROM feedbacks WHERE status = 'in_progress') AS feedbacks,
        (SELECT count(*) FROM votes v JOIN feedbacks f ON f.id = v.feedback_id WHERE f.status = 'in_progress') AS votes,
        (SELECT count(*) FROM event_proposals WHERE deadline < now() + interval '2 hours') AS proposals,
        (SELECT count(*) FROM proposal_votes v JOIN event_proposals p ON p.id = v.proposal_id
          WHERE p.deadline < now() + interval '2 hours') AS proposal_votes
      """)
    let row = try rows.only()
    #expect(["feedbacks", "votes", "proposals", "proposal_votes"].map { row[$0] } == ["1", "2", "1", "1"])
  }

  @Test func canBeToldTwiceWithFreshRows() async throws {
    let database = try await migratedDatabase()

    for _ in 1...2 {
      try await database.script(Demo.people)
      for step in Story(now: "now()").steps {
        for case .sql(let text) in step.actions { try await database.script(text) }
      }
    }

    let count = try await database.query("SELECT count(*) AS n FROM feedbacks WHERE status = 'in_progress'").only()["n"]
    #expect(count == "2")
  }

  @Test func tracesFollowADecisionToTheDevice() async throws {
    let database = try await migratedDatabase()
    let story = Story(now: "now()")
    let step = try #require(story.steps.first)
    for case .sql(let text) in step.actions { try await database.script(text) }
    try await database.script(decisions(about: step))

    let all = try await database.query(Trace.query(step, without: [])).map(Trace.init)
    let none = try await database.query(Trace.query(step, without: ["1"]))

    #expect(all.map(\.person) == ["Ada", "Ada", "Ben"])
    #expect(all.map(\.delivery?.state) == ["queued", "queued", nil])
    #expect(all.last?.reason == "actor")
    #expect(none.isEmpty)
  }

  @Test func noTitleStandsTwice() {
    var taken: Set<String> = ["Game Night", "Movie Night"]
    for _ in 1...20 {
      let story = Story(now: "now()", besides: taken)
      #expect(taken.insert(story.wish).inserted && taken.insert(story.plan).inserted)
    }
    #expect(taken.contains("Keyboard shortcuts") && taken.contains { $0.hasSuffix(" 2") })
  }

  @Test func inTheStoryTheOpenProposalClosesInWeeks() async throws {
    let database = try await migratedDatabase(
      before: "SELECT set_config('demo.deadline', (now() + interval '21 days')::text, false)")

    let rows = try await database.query(
      """
      SELECT deadline BETWEEN now() + interval '20 days' AND now() + interval '21 days' AS soon FROM event_proposals
      WHERE title = 'Game Night'
      """)
    #expect(try rows.only().decode("soon"))
  }

  @Test func valuesCannotEndTheirLiteral() {
    #expect(SQLText.literal("Board Games at Ada's") == "'Board Games at Ada''s'")
  }

  /// - Parameter script: runs before the story's people come.
  private func migratedDatabase(before script: String = "") async throws -> Connection {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    try await connection.script("\(script);\n\(Demo.people)")
    return connection
  }

  private func decisions(about step: Step) -> String {
    """
    INSERT INTO notifications (id, user_id, type, title)
    SELECT 'e0000000-0000-4000-8000-000000000001', id, 'new_feedback', 'New Feedback' FROM users WHERE name = 'Ada';
    INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
    SELECT n.id, d.id, n.user_id, d.app, now(), now(), now(), now()
    FROM notifications n JOIN device_tokens d ON d.user_id = n.user_id AND d.app = 'feedbackkit'
    WHERE n.app = d.app;
    INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
      notification_id, created_at)
    SELECT '\(step.function)', 's', '1', u.id, '\(step.subject)', 'new_feedback',
      CASE WHEN n.id IS NULL THEN 'suppress' ELSE 'notify' END, CASE WHEN n.id IS NULL THEN 'actor' END, 'member', n.id, now()
    FROM users u LEFT JOIN notifications n ON n.user_id = u.id AND n.app = 'feedbackkit' WHERE u.name IN ('Ada', 'Ben');
    """
  }
}
