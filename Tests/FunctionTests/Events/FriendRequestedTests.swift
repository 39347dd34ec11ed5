import FoundationEssentials
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import FriendRequested

@Suite(.heavy)
struct FriendRequestedTests {
  private func request(
    _ demo: Demo, _ id: String = "f7000000-0000-4000-8000-000000000001", dryRun: Bool = false, minutes: Double = 0
  ) async throws -> Answer {
    let event = RowEvent.event("INSERT", "friend_requests", record: #"{"id":"\#(id)"}"#, id: "of \(id)")
    let now = Demo.now.addingTimeInterval(minutes * 60)
    return try await demo.run(FriendRequested(store: demo.store()), on: event, dryRun: dryRun, at: now)
  }

  /// Takes the present request back, and makes another one; answers with its id.
  private func replace(_ demo: Demo, from person: Person = .hugo) async throws -> String {
    let rows = try await demo.connection.query(
      """
      WITH old AS (DELETE FROM friend_requests)
      INSERT INTO friend_requests (requester_id, recipient_id) VALUES (\(person.id)::uuid, \(Person.ben.id)::uuid)
      RETURNING id::text
      """)
    return try rows.only().decode("id")
  }

  /// The words in the inbox that a push was made of, and whether the push shows them.
  private func told(_ demo: Demo) async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT title || CASE WHEN payload::jsonb #> '{aps,alert}' IS NULL THEN ', badge alone' ELSE '' END AS words
      FROM notifications WHERE payload IS NOT NULL
      """
    ).decode("words")
  }

  @Test(arguments: [(0, ", badge alone"), (9.9, ", badge alone"), (10, "")] as [(Double, String)])
  func whatWasTakenBackAndIsAskedAgainWithinMinutesRingsOnce(minutes: Double, expected: String) async throws {
    let demo = try await Demo()
    _ = try await request(demo)
    let again = try await replace(demo)

    _ = try await request(demo, again, minutes: minutes)
    #expect(try await told(demo) == ["Hugo sent you a friend request\(expected)"])
    _ = try await request(demo, again, minutes: minutes)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 1)
  }

  @Test func aRequestThatDidNotRingOrIsSomebodyElsesCountsForNothing() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      "INSERT INTO user_notification_preferences (user_id, friend_requests) VALUES ('\(Person.ben.id)', false)")
    _ = try await request(demo)
    try await demo.connection.script("UPDATE user_notification_preferences SET friend_requests = true")

    _ = try await request(demo, try await replace(demo))
    #expect(try await told(demo) == ["Hugo sent you a friend request"])
    _ = try await request(demo, try await replace(demo, from: .eva))
    #expect(try await told(demo) == ["Eva sent you a friend request"])
  }

  /// An app with one row for each pair writes `pending` again; the person is told again, and the badge follows at once.
  @Test(
    arguments: [("declined", 1, ", badge alone"), ("declined", 11, ""), ("accepted", 11, "")]
      as [(String, Double, String)])
  func whatIsAskedAgainByAnUpdateIsANewRequest(answer: String, minutes: Double, expected: String) async throws {
    let demo = try await Demo()
    _ = try await request(demo)

    let again = try await update(demo, from: answer, minutes: minutes)

    #expect(again.decisions == [.ben: "notify addressee"])
    let words = "Hugo sent you a friend request"
    #expect(try await told(demo).sorted() == [words, words + expected].sorted())
    #expect(try await update(demo, from: answer, minutes: minutes).result == again.result)
  }

  /// The first one waited, and its answer came before it was told.
  @Test func whatWaitedAndIsAskedAgainIsNoRepetition() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ben.id)', true, '00:00', '23:59')
      """)
    #expect(try await request(demo).decisions == [.ben: "hold quiet_hours"])

    #expect(try await update(demo, from: "declined", minutes: 1).decisions == [.ben: "hold quiet_hours"])
  }

  @Test(arguments: [("pending", "declined"), ("pending", "pending"), ("declined", "accepted")])
  func anAnswerIsNoRequest(old: String, new: String) async throws {
    #expect(try await update(try await Demo(), from: old, to: new).result.reason == "not_asked_again")
  }

  private func update(
    _ demo: Demo, from old: String, to new: String = "pending", minutes: Double = 0
  ) async throws -> Answer {
    let id = "f7000000-0000-4000-8000-000000000001"
    let event = RowEvent.event(
      "UPDATE", "friend_requests", record: #"{"id":"\#(id)","status":"\#(new)"}"#,
      oldRecord: #"{"id":"\#(id)","status":"\#(old)"}"#, id: "again")
    let now = Demo.now.addingTimeInterval(minutes * 60)
    return try await demo.run(FriendRequested(store: demo.store()), on: event, at: now)
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
