import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import FeedbackCreated

@Suite(.heavy)
struct FeedbackCreatedTests {
  @Test func tellsOwnerAndMembers() async throws {
    let demo = try await Demo()

    let answer = try await demo.run(FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated())

    #expect(
      answer.decisions == [
        .ada: "notify member", .ben: "notify member", .chloe: "suppress disabled", .dan: "suppress project_muted",
        .eva: "notify member", .finn: "suppress no_device",
      ])
    #expect(answer.result.notified == 3)
    #expect(answer.result.deliveries == 4)
    #expect(answer.result.counts == ["member": 3, "disabled": 1, "project_muted": 1, "no_device": 1])
  }

  @Test func whoIsGoneIsNotTold() async throws {
    let demo = try await Demo()
    try await demo.connection.script("INSERT INTO push_gone_people VALUES ('\(Person.ben.id)')")

    let answer = try await demo.run(FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated())

    #expect(answer.decisions[.ben] == "suppress subject_gone" && answer.decisions[.ada] == "notify member")
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE user_id = \(Person.ben.id)::uuid") == 0)
  }

  @Test func anOwnerWhoIsAMemberTooIsToldOnce() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO project_members (project_id, user_id)
      VALUES ('b0000000-0000-4000-8000-000000000001', '\(Person.ada.id)')
      """)

    let answer = try await demo.run(FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated())

    #expect(answer.decisions[.ada] == "notify member")
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE user_id = \(Person.ada.id)::uuid") == 1)
  }

  @Test(arguments: [
    ("user_id = '\(Person.ben.id)'", Person.ben), ("user_id = upper('\(Person.ben.id)')", .ben),
    ("user_email = 'BEN@example.COM'", .ben), ("user_id = '\(Person.ada.id)', user_email = 'ben@example.com'", .ada),
  ])
  func itsOwnAuthorIsNotTold(change: String, author: Person) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE feedbacks SET \(change)")

    let answer = try await demo.run(FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated())

    #expect(answer.decisions.filter { $0.value == "suppress actor" }.map(\.key) == [author])
  }

  @Test func theActorOfTheEventComesFirst() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE feedbacks SET user_email = 'ben@example.com'")

    let answer = try await demo.run(
      FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated(actor: Person.eva.id))

    #expect(answer.decisions[.eva] == "suppress actor")
    #expect(answer.decisions[.ben] == "notify member")
  }

  @Test func aFeedbackThatIsGoneTellsNobody() async throws {
    let demo = try await Demo()
    try await demo.connection.script("DELETE FROM feedbacks")

    let answer = try await demo.run(FeedbackCreated(store: demo.store()), on: RowEvent.feedbackCreated())

    #expect(answer.result.reason == "subject_gone")
    #expect(answer.result.notified == 0)
    #expect(try await demo.effects() == [0, 0, 0, 1, 0])
  }
}
