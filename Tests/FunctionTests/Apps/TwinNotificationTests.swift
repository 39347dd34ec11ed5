import Foundation
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import NotificationCreated
@testable import ProposalCreated

/// LockItIn's plan has a trigger that makes an entry for each member of a group when somebody proposes an event.
@Suite(.heavy)
struct TwinNotificationTests {
  private static let entry = "e1000000-0000-4000-8000-000000000001"

  /// A database with the entry of such a trigger for Eva, which was made some time before the function saw it.
  private func demo(type: String = "PROPOSAL_CREATED", waiting seconds: TimeInterval = 0) async throws -> Demo {
    let demo = try await Demo()
    _ = try await demo.connection.query(
      """
      INSERT INTO notifications (id, user_id, app, type, title, body, proposal_id, data, created_at, expires_at)
      VALUES (\(Self.entry)::uuid, \(Person.eva.id)::uuid, 'lockitin', \(type), 'Ada proposed Game Night',
        'Vote needed • Voting closes in 24 hours', \(Demo.proposal)::uuid,
        jsonb_build_object('proposal_id', \(Demo.proposal)::text), \(Demo.dayBefore.addingTimeInterval(-seconds)),
        '2040-01-01')
      """)
    return demo
  }

  private func tellOfEntry(_ demo: Demo, after seconds: TimeInterval) async throws -> String? {
    let record: String = try await demo.connection.query(
      "SELECT to_jsonb(n)::text AS record FROM notifications n WHERE id = \(Self.entry)::uuid"
    ).only().decode("record")
    let event = RowEvent.event("INSERT", "notifications", record: record, id: "entry")
    return try await demo.run(
      NotificationCreated(store: demo.store()), on: event, at: Demo.dayBefore.addingTimeInterval(seconds)
    ).decisions[.eva]
  }

  private func tellOfProposal(_ demo: Demo, after seconds: TimeInterval) async throws -> String? {
    try await demo.run(
      ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT", "proposal"),
      at: Demo.dayBefore.addingTimeInterval(seconds)
    ).decisions[.eva]
  }

  /// The numbers of pushes to Eva, and of entries in her inbox.
  private func told(_ demo: Demo) async throws -> [Int] {
    let eva: SQL = "user_id = \(Person.eva.id)::uuid"
    return [
      try await demo.number("SELECT count(*) FROM deliveries WHERE \(eva)"),
      try await demo.number("SELECT count(*) FROM notifications WHERE \(eva) AND is_archived IS NOT TRUE"),
    ]
  }

  @Test(arguments: [0.0, 599]) func afterTheFunctionTheEntryIsADuplicate(seconds: TimeInterval) async throws {
    let demo = try await demo()

    #expect(try await tellOfProposal(demo, after: 0) == "notify member")
    #expect(try await tellOfEntry(demo, after: seconds) == "suppress duplicate")

    #expect(try await told(demo) == [1, 1])
  }

  /// An hour without functions ends for both of them.
  @Test(arguments: [(0.0, 0.0), (0, 599), (3_600, 0)])
  func afterTheEntryTheFunctionTellsNothing(waiting: TimeInterval, seconds: TimeInterval) async throws {
    let demo = try await demo(waiting: waiting)

    #expect(try await tellOfEntry(demo, after: 0) == "notify addressee")
    #expect(try await tellOfProposal(demo, after: seconds) == "suppress duplicate")

    #expect(try await told(demo) == [1, 1])
  }

  @Test(arguments: ["PROPOSAL_REMINDER", "PROPOSAL_UPDATED"])
  func anotherKindIsTold(type: String) async throws {
    let demo = try await demo(type: type)

    #expect(try await tellOfProposal(demo, after: 0) == "notify member")
    #expect(try await tellOfEntry(demo, after: 1) == "notify addressee")
  }

  /// Reading it is no telling.
  @Test(arguments: [true, false]) func whatIsToldLaterIsNewsAlsoIfTheFirstWasJustRead(entryFirst: Bool) async throws {
    let demo = try await demo()
    if entryFirst { _ = try await tellOfEntry(demo, after: 0) } else { _ = try await tellOfProposal(demo, after: 0) }

    _ = try await demo.connection.query(
      """
      UPDATE notifications SET is_read = true, updated_at = \(Demo.dayBefore.addingTimeInterval(650))
      WHERE function IS NOT NULL
      """)

    let second = try await entryFirst ? tellOfProposal(demo, after: 700) : tellOfEntry(demo, after: 700)
    #expect(second == (entryFirst ? "notify member" : "notify addressee"))
  }

  @Test func whatIsToldLaterIsNews() async throws {
    let demo = try await demo()

    #expect(try await tellOfProposal(demo, after: 0) == "notify member")
    #expect(try await tellOfEntry(demo, after: 600) == "notify addressee")
  }
}
