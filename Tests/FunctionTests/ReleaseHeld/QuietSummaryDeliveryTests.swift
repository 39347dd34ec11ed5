import FoundationEssentials
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

/// A summary on its way.
@Suite(.heavy)
struct QuietSummaryDeliveryTests {
  private func released(_ change: String = "SELECT") async throws -> NightScene {
    let scene = try await NightScene()
    try await scene.confirm(4)
    _ = try await scene.release()
    try await scene.demo.connection.script(change)
    return scene
  }

  @Test func itIsAnAlertThatOpensTheInbox() async throws {
    let scene = try await released()

    let push = try #require(try await scene.claim().pushes.first { $0.collapseID == QuietSummary.collapseID })
    let row = try await scene.demo.connection.query("SELECT id FROM notifications WHERE type = 'quiet_summary'").only()

    let id = try row.decode("id", as: UUID.self).uuidString.lowercased()
    #expect(
      push.payload == #"{"aps":{"alert":{"#
        + #""body":"Event 4 confirmed! • Event 3 confirmed! • Event 2 confirmed! • 1 more","title":"4 things while it was quiet"},"interruption-level":"active","mutable-content":1,"#
        + #""relevance-score":0.5,"sound":"default"},"count":4,"deep_link":"lockit://inbox","type":"quiet_summary","#
        + #""notification_id":"\#(id)"}"#)
    #expect(push.expiresAt == NightScene.evening + 4 * 60 + 86_400, "as long as the newest of them")
    #expect(push.priority == 10)
  }

  @Test func lateItStaysAsItIs() async throws {
    let scene = try await released("UPDATE notifications SET is_read = true WHERE title = 'Event 4 confirmed!'")

    let pushes = try await scene.claim(at: NightScene.awake + 3_600).pushes

    #expect(pushes.filter { $0.payload.contains("4 things while it was quiet") }.count == 1)
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM notifications
        WHERE type = 'quiet_summary' AND is_archived AND pushed_at = \(NightScene.awake + 3_600)
        """) == 1)
  }

  @Test func whereAllIsReadItIsNotSentLate() async throws {
    let scene = try await released("UPDATE notifications SET is_read = true WHERE type = 'event_confirmed'")

    let pushes = try await scene.claim(at: NightScene.awake + 3_600).pushes

    #expect(!pushes.contains { $0.collapseID == QuietSummary.collapseID })
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
        WHERE n.type = 'quiet_summary' AND d.state = 'expired'
        """) == 1)
  }

  @Test func itDoesNotComeAtNight() async throws {
    let scene = try await released()

    let night = try await scene.claim(at: NightScene.evening + 24 * 3_600)

    #expect(!night.pushes.contains { $0.collapseID == QuietSummary.collapseID })
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM notification_rechecks r JOIN notifications n ON n.id = r.notification_id
        WHERE n.type = 'quiet_summary'
        """) == 1)
  }

  @Test func explainSaysWhatToldIt() async throws {
    let scene = try await released()

    let outcome = try await BuiltExecutables.run(
      "push", ["why", "confirmed 2", "--user", "ben@example.com"], stdin: "",
      environment: ["DATABASE_URL": scene.demo.url])

    #expect(outcome.stdout.contains("then told in one push with others after quiet hours"), "\(outcome)")
    #expect(outcome.stdout.contains("23:01:01  released: told in one push with others after quiet hours"))
    #expect(outcome.stdout.contains("Told in one with notification "))
    #expect(outcome.stdout.contains("queued, to be sent then"))
  }
}
