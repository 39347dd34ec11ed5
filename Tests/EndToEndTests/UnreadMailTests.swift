import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Notifications that stay unread go by e-mail, through the whole bundle.
@Suite(.heavy)
struct UnreadMailTests {
  @Test func aVoteThatStaysUnreadIsMailedOnceAndOneThatWasReadIsNot() async throws {
    let sink = try await MailSink()
    let manifest = try House.text("functions.json").replacing(
      #""functions": {"#,
      with: """
        "kinds": { "feedbackkit": { "new_vote": { "ifUnread": { "after": "30m", "function": "mail-unread" } } } },
        "functions": {
        """, maxReplacements: 1)
    let runner = try await RunningRunner(
      manifest,
      environment: [
        "SMTP_URL": sink.url, "MAIL_FROM": "no-reply@example.com",
        "UNSUBSCRIBE_SECRET": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        "UNSUBSCRIBE_URL": "https://push.example.com",
      ], database: try await RunningRunner.makeDatabase(for: manifest))
    try await RunningBundle.copySamples(to: runner.project.path)
    let served = try await runner.start(services: true)
    try await served.program.line { $0.contains("Partitions taken") }
    try await runner.database.wait(until: "EXISTS (SELECT FROM unread_rules)")
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    try await runner.database.script(
      """
      WITH wish AS (
        INSERT INTO feedbacks (title, category, user_id, user_email, project_id)
        SELECT title, 'feature_request', 'sdk-grace', 'grace@example.com', id
        FROM projects CROSS JOIN unnest(ARRAY['Unread wish', 'Read wish']) title WHERE name = 'Orbit' RETURNING id)
      INSERT INTO votes (feedback_id, user_id, user_email) SELECT id, 'sdk-bob', 'bob@example.com' FROM wish
      """)
    try await runner.settle()
    try await runner.database.script("UPDATE notifications SET is_read = true WHERE body NOT LIKE '%Unread wish%'")

    for step in ["31m", "1h"] {
      let outcome = try await runner.run(
        ["clock", "advance", step, "--any-local-database"], timeout: .seconds(560))
      #expect(outcome.exit == 0, "\(outcome.stderr)")
      try await runner.settle()
    }

    let mail = try #require(try await sink.mails(1).first)
    #expect(mail.contains("Unread wish now has 1 vote") && mail.contains("grace@example.com"), "\(mail)")
    #expect(sink.count == 1)
  }
}
