import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import CommentAdded
@testable import ProposalReminder

/// Every push names its notification, so that the app can report what became of it.
@Suite(.heavy)
struct PayloadIDTests {
  /// The ids of the notifications that are pushed, and those in their payloads.
  private func ids(_ demo: Demo, _ key: String) async throws -> [(own: String, told: String?)] {
    let rows = try await demo.connection.query("SELECT id, payload FROM notifications WHERE payload IS NOT NULL")
    return try rows.map { row in
      let payload = try RawJSON(validating: Array(try row.decode("payload", as: String.self).utf8)[...])
      return (try row.decode("id"), payload[key]?.stringValue)
    }
  }

  @Test func eachPersonsPushHasTheIDOfTheirOwnNotification() async throws {
    let demo = try await Demo()

    _ = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    let ids = try await ids(demo, "notificationId")
    #expect(ids.count == 3 && ids.allSatisfy { $0.own == $0.told })
    #expect(Set(ids.map(\.own)).count == 3)
  }

  @Test func lockItInWritesItsKeyInItsOwnWay() async throws {
    let demo = try await Demo()
    let text = try Repository.text("Tests/Events/proposal-reminder.json")

    _ = try await demo.run(ProposalReminder(store: demo.store()), on: text, at: Demo.beforeDeadline)

    let ids = try await ids(demo, "notification_id")
    #expect(!ids.isEmpty && ids.allSatisfy { $0.own == $0.told })
    let apps = try await demo.connection.query("SELECT DISTINCT app FROM decisions").decode("app", as: String.self)
    #expect(apps == ["lockitin"])
  }

  @Test func aRehearsalShowsWhereTheIDWillStand() async throws {
    let demo = try await Demo()

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded(), dryRun: true)

    let payload = answer.json["payloads"]?.elements?.first?["payload"]
    #expect(payload?["notificationId"]?.stringValue == "00000000-0000-0000-0000-000000000000")
  }
}
