import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import ProposalCreated

@Suite(.heavy)
struct ProposalCreatedTests {
  private func create(_ demo: Demo, _ id: String = "e1", actor: String? = nil) async throws -> Answer {
    try await demo.run(
      ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT", id, actor: actor), at: Demo.dayBefore)
  }

  @Test func asksTheMembersForTheirVote() async throws {
    let demo = try await Demo()

    let answer = try await create(demo)

    #expect(
      answer.decisions == [
        .ada: "suppress actor", .ben: "suppress already_handled", .chloe: "suppress disabled", .eva: "notify member",
        .hugo: "suppress no_device",
      ])
    #expect(try await demo.inbox(of: .eva) == ["Ada proposed Game Night / Vote needed • Closes in 24 hours"])
  }

  @Test func aRepeatedEventTellsNobodyTwice() async throws {
    let demo = try await Demo()
    let first = try await create(demo)

    #expect(try await create(demo).json == first.json)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 1)
  }

  @Test func whoMadeItIsNotAskedWhoeverWroteItDown() async throws {
    let demo = try await Demo()

    let answer = try await create(demo, actor: Person.eva.id)

    #expect(answer.decisions[.ada] == "suppress already_handled")
    #expect(answer.decisions[.eva] == "suppress actor")
  }

  @Test func aPrivateTitleAppearsNowhere() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_proposals SET visibility = 'private'")

    _ = try await create(demo)

    #expect(
      try await demo.inbox(of: .eva) == ["Ada updated their availability / Vote needed • Closes in 24 hours"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%Game Night%'") == 0)
  }

  @Test(
    arguments: [
      ("UPDATE event_proposals SET status = 'cancelled'", "suppress already_handled"),
      ("UPDATE event_proposals SET deadline = '2030-01-04 20:00+00'", "suppress already_handled"),
      ("UPDATE group_notification_preferences SET notification_level = 'muted'", "suppress project_muted"),
      ("UPDATE group_notification_preferences SET proposal_notifications = false", "suppress type_disabled"),
      ("DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'", nil),
      ("DELETE FROM event_proposals", nil),
    ] as [(String, String?)])
  func whatHappenedMeanwhileCounts(change: String, expected: String?) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    #expect(try await create(demo).decisions[.eva] == expected)
  }

  @Test func anotherEventIsRefused() async throws {
    let demo = try await Demo()

    let error = await #expect(throws: FunctionError.self) {
      try await demo.run(ProposalCreated(store: demo.store()), on: RowEvent.proposal("UPDATE", from: ""))
    }

    #expect(error?.code == .invalidEvent)
  }
}
