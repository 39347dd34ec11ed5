import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import VoteCast

@Suite(.heavy)
struct VoteCastTests {
  private func body(_ demo: Demo) async throws -> String? {
    try await demo.connection.query("SELECT body FROM notifications").only()["body"]
  }

  @Test(arguments: [
    ("UPDATE feedbacks SET vote_count = 99", "2 votes"), ("DELETE FROM votes WHERE user_id = 'sdk-iris'", "1 vote"),
  ])
  func tellsTheSubmitterHowManyVotesThereAre(change: String, votes: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    let answer = try await demo.run(VoteCast(store: demo.store()), on: RowEvent.voteCast())

    #expect(answer.decisions == [.grace: "notify submitter"])
    #expect(try await body(demo) == "Dark mode now has \(votes)")
  }

  @Test(arguments: [
    "user_email = 'GRACE@EXAMPLE.COM'", "user_id = 'sdk-grace', user_email = 'iris@nowhere.example'",
    "user_id = '\(Person.grace.id)', user_email = 'hugo@example.com'",
  ])
  func aVoteForOnesOwnFeedbackTellsNobody(change: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE votes SET \(change) WHERE id = '\(RowEvent.vote)'")

    let answer = try await demo.run(VoteCast(store: demo.store()), on: RowEvent.voteCast())

    #expect(answer.decisions == [.grace: "suppress actor"])
    #expect(try await demo.number("SELECT count(*) FROM notifications") == 0)
  }

  /// The statement that changes something, and the submitter of what `Grace@Example.com` has sent.
  @Test(arguments: [
    // Of several accounts, the one that is spelled exactly; else the first.
    ("UPDATE users SET email = 'grace@EXAMPLE.com' WHERE name = 'Finn'", [Person.finn]),
    ("UPDATE users SET email = 'Grace@Example.com' WHERE name = 'Hugo'", [.hugo]),
    ("UPDATE users SET email = 'grace@EXAMPLE.com', is_email_verified = false WHERE name = 'Finn'", [.grace]),
    ("UPDATE users SET email = 'Grace@Example.com', is_email_verified = false WHERE name = 'Finn'", [.grace]),
    ("UPDATE users SET is_email_verified = false", []),
    // Only the case of ASCII letters does not matter.
    ("UPDATE feedbacks SET user_email = 'KIM@x.is'; UPDATE users SET email = 'kim@X.IS' WHERE name = 'Dan'", [.dan]),
    ("UPDATE feedbacks SET user_email = 'kim@x.is'; UPDATE users SET email = '\u{212A}im@x.is' WHERE name = 'Dan'", []),
    ("UPDATE feedbacks SET user_email = 'kim@x.is'; UPDATE users SET email = 'kİm@x.is' WHERE name = 'Dan'", []),
    ("UPDATE feedbacks SET user_email = 'kim@x.is'; UPDATE users SET email = 'kım@x.is' WHERE name = 'Dan'", []),
    ("UPDATE feedbacks SET user_email = 'kiſ@x.is'; UPDATE users SET email = 'kis@x.is' WHERE name = 'Dan'", []),
    ("UPDATE feedbacks SET user_email = 'ä@x.is'; UPDATE users SET email = 'Ä@x.is' WHERE name = 'Dan'", []),
    // Tables say it in several ways, or not at all.
    ("ALTER TABLE users DROP COLUMN is_email_verified", [.grace]),
    ("ALTER TABLE users RENAME is_email_verified TO email_verified; UPDATE users SET email_verified = false", []),
    ("ALTER TABLE users DROP COLUMN is_email_verified, ADD COLUMN email_confirmed_at timestamptz", []),
    (
      "ALTER TABLE users DROP COLUMN is_email_verified, ADD COLUMN email_confirmed_at timestamptz DEFAULT now()",
      [.grace]
    ),
  ])
  func anAddressIsThatOfOneVerifiedAccount(change: String, submitters: [Person]) async throws {
    let demo = try await Demo()
    // The database may know the case of all letters.
    try await demo.connection.script(
      """
      ALTER TABLE users ALTER email TYPE text COLLATE "tr-x-icu";
      ALTER TABLE feedbacks ALTER user_email TYPE text COLLATE "tr-x-icu";
      \(change)
      """)

    let answer = try await demo.run(VoteCast(store: demo.store()), on: RowEvent.voteCast())

    #expect(Array(answer.decisions.keys) == submitters)
  }

  @Test func aVoteThatWasTakenBackTellsNobody() async throws {
    let demo = try await Demo()
    try await demo.connection.script("DELETE FROM votes WHERE id = '\(RowEvent.vote)'")

    let answer = try await demo.run(VoteCast(store: demo.store()), on: RowEvent.voteCast())

    #expect(answer.result.reason == "subject_gone")
  }

  @Test(arguments: [
    "'; DROP TABLE users; --", "\"quoted\" \\ back", "👩🏽‍🚀 {\"aps\":{}}", "line\nbreak\ttab", "{a,\"b\",NULL}", "",
    String(repeating: "ж👨‍👩‍👧‍👦", count: 700),
  ])
  func anyTitleArrivesAsItIs(title: String) async throws {
    let demo = try await Demo()
    _ = try await demo.connection.query("UPDATE feedbacks SET title = \(title)")

    let answer = try await demo.run(VoteCast(store: demo.store()), on: RowEvent.voteCast())

    let payload = try #require(try await demo.connection.query("SELECT payload FROM notifications").only()["payload"])
    let json = try RawJSON(validating: Array(payload.utf8)[...])
    let body = try #require(json["aps"]?["alert"]?["body"]?.stringValue)
    #expect(answer.result.notified == 1)
    #expect(payload.utf8.count <= 4_096)
    #expect(body == "\(title) now has 2 votes" || body.hasSuffix("👨‍👩‍👧‍👦…") || body.hasSuffix("ж…"))
  }
}
