import DeliveryLive
import FoundationEssentials
import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import NotificationCleanup
@testable import StatusChanged

/// Changes of one row that are not the same change.
@Suite(.heavy)
struct AnotherChangeTests {
  private static let votes = RowInsertion.votes

  private func vote(_ created: String? = nil) -> String {
    let created = created.map { #","created_at":"\#($0)""# } ?? ""
    return #"{"id":"\#(RowEvent.vote)","feedback_id":"\#(RowEvent.feedback)"\#(created)}"#
  }

  /// Hands over a vote and an hour later another event; answers with the number of decisions about people.
  private func tell(_ first: String, _ second: String) async throws -> Int {
    let demo = try await Demo()
    #expect(try await Self.votes.tell(first, demo).result.notified == 1)
    _ = try await Self.votes.tell(second, demo, minutes: 60)
    return try await demo.told()[2]
  }

  /// It was taken back meanwhile, and cast again under its old id: a trigger sees each insertion once.
  @Test(arguments: [Entrance.trigger, .http])
  func aSourceThatTellsOfItAgainTellsOfAnotherInsertion(_ entrance: Entrance) async throws {
    let first = Self.votes.document(by: entrance, record: vote(), id: "7.1")
    let second = Self.votes.document(by: entrance, record: vote(), id: "7.2")

    #expect(try await tell(first, second) == 2)
  }

  @Test(
    arguments: [
      ("2030-01-01T10:00:00.123456+00:00", 1), ("2030-01-01T11:00:00.123+01:00", 1), ("2030-01-01T10:00:00Z", 1),
      ("2030-01-01T10:00:07.123456+00:00", 2), (nil, 1), ("yesterday", 1),
    ] as [(String?, Int)])
  func anotherTimeOfCreationMakesAnotherRow(created: String?, decisions: Int) async throws {
    let first = Self.votes.document(by: .trigger, record: vote("2030-01-01T10:00:00.123456+00:00"))
    let second = Self.votes.document(by: .http, record: vote(created))

    #expect(try await tell(first, second) == decisions)
  }

  /// The call came first, so that the trigger's event told nobody; the next one of the trigger is a new insertion.
  @Test func everySourceIsKnownByItsEvent() async throws {
    let demo = try await Demo()
    func tell(_ entrance: Entrance, _ id: String, minutes: Double) async throws -> Int {
      let document = Self.votes.document(by: entrance, record: vote(), id: id)
      _ = try await Self.votes.tell(document, demo, minutes: minutes)
      return try await demo.told()[2]
    }

    #expect(try await tell(.http, "call-1", minutes: 0) == 1)
    #expect(try await tell(.trigger, "7.1", minutes: 30) == 1)
    #expect(try await tell(.trigger, "7.2", minutes: 60) == 2)
    #expect(try await tell(.pipe, "", minutes: 90) == 2)
    #expect(try await tell(.trigger, "7.1", minutes: 120) == 2)
    #expect(try await tell(.http, "call-1", minutes: 120) == 2)
  }

  private func status(
    from old: String, _ before: String, to new: String, _ after: String, id: String, source: String
  ) -> String {
    func row(_ status: String, _ time: String) -> String {
      #"{"id":"\#(RowEvent.feedback)","status":"\#(status)","updated_at":"\#(time)"}"#
    }
    return RowEvent.event(
      "UPDATE", "feedbacks", record: row(new, after), oldRecord: row(old, before), id: id, source: source)
  }

  private func tell(_ document: String, _ demo: Demo, minutes: Double = 0, chunk: Int = 5_000) async throws -> Answer {
    try await demo.run(
      StatusChanged(store: demo.store(chunk: chunk)), on: document, at: Demo.now.addingTimeInterval(minutes * 60))
  }

  @Test func anUpdateIsKnownByItsTimeAndTheNextOneIsAnother() async throws {
    let demo = try await Demo()
    let (start, end) = ("2030-01-01T10:00:00.5+00:00", "2030-01-01T10:05:00.25+00:00")
    let trigger = status(from: "pending", start, to: "approved", end, id: "7.1", source: "/postgres/public/feedbacks")
    let call = status(
      from: "pending", start, to: "approved", "2030-01-01T11:05:00.250000+01:00", id: "call-1", source: "/http/f")
    let back = status(
      from: "approved", end, to: "pending", "2030-01-01T11:00:00+00:00", id: "call-2", source: "/http/f")
    let forth = status(
      from: "pending", "2030-01-01T11:00:00+00:00", to: "approved", "2030-01-01T12:00:00+00:00", id: "call-3",
      source: "/http/f")

    let first = try await tell(trigger, demo)
    let again = try await tell(call, demo, minutes: 60)
    let others = [
      try await tell(back, demo, minutes: 120), try await tell(forth, demo, minutes: 180),
      try await tell(status(from: "approved", end, to: "completed", end, id: "7.4", source: "/a"), demo, minutes: 240),
      try await tell(status(from: "completed", end, to: "approved", end, id: "7.5", source: "/b"), demo, minutes: 300),
    ]

    #expect(first.result.notified > 0 && again.json == first.json)
    #expect(others.allSatisfy { $0.result.notified == first.result.notified })
    #expect(others.map(\.result.event) == ["call-2", "call-3", "7.4", "7.5"])
  }

  /// More people than one transaction takes, and the process that told them ended midway.
  @Test func anotherEntranceGoesOnWhereTheFirstStopped() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT ('e0000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'v' || i || '@example.com', 'V' || i, true
      FROM generate_series(1, 50) i;
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT 'sdk-' || i, 'V' || i || '@Example.com', '\(RowEvent.feedback)' FROM generate_series(1, 50) i;
      ALTER TABLE decisions ADD CONSTRAINT second_chunk CHECK (user_id < 'e0000000-0000-4000-8000-000000000030')
      """)
    let (start, end) = ("2030-01-01T10:00:00Z", "2030-01-01T10:05:00Z")
    let trigger = status(from: "pending", start, to: "approved", end, id: "7.1", source: "/postgres/public/feedbacks")
    let call = status(from: "pending", start, to: "approved", end, id: "call-1", source: "/http/f")
    await #expect(throws: (any Error).self) { try await tell(trigger, demo, chunk: 20) }
    let midway = try await demo.told()[2]
    try await demo.connection.script("ALTER TABLE decisions DROP CONSTRAINT second_chunk")

    let rest = try await tell(call, demo, chunk: 20)
    let first = try await tell(trigger, demo, chunk: 20)

    #expect(midway == 20)
    #expect(rest.result.counts.values.reduce(0, +) == 52)
    #expect(first.json == rest.json)
    #expect(try await demo.number("SELECT count(DISTINCT user_id) FROM decisions WHERE event_id = '7.1'") == 52)
    #expect(try await demo.told()[2] == 52)
  }

  @Test func whatIsKnownOfARowGoesWithItsEvents() async throws {
    let demo = try await Demo()
    _ = try await Self.votes.tell(Self.votes.document(by: .trigger, record: vote()), demo)
    _ = try await Self.votes.tell(Self.votes.document(by: .http, record: vote()), demo)
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 3)

    try await demo.connection.script("UPDATE handled_events SET created_at = now() - interval '92 days'")
    let context = Context(function: NotificationCleanup.name, now: .now, log: Log { _ in })
    _ = try await CleanupStore(demo.connection(of: "cleanup")).clean(context)

    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 0)
  }
}
