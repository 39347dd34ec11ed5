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

  @Test func addressesThatDifferInCaseAreEachRegistered() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE users SET email = 'grace@EXAMPLE.com' WHERE id = '\(Person.finn.id)'")

    let answer = try await demo.run(VoteCast(store: demo.store()), on: RowEvent.voteCast())

    #expect(answer.decisions == [.grace: "notify submitter", .finn: "suppress no_device"])
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
