import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

/// More than three things that waited for the end of quiet hours are told in one push.
@Suite(.heavy)
struct QuietSummaryTests {
  private static let five =
    "5 things while it was quiet / Event 5 confirmed! • Event 4 confirmed! • Event 3 confirmed! • 2 more"

  @Test func manyThingsAreOnePushAndAllStayInTheInbox() async throws {
    let scene = try await NightScene()
    try await scene.confirm(5)

    let due = try await scene.release()
    let again = try await scene.release(at: NightScene.awake + 60)

    #expect(due.released == 1 && due.summarized == 5 && due.held + due.merged + due.suppressed == 0)
    #expect(again.released + again.summarized + again.held == 0 && again.wakeAt == nil)
    #expect(try await scene.pushes() == [Self.five])
    let alone: SQL = """
      SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id WHERE n.summary_id IS NOT NULL
      """
    #expect(try await scene.demo.number(alone) == 0)
    #expect(try await scene.unread() == 5)
    // As an app asks that knows no archive.
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notifications WHERE user_id = \(Person.ben.id)::uuid AND is_read IS NOT TRUE") == 5)
    #expect(try await scene.demo.inbox(of: .ben).allSatisfy { $0.hasPrefix("Event ") && $0.contains("day at ") })
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM notification_rechecks r JOIN notifications n ON n.id = r.notification_id
        JOIN notifications s ON s.id = n.summary_id AND s.type = 'quiet_summary' WHERE r.decision = 'summarize'
        """) == 5)
  }

  @Test func threeThingsAreThreePushes() async throws {
    let scene = try await NightScene()
    try await scene.confirm(3)

    let due = try await scene.release()

    #expect(due.released == 3 && due.summarized == 0)
    #expect(try await scene.pushes() == scene.demo.inbox(of: .ben))
  }

  @Test func whoWantsNoSummaryGetsAPushEach() async throws {
    let scene = try await NightScene()
    try await scene.set("quiet_hours_summary = false")
    try await scene.confirm(4)

    #expect(try await scene.release().released == 4)
  }

  @Test(arguments: [(nil, 4, 0), (true, 1, 4), (false, 4, 0)] as [(Bool?, Int, Int)])
  func theOtherAppsDoSoWhereItIsSwitchedOn(isOn: Bool?, pushes: Int, summarized: Int) async throws {
    let scene = try await NightScene()
    _ = try await scene.demo.connection.query("UPDATE notification_settings SET quiet_hours_summary = \(isOn as Bool?)")
    try await scene.comment(4)

    let due = try await scene.release()
    let claimed = try await scene.claim().pushes.filter { $0.collapseID == QuietSummary.collapseID }

    #expect(due.released == pushes && due.summarized == summarized)
    #expect(try await scene.pushes(to: .ada, in: .feedbackKit).count == pushes)
    guard isOn == true else { return }
    #expect(try await scene.pushes(to: .ada, in: .feedbackKit) == ["4 things while it was quiet / New Comment (4)"])
    #expect(claimed.count == 2 && claimed.allSatisfy { $0.badge == 4 }, "one for each of Ada's devices")
  }

  @Test(arguments: [(3, 4, 0), (4, 2, 4)])
  func whatAsksForAnAnswerGoesOutByItself(events: Int, pushes: Int, summarized: Int) async throws {
    let scene = try await NightScene()
    try await scene.propose()
    try await scene.confirm(events)

    let due = try await scene.release()

    #expect(due.released == pushes && due.summarized == summarized)
    #expect(try await scene.pushes().contains { $0.hasPrefix("Ada proposed Game Night") })
  }

  @Test(arguments: [(nil, 1, 0), (1, 0, 4), (2, 1, 0)] as [(Int?, Int, Int)])
  func whereTheHourHasNoRoomEachWaitsByItself(limit: Int?, released: Int, held: Int) async throws {
    let scene = try await NightScene()
    try await scene.set("hourly_limit = \(limit as Int?)")
    try await scene.confirm(4)
    _ = try await scene.demo.connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, pushed_at, is_archived)
      VALUES (\(Person.ben.id)::uuid, 'lockitin', 'vote_cast', 'Earlier', \(NightScene.awake - 600), true)
      """)

    let due = try await scene.release()

    #expect(due.released == released && due.held == held && due.summarized == (released == 1 ? 4 : 0))
  }

  @Test(
    arguments: [
      "UPDATE events SET status = 'cancelled' WHERE title = 'Event 1'",
      "UPDATE notifications SET is_read = true WHERE title = 'Event 1 confirmed!'",
      "DELETE FROM event_proposals WHERE title = 'Event 1'",
      """
      INSERT INTO user_activity (user_id, app, subject_id, seen_at)
      SELECT '\(Person.ben.id)', 'lockitin', id::text, '2030-01-04 23:00+00' FROM events WHERE title = 'Event 1'
      """,
    ])
  func whatIsNoLongerToBeSaidDoesNotCount(change: String) async throws {
    let scene = try await NightScene()
    try await scene.confirm(4)
    try await scene.demo.connection.script(change)

    let due = try await scene.release()

    #expect(due.released == 3 && due.summarized == 0)
    #expect(try await scene.pushes().first == "Event 2 confirmed! / Friday at 10:00 PM")
  }

  @Test func whoEndsTheirQuietHoursGetsItAtOnce() async throws {
    let scene = try await NightScene()
    try await scene.confirm(5)
    try await scene.set("quiet_hours_enabled = false")

    let due = try await scene.release(at: NightScene.evening + 600)

    #expect(due.released == 1 && due.summarized == 5)
    #expect(try await scene.pushes() == [Self.five])
  }

  @Test func aHiddenTitleIsInNoSummary() async throws {
    let scene = try await NightScene()
    try await scene.confirm(4, visibility: "private")

    _ = try await scene.release()

    #expect(try await scene.pushes() == ["4 things while it was quiet / Ada updated their availability (4)"])
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%Event%'") == 0)
  }
}
