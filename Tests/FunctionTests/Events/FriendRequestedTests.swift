import Postgres
import StoreLive
import TestSupport
import Testing

@testable import FriendRequested

@Suite(.makesDatabases)
struct FriendRequestedTests {
  private func request(_ demo: Demo, dryRun: Bool = false, actor: String? = nil) async throws -> Answer {
    let record = #"{"id":"f7000000-0000-4000-8000-000000000001"}"#
    let event = RowEvent.event("INSERT", "friend_requests", record: record, actor: actor)
    return try await demo.run(FriendRequested(store: demo.store()), on: event, dryRun: dryRun)
  }

  @Test func aRequestIsToldToWhoIsAsked() async throws {
    let answer = try await request(try await Demo(), dryRun: true)

    #expect(answer.decisions == [.ben: "notify addressee"])
    #expect(try answer.payloads[.ben] == .onFile("lockitin/friend_request"))
  }

  @Test(
    arguments: [
      ("UPDATE friend_requests SET status = 'accepted'", "suppress already_handled"),
      ("UPDATE friend_requests SET status = 'declined'", "suppress already_handled"),
      ("UPDATE friend_requests SET recipient_id = requester_id", nil), ("DELETE FROM friend_requests", nil),
      (
        "INSERT INTO user_notification_preferences (user_id, friend_requests) VALUES ('\(Person.ben.id)', false)",
        "suppress type_disabled"
      ),
    ] as [(String, String?)])
  func aRequestThatNeedsNoAnswerIsNotTold(change: String, expected: String?) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    let answer = try await request(demo)

    #expect(answer.result.notified == 0 && answer.decisions[.ben] == expected)
  }

  @Test func theInboxKnowsTheRequest() async throws {
    let demo = try await Demo()

    _ = try await request(demo)

    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE friend_request_id IS NOT NULL") == 1)
  }
}
