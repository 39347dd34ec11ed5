import FoundationEssentials
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import StatusChanged

@Suite(.heavy)
struct StatusChangedTests {
  @Test func tellsSubmitterAndVotersEachInTheirWords() async throws {
    let demo = try await Demo()

    let answer = try await demo.run(StatusChanged(store: demo.store()), on: RowEvent.statusChanged())

    let rows = try await demo.connection.query("SELECT user_id, body FROM notifications ORDER BY user_id")
    #expect(answer.decisions == [.grace: "notify submitter", .hugo: "notify voter"])
    #expect(try rows.decode("body") == ["Dark mode is now In Progress", "Feedback you voted on: In Progress"])
  }

  @Test(
    arguments: [
      (
        "a submitter who voted is told once", "UPDATE votes SET user_email = 'grace@example.com'",
        [.grace: "notify submitter"]
      ),
      (
        "a voter is also known by their id",
        "UPDATE votes SET user_id = '\(Person.ben.id)', user_email = NULL WHERE user_id = 'sdk-iris'",
        [.grace: "notify submitter", .hugo: "notify voter", .ben: "notify voter"]
      ),
      (
        "the submitter is not taken for whoever changed it", "UPDATE feedbacks SET user_id = '\(Person.grace.id)'",
        [.grace: "notify submitter", .hugo: "notify voter"]
      ),
    ] as [(String, String, [Person: String])])
  func eachIsToldOnceForTheStrongestReason(_ name: String, change: String, expected: [Person: String]) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    let answer = try await demo.run(StatusChanged(store: demo.store()), on: RowEvent.statusChanged())

    #expect(answer.decisions == expected)
  }

  @Test func whoeverTheEventNamesIsNotTold() async throws {
    let demo = try await Demo()

    let answer = try await demo.run(
      StatusChanged(store: demo.store()), on: RowEvent.statusChanged(actor: Person.hugo.id))

    #expect(answer.decisions == [.grace: "notify submitter", .hugo: "suppress actor"])
  }

  @Test func anUnchangedStatusTellsNobody() async throws {
    let demo = try await Demo()

    let answer = try await demo.run(
      StatusChanged(store: demo.store()), on: RowEvent.statusChanged(from: "approved", to: "approved"))

    #expect(answer.result.reason == "unchanged")
    #expect(try await demo.effects() == [0, 0, 0, 0, 0])
  }

  @Test func theSameWordsComeOnceInTenMinutes() async throws {
    let demo = try await Demo()
    let function = StatusChanged(store: demo.store())
    _ = try await demo.run(function, on: RowEvent.statusChanged("e1"))

    let soon = try await demo.run(
      function, on: RowEvent.statusChanged("e2"), at: Demo.now.addingTimeInterval(599))
    let other = try await demo.run(
      function, on: RowEvent.statusChanged(to: "completed", "e3"), at: Demo.now.addingTimeInterval(599))
    let later = try await demo.run(
      function, on: RowEvent.statusChanged("e4"), at: Demo.now.addingTimeInterval(601))

    #expect(soon.decisions == [.grace: "suppress duplicate", .hugo: "suppress duplicate"])
    #expect(other.result.counts == ["batched": 2])
    #expect(later.result.counts == ["batched": 2], "what is gathered has not gone out yet")
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE source_event_id = 'e2'") == 0)
  }
}
