import FoundationEssentials
import Notifications
import PersonLive
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

  /// The fate of the four events before the summary's second attempt, and the words that it has then.
  @Test(
    arguments: [
      ("SELECT", "Event 4 confirmed! • Event 3 confirmed! • Event 2 confirmed! • 1 more", 4),
      ("UPDATE notifications SET is_read = true WHERE title = 'Event 4 confirmed!'", named(3, 2, 1), 3),
      ("UPDATE events SET status = 'cancelled' WHERE title IN ('Event 1', 'Event 3')", named(4, 2), 2),
      (
        "UPDATE events SET title = 'Quiz' WHERE title = 'Event 3'; DELETE FROM events WHERE title = 'Event 1'",
        "Event 4 confirmed! • Quiz confirmed! • Event 2 confirmed!", 3
      ),
      (
        "UPDATE events SET starts_at = 'epoch', ends_at = '2030-01-04 23:30+00' WHERE title < 'Event 3'", named(4, 3), 2
      ),
      (
        """
        INSERT INTO user_activity (user_id, app, subject_id, seen_at)
        SELECT '\(Person.ben.id)', 'lockitin', id::text, '2030-01-05 00:00+00' FROM events WHERE title = 'Event 2'
        """, named(4, 3, 1), 3
      ),
      (
        "UPDATE events SET visibility = 'private' WHERE title = 'Event 4'",
        "Ada updated their availability • Event 3 confirmed! • Event 2 confirmed! • 1 more", 4
      ),
    ])
  func lateItIsWordedAnew(change: String, body: String, count: Int) async throws {
    let scene = try await released(change)
    let late = NightScene.awake + 3_600

    let pushes = try await scene.claim(at: late).pushes.filter { $0.collapseID == QuietSummary.collapseID }

    #expect(pushes.count == 1)
    #expect(
      pushes.allSatisfy {
        $0.payload.contains(#"{"body":"\#(body)","title":"\#(count) things while it was quiet"}"#)
          && $0.payload.contains(#""count":\#(count)"#)
      }, "\(pushes.map(\.payload))")
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notifications WHERE type = 'quiet_summary' AND is_archived AND pushed_at = \(late)") == 1)
    #expect(try await scene.unread() == count)
  }

  private static func named(_ events: Int...) -> String {
    events.map { "Event \($0) confirmed!" }.joined(separator: " • ")
  }

  @Test func oneThingThatIsLeftIsSaidInItsOwnWords() async throws {
    let scene = try await released(
      "UPDATE events SET status = 'cancelled' WHERE title > 'Event 1'; UPDATE events SET location = 'Attic'")

    let push = try #require(
      try await scene.claim(at: NightScene.awake + 3_600).pushes.first { $0.collapseID == QuietSummary.collapseID })

    let id = try await scene.demo.connection.query("SELECT id FROM notifications WHERE title = 'Event 1 confirmed!'")
      .decode("id", as: UUID.self).map { $0.uuidString.lowercased() }
    #expect(push.payload.contains(#"{"body":"Friday at 9:00 PM","title":"Event 1 confirmed!"}"#), "\(push.payload)")
    #expect(push.payload.contains(#""type":"event_confirmed""#) && push.payload.contains("Attic"))
    #expect(id.contains { push.payload.contains(#""notification_id":"\#($0)""#) })
    #expect(try await scene.unread() == 1)
  }

  @Test(
    arguments: [
      "UPDATE notifications SET is_read = true WHERE type = 'event_confirmed'", "DELETE FROM events",
      "UPDATE events SET status = 'cancelled'", "DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'",
      "UPDATE user_notification_preferences SET confirmations = false",
      """
      INSERT INTO notification_interactions (notification_id, event, occurred_at, created_at)
      SELECT id, 'opened', now(), now() FROM notifications WHERE type = 'quiet_summary'
      """,
    ])
  func whereNothingIsLeftItIsNotSentLate(change: String) async throws {
    let scene = try await released(change)

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

    #expect(outcome.stdout.contains("then told in one message with 3 others, after quiet hours"), "\(outcome)")
    #expect(outcome.stdout.contains("23:01:01  released: told in one message with 3 others, after quiet hours"))
    #expect(outcome.stdout.contains("Told in one message with notification "))
    #expect(outcome.stdout.contains("queued, to be sent then"))
  }
}
