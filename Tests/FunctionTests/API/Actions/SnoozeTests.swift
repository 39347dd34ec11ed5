import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ActionCompleted
@testable import Actions
@testable import PushDelivery

/// Ada is told 40 minutes before the picnic that she has to leave.
@Suite(.heavy)
struct SnoozeTests {
  private static let leaving = ActionScene.leaving

  private struct Phone {
    let scene: ActionScene
    let client = ScriptedClient(.accepted, status: 200)
    let told: String

    init() async throws {
      scene = try await ActionScene()
      try await scene.remind()
      told = try await scene.notification("time_to_leave", of: .ada)
      #expect(try await sent(at: 0) == 1)
    }

    /// Releases and sends what is due some seconds after the first push; answers with the number of pushes to leave.
    func sent(at seconds: Double) async throws -> Int {
      let now = SnoozeTests.leaving + seconds
      _ = try await scene.demo.store().release(at: now, dryRun: false)
      let before = client.pushes.count
      let store = scene.demo.queue()
      _ = try await PushDelivery(store: store, client: client.client, jitter: { 0 }).handle(.wakeUp, .test(now: now))
      return client.pushes.dropFirst(before).filter { $0.payload.contains("time_to_leave") }.count
    }

    func snooze(at seconds: Double, _ more: String = "") async throws -> APIAnswer {
      try await scene.act(told, "SNOOZE", as: .ada, more, at: SnoozeTests.leaving + seconds)
    }

    /// Has the function of row events handle that the notification was read.
    func tellOfReading(at seconds: Double) async throws {
      let row = try await scene.texts("SELECT to_jsonb(n)::text AS text FROM notifications n WHERE id = \(told)::uuid")
      let old = row[0].replacing(#""is_read": true"#, with: #""is_read": false"#)
      let event = RowEvent.event("UPDATE", "notifications", record: row[0], oldRecord: old, id: "read")
      let envelope = try Envelope(RawJSON(validating: Array(event.utf8)[...]))
      let function = ActionCompleted(
        store: CompletedActStore(scene.demo.connection()))
      _ = try await function.handle(
        Event(envelope: envelope, data: try ActionCompleted.payload(envelope.data)),
        Context(function: ActionCompleted.name, now: SnoozeTests.leaving + seconds, log: Log { _ in }))
    }

    func isRead() async throws -> Bool {
      try await scene.demo.number("SELECT (SELECT is_read FROM notifications WHERE id = \(told)::uuid)::int") == 1
    }
  }

  @Test func itIsSentAgainFiveMinutesLaterOnceAndIsUnread() async throws {
    let phone = try await Phone()
    _ = try await phone.scene.send(phone.told, "opened", as: .ada, nil, at: Self.leaving + 5)

    let answer = try await phone.snooze(at: 10)

    #expect(answer.status == 200)
    #expect(answer.json["sentAgainAt"]?.stringValue == RFC3339.seconds(Self.leaving + 310))
    try await phone.tellOfReading(at: 11)
    #expect(try await !phone.isRead())
    #expect(try await phone.sent(at: 309) == 0)
    #expect(try await phone.sent(at: 310) == 1)
    #expect(phone.client.pushes.map(\.collapseID) == Array(repeating: phone.told, count: 2))
    #expect(try await phone.sent(at: 311) == 0)
    #expect(try await phone.sent(at: 900) == 0)
    #expect(try await !phone.isRead())
    #expect(try await phone.scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
    #expect(
      try await phone.scene.texts(
        "SELECT concat_ws(' ', decision, reason) AS text FROM notification_rechecks ORDER BY created_at")
        == ["hold snoozed", "notify"])
    try await phone.scene.remind(at: Self.leaving + 360, "t2")
    #expect(try await phone.sent(at: 361) == 0)
  }

  @Test func itsRetryAnswersTheSameAndASecondSnoozeIsAnother() async throws {
    let phone = try await Phone()
    let press = #""at":"\#(RFC3339.string(Self.leaving + 10))""#
    let first = try await phone.snooze(at: 12, press)
    let state = try await phone.scene.state()
    #expect(first.json["sentAgainAt"]?.stringValue == RFC3339.seconds(Self.leaving + 310))

    #expect(try await phone.snooze(at: 60, press).response.body == first.response.body)
    #expect(try await phone.scene.state() == state)
    #expect(try await phone.sent(at: 310) == 1)
    #expect(try await phone.snooze(at: 400, press).response.body == first.response.body)
    #expect(try await phone.sent(at: 1_000) == 0)

    let second = try await phone.snooze(at: 1_000)
    #expect(try await phone.snooze(at: 1_001).response.body == second.response.body)
    #expect(try await phone.sent(at: 1_299) == 0)
    #expect(try await phone.sent(at: 1_300) == 1)
  }

  @Test func twoAtOnceAreSentAgainOnce() async throws {
    let phone = try await Phone()

    async let one = phone.snooze(at: 10)
    async let other = phone.snooze(at: 10, #""at":"\#(RFC3339.string(Self.leaving + 9))""#)
    #expect(try await [one.status, other.status] == [200, 200])

    #expect(try await phone.sent(at: 310) == 1)
    #expect(try await phone.sent(at: 700) == 0)
  }

  @Test(arguments: [(5, 1), (20, 0)])
  func whatWasOpenedBeforeIsSentAgainHoweverLateItIsReported(opened: Double, sent: Int) async throws {
    let phone = try await Phone()
    _ = try await phone.snooze(at: 10)

    let body = #"{"at":"\#(RFC3339.string(Self.leaving + opened))"}"#
    #expect(try await phone.scene.send(phone.told, "opened", as: .ada, body, at: Self.leaving + 30).status == 204)
    try await phone.tellOfReading(at: 31)

    #expect(try await phone.sent(at: 310) == sent)
  }

  @Test func itAndASenderAndAReleaseAtOnceDisturbNoneOfThem() async throws {
    let phone = try await Phone()
    try await phone.scene.demo.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, app, environment, bundle_id)
      SELECT '\(Person.ada.id)', repeat('f' || n, 32), 'iOS', 'lockitin', 'sandbox', 'com.lockit.app'
      FROM generate_series(1, 9) n
      """)
    for round in 0..<12 {
      let time = Double(10 + round * 100)
      async let snooze = phone.snooze(at: time)
      async let sent = phone.sent(at: time)
      async let opened = phone.scene.send(phone.told, "opened", as: .ada, nil, at: Self.leaving + time)
      let answers = try await [snooze, opened].map { $0.reason ?? "\($0.status)" }
      #expect(answers == ["200", "204"])
      _ = try await sent
      // No matter what came last: it is snoozed once more, and comes due.
      _ = try await phone.snooze(at: time, #""at":"\#(RFC3339.string(Self.leaving + time - 0.5))""#)
      try await phone.scene.demo.connection.script(
        "UPDATE held_notifications SET held_until = '2030-01-12 18:20:00+00'")
    }

    #expect(try await phone.sent(at: 1_300) == 10)
    #expect(try await phone.sent(at: 1_301) == 0)
  }

  @Test(arguments: [false, true])
  func whoActsMeanwhileIsLeftInPeaceAndKeepsItsEntry(isHandled: Bool) async throws {
    let phone = try await Phone()
    _ = try await phone.snooze(at: 10)

    let answer = try await phone.scene.act(phone.told, "GET_DIRECTIONS", as: .ada, at: Self.leaving + 60)
    if isHandled { try await phone.tellOfReading(at: 61) }

    #expect(answer.status == 200)
    #expect(try await phone.sent(at: 310) == 0)
    #expect(
      try await phone.scene.texts(
        "SELECT concat_ws(' ', is_read, is_archived) AS text FROM notifications WHERE id = \(phone.told)::uuid") == [
          "t f"
        ])
    #expect(try await phone.scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
  }

  @Test func whatIsCalledOffIsNotSentAgain() async throws {
    let phone = try await Phone()
    _ = try await phone.snooze(at: 10)
    try await phone.scene.demo.connection.script("UPDATE events SET status = 'cancelled'")

    #expect(try await phone.sent(at: 310) == 0)
    let state = try await phone.scene.state()
    #expect(try await phone.snooze(at: 400).status == 409)
    #expect(try await phone.scene.state() == state)
  }

  @Test(arguments: [("25", 1), ("6", 1), ("5", 0), ("1", 0), ("NULL", 0)])
  func nobodyIsToldToLeaveForWhatIsNear(minutes: String, sent: Int) async throws {
    let phone = try await Phone()
    _ = try await phone.snooze(at: 10)
    try await phone.scene.demo.connection.script("UPDATE event_attendees SET travel_minutes = \(minutes)")

    #expect(try await phone.sent(at: 310) == sent)
    #expect(phone.client.pushes.dropFirst().allSatisfy { $0.payload.contains("\(minutes) min away") })
  }

  @Test(arguments: [(2_099, 200), (2_100, 409), (2_401, 409)] as [(Double, Int)])
  func nothingIsSentAgainOnceTheEventHasBegun(seconds: Double, status: Int) async throws {
    let phone = try await Phone()
    let state = try await phone.scene.state()

    let answer = try await phone.snooze(at: seconds)

    #expect(answer.status == status, "\(answer.reason ?? "")")
    if status == 409 { #expect(try await phone.scene.state() == state) }
  }

  @Test func aReleaseThatComesTooLateSendsNothing() async throws {
    let phone = try await Phone()
    _ = try await phone.snooze(at: 10)

    #expect(try await phone.sent(at: 40 * 60) == 0)
    #expect(try await phone.scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
  }

  /// A clock was a century ahead for a moment, and has ended the wait.
  @Test func aClockThatWasAheadEndsNoSnooze() async throws {
    let phone = try await Phone()
    _ = try await phone.snooze(at: 10)

    #expect(try await phone.sent(at: 100 * 365 * 86_400) == 0)
    #expect(try await phone.scene.demo.number("SELECT count(*) FROM held_notifications") == 0)

    #expect(try await phone.sent(at: 20) == 0)
    #expect(try await phone.sent(at: 309) == 0)
    #expect(try await phone.sent(at: 310) == 1)
    #expect(try await phone.sent(at: 900) == 0)
  }
}
