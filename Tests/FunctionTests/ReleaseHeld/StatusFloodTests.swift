import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import EventConfirmed
@testable import StatusChanged

/// Only the current status of a feedback counts, and many changes at once are few pushes.
@Suite(.heavy)
struct StatusFloodTests {
  private let demo: Demo

  init() async throws { demo = try await Demo() }

  private func change(
    _ feedback: String = RowEvent.feedback, from old: String, to new: String, _ id: String, at time: Date
  ) async throws {
    try await demo.connection.script("UPDATE feedbacks SET status = '\(new)' WHERE id = '\(feedback)'")
    let row = { (status: String) in #"{"id":"\#(feedback)","status":"\#(status)"}"# }
    let event = RowEvent.event("UPDATE", "feedbacks", record: row(new), oldRecord: row(old), id: id)
    _ = try await demo.run(StatusChanged(store: demo.store()), on: event, at: time)
  }

  private func pushes() async throws -> [String] {
    try await demo.connection.query(
      "SELECT body FROM notifications WHERE user_id = \(Person.grace.id)::uuid AND pushed_at IS NOT NULL ORDER BY pushed_at"
    ).decode("body")
  }

  private func release(at time: Date) async throws -> ReleaseResult {
    try await demo.store().release(at: time, dryRun: false)
  }

  @Test func aStatusThatComesBackWithinMinutesEndsAsItIs() async throws {
    try await change(from: "pending", to: "approved", "e1", at: Demo.now)
    try await change(from: "approved", to: "rejected", "e2", at: Demo.now + 60)
    try await change(from: "rejected", to: "approved", "e3", at: Demo.now + 61)

    _ = try await release(at: Demo.now + 661)

    #expect(try await pushes() == ["Dark mode is now Approved"])
  }

  @Test func aStatusThatComesBackLaterIsTold() async throws {
    try await change(from: "pending", to: "approved", "e1", at: Demo.now)
    try await demo.send()
    try await change(from: "approved", to: "rejected", "e2", at: Demo.now + 700)
    try await demo.send()
    try await change(from: "rejected", to: "approved", "e3", at: Demo.now + 701)

    _ = try await release(at: Demo.now + 1_400)

    #expect(
      try await pushes() == ["Dark mode is now Approved", "Dark mode is now Rejected", "Dark mode is now Approved"])
    #expect(try await demo.inbox(of: .grace) == ["Status Updated / Dark mode is now Approved"])
  }

  @Test func manyStatusesAtOnceAreFivePushesAndOneForTheRest() async throws {
    for number in 0..<9 {
      let id = "cf000000-0000-4000-8000-00000000000\(number)"
      try await demo.connection.script(
        """
        INSERT INTO feedbacks (id, title, user_id, user_email, project_id)
        SELECT '\(id)', 'F\(number)', 'sdk-x', 'grace@example.com', project_id FROM feedbacks
        WHERE id = '\(RowEvent.feedback)'
        """)
      try await change(id, from: "pending", to: "approved", "e\(number)", at: Demo.now + Double(number) / 10)
    }
    let before = try await pushes().count

    let release = try await release(at: Demo.now + 661)

    #expect(before == 5)
    #expect(release.released == 1 && release.merged == 3)
    let last = try #require(try await pushes().last)
    #expect(last.hasPrefix("4 items updated in "))
    #expect(
      try await demo.number(
        "SELECT count(*) FROM notifications WHERE body = \(last) AND payload LIKE '%\"feedbackkit:__project_%'") == 1)
  }

  @Test func aConfirmationIsToldOnceInWhateverOrderTheRowsAreWritten() async throws {
    let status = RowEvent.proposal("UPDATE", from: #""status":"open""#, to: #""status":"confirmed""#, "status")
    let row = RowEvent.event(
      "INSERT", "events",
      record: #"{"id":"fa000000-0000-4000-8000-000000000009","proposal_id":"\#(Demo.proposal)","status":"confirmed"}"#,
      id: "row")
    let (confirm, insert) = (
      "UPDATE event_proposals SET status = 'confirmed'",
      """
      INSERT INTO events (id, group_id, proposal_id, title, starts_at, ends_at) VALUES
        ('fa000000-0000-4000-8000-000000000009', '\(Demo.group)', '\(Demo.proposal)', 'Game Night',
         '2030-01-12 19:00+00', '2030-01-12 23:00+00')
      """
    )
    for steps in [
      [(confirm, [status]), (insert, [row])], [(insert, [row]), (confirm, [status])],
      [(confirm + ";" + insert, [status, row])], [(confirm + ";" + insert, [row, status])],
    ] {
      let demo = try await Demo()
      var told = 0
      for (script, events) in steps {
        try await demo.connection.script(script)
        for event in events {
          told += try await demo.run(EventConfirmed(store: demo.store()), on: event, at: Demo.dayBefore).result.notified
        }
      }
      #expect(told == 2)
      #expect(try await demo.inbox(of: .ada) == ["Game Night confirmed! / Saturday at 7:00 PM"])
    }
  }
}
