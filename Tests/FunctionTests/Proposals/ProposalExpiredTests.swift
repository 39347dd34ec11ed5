import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import ProposalCreated
@testable import ProposalExpired

@Suite(.heavy)
struct ProposalExpiredTests {
  private static let deadline = Demo.dayBefore.addingTimeInterval(86_400)

  /// Eva has been asked on her phone, Hugo in the inbox alone.
  private func asked() async throws -> Demo {
    let demo = try await Demo()
    let event = RowEvent.proposal("INSERT")
    _ = try await demo.run(ProposalCreated(store: demo.store()), on: event, at: Demo.dayBefore)
    try await demo.connection.script("DELETE FROM notifications WHERE NOT counts_for_badge")
    return demo
  }

  private func expire(
    _ demo: Demo, at now: Date = deadline, chunk: Int = 5_000, dryRun: Bool = false
  ) async throws -> [Int] {
    let function = ProposalExpired(store: demo.store(chunk: chunk))
    let envelope = Envelope(id: "t", source: "/schedules", type: "tick", data: RawJSON(object: [("a", RawJSON(1))]))
    let event = Event(envelope: envelope, data: try ProposalExpired.payload(envelope.data))
    let context = Context(function: "proposal-expired", dryRun: dryRun, now: now, log: Log { _ in })
    let answer = try await function.handle(event, context)
    return ["archived", "withdrawn"].compactMap { answer[$0]?.intValue }
  }

  @Test(arguments: [(-1.0, 0), (0, 2), (60, 2)])
  func atTheDeadlineWhatAskedForVotesLeaves(seconds: Double, archived: Int) async throws {
    let demo = try await asked()

    let counts = try await expire(demo, at: Self.deadline.addingTimeInterval(seconds))

    #expect(counts == [archived, archived / 2])
    #expect(try await demo.inbox(of: .eva).isEmpty == (archived > 0))
    let states = try await demo.connection.query(
      """
      SELECT d.state || coalesce(d.reason, '') AS state FROM deliveries d
      JOIN notifications n ON n.id = d.notification_id WHERE n.type <> 'badge'
      """)
    #expect(try states.decode("state", as: String.self) == [archived > 0 ? "expiredProposalExpired" : "queued"])
  }

  @Test(arguments: ["confirmed", "cancelled", "expired"])
  func soItDoesWhenTheProposalIsClosed(status: String) async throws {
    let demo = try await asked()
    try await demo.connection.script("UPDATE event_proposals SET status = '\(status)'")

    #expect(try await expire(demo, at: Demo.dayBefore) == [2, 1])
  }

  @Test func againItChangesNothing() async throws {
    let demo = try await asked()
    _ = try await expire(demo)

    #expect(try await expire(demo) == [0, 0])
  }

  @Test func allOfManyLeaveInChunks() async throws {
    let demo = try await asked()

    #expect(try await expire(demo, chunk: 1) == [2, 1])
  }

  @Test func aDryRunOnlyCounts() async throws {
    let demo = try await asked()

    #expect(try await expire(demo, dryRun: true) == [2, 1])
    #expect(try await expire(demo) == [2, 1])
  }

  @Test func theBadgesOfThoseWhoHaveNotVotedFallOnce() async throws {
    let demo = try await asked()
    try await demo.connection.script("UPDATE notifications SET is_read = true")

    _ = try await expire(demo, at: Self.deadline.addingTimeInterval(-1))
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE type = 'badge'") == 0)
    for _ in 0..<2 { _ = try await expire(demo) }

    let told = try await demo.connection.query(
      """
      SELECT d.user_id::text FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      WHERE n.type = 'badge' ORDER BY 1
      """)
    #expect(try told.decode("user_id") == [Person.ada.id, Person.eva.id])
    try await demo.connection.script("DELETE FROM deliveries")
    _ = try await expire(demo, at: Self.deadline.addingTimeInterval(60))
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 0)
  }

  @Test func whatIsUnderWayIsLeftToItsSender() async throws {
    let demo = try await asked()
    try await demo.connection.script(
      "UPDATE deliveries SET lease_id = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 hour'")
    #expect(try await expire(demo) == [2, 0])

    try await demo.connection.script("UPDATE deliveries SET lease_id = NULL, lease_until = NULL")
    #expect(try await expire(demo) == [0, 1])
  }

  @Test(arguments: [
    "UPDATE notifications SET is_read = true", "UPDATE notifications SET type = 'conflict_alert'",
    "UPDATE notifications SET app = 'mugshot'",
  ])
  func nothingElseLeavesTheInbox(change: String) async throws {
    let demo = try await asked()
    try await demo.connection.script(change)

    #expect(try await expire(demo).first == 0)
  }
}
