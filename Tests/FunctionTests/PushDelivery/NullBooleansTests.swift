import API
import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import EventReminder
@testable import GroupInvited
@testable import ProposalVoteCast
@testable import PushDelivery

/// An app's own tables may say neither yes nor no: a device of such a row is active, and an event is tracked.
@Suite(.heavy)
struct NullBooleansTests {
  private static let blank = """
    ALTER TABLE device_tokens ALTER is_active DROP NOT NULL, ALTER is_active DROP DEFAULT;
    ALTER TABLE events ALTER is_tracked DROP NOT NULL;
    UPDATE device_tokens SET is_active = NULL; UPDATE events SET is_tracked = NULL;
    """

  private func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(Self.blank)
    return demo
  }

  private func api() async throws -> APIScene {
    let scene = try await APIScene()
    try await scene.demo.connection.script(Self.blank)
    return scene
  }

  /// At once, or after quiet hours; APNs says that the device is gone.
  @Test(arguments: [false, true]) func aDeviceGetsPushesUntilItIsGone(isHeld: Bool) async throws {
    let demo = try await demo()
    let now = Demo.dayBefore + (isHeld ? 3 * 3_600 + 61 : 0)
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ben.id)', 'UTC', \(isHeld), '19:00', '23:00')
      """)
    let record = #"{"id":"f8000000-0000-4000-8000-000000000001"}"#
    let event = RowEvent.event("INSERT", "group_invites", record: record, id: "e1")
    let told = try await demo.run(GroupInvited(store: demo.store()), on: event, at: Demo.dayBefore)
    #expect(told.decisions == [.ben: isHeld ? "hold quiet_hours" : "notify addressee"])
    #expect(try await demo.store().release(at: now, dryRun: false).released == (isHeld ? 1 : 0))

    let gone = ScriptedClient(.deviceGone(at: now), status: 410)
    let store = demo.queue()
    let delivery = PushDelivery(store: store, client: gone.client, jitter: { 0 })
    _ = try await delivery.handle(.wakeUp, .test(now: now + 61))

    #expect(gone.pushes.map { $0.device.token.prefix(2) } == ["c2"])
    let changed = try await demo.connection.query(
      "SELECT left(token, 2) || ' ' || is_active::text AS device FROM device_tokens WHERE is_active IS NOT NULL")
    #expect(try changed.decode("device") == ["c2 false"])
  }

  @Test func aDeviceLearnsHowManyHaveVoted() async throws {
    let demo = try await demo()

    let event = try await demo.cast("maybe", by: .ada, on: Demo.saturday, "e1")
    _ = try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: Demo.dayBefore)

    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
        WHERE n.type = 'vote_count' AND n.user_id = \(Person.ben.id)::uuid
        """) == 1)
  }

  @Test func aDeviceLearnsThatTheBadgeHasFallen() async throws {
    let scene = try await BadgeScene()
    try await scene.demo.connection.script(Self.blank)

    #expect(try await scene.tell(try await scene.demo.cast("yes", by: .eva)).badgePushes == 2)
  }

  /// Statements about a device of Eva, who has something to answer, and how often her badge is to be looked at.
  @Test(arguments: [
    (
      """
      INSERT INTO device_tokens (user_id, token, platform, app)
      VALUES ('\(Person.eva.id)', 'ab12', 'iOS', 'lockitin')
      """, 1
    ),
    ("UPDATE device_tokens SET registered_at = now() + interval '1 second' WHERE id = '\(BadgeScene.phone)'", 1),
    ("UPDATE device_tokens SET is_active = true WHERE id = '\(BadgeScene.phone)'", 0),
  ])
  func aDeviceThatComesIsNoticed(statement: String, losses: Int) async throws {
    let scene = try await BadgeScene()
    try await scene.demo.connection.script("\(Self.blank) DELETE FROM badge_losses; \(statement)")

    #expect(try await scene.demo.number("SELECT count(*) FROM badge_losses") == losses)
  }

  /// By one statement, by two, and by a change of the one that was there.
  @Test(arguments: [
    """
    INSERT INTO device_tokens (user_id, token, platform)
    SELECT id, t, 'iOS' FROM ada, unnest(ARRAY['abcd', 'ABCD']) AS t
    """,
    """
    INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'abcd', 'iOS' FROM ada;
    INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'ABCD', 'iOS' FROM ada
    """,
    """
    INSERT INTO device_tokens (user_id, token, platform, is_active)
    SELECT id, t, 'iOS', CASE t WHEN 'ABCD' THEN false END FROM ada, unnest(ARRAY['abcd', 'ABCD']) AS t;
    UPDATE device_tokens SET is_active = NULL WHERE token = 'ABCD'
    """,
  ])
  func ofTwoSpellingsOneStays(statements: String) async throws {
    let demo = try await demo()
    let ada = "(SELECT '\(Person.ada.id)'::uuid AS id) AS ada"

    for statement in statements.split(separator: ";") {
      try await demo.connection.script(String(statement).replacing("FROM ada", with: "FROM \(ada)"))
    }

    let left = try await demo.connection.query(
      """
      SELECT count(*) AS written, count(*) FILTER (WHERE is_active IS NOT FALSE) AS active
      FROM device_tokens WHERE lower(token) = 'abcd'
      """
    ).only()
    #expect(try left.decode("written", as: Int.self) == 2 && left.decode("active", as: Int.self) == 1)
  }

  @Test func aDeviceThatTheAppDeletesIsGone() async throws {
    let demo = try await demo()
    try await demo.connection.script(
      """
      CREATE TABLE user_devices (user_id uuid, push_token text, platform text);
      SELECT push_follow_devices();
      INSERT INTO user_devices VALUES ('\(Person.ada.id)', '0c0c', 'ios');
      """)
    #expect(try await demo.number("SELECT count(*) FROM device_tokens WHERE token = '0c0c' AND is_active IS NULL") == 1)

    try await demo.connection.script("DELETE FROM user_devices")

    #expect(try await demo.number("SELECT count(*) FROM device_tokens WHERE token = '0c0c' AND NOT is_active") == 1)
  }

  @Test func anEventIsTracked() async throws {
    let demo = try await demo()
    let tick = #"{"specversion":"1.0","id":"t1","source":"/schedules","type":"tick","data":{}}"#

    let answer = try await demo.run(
      EventReminder(store: demo.store()), on: tick, at: Demo.beforePicnic + (30 + 250) * 60)

    #expect(answer.decisions == [.ada: "notify attendee", .ben: "notify attendee"])
  }

  @Test func theAPIShowsADeviceAsActive() async throws {
    let scene = try await api()

    _ = try await scene.register(#"{"token":"abcd1234","platform":"iOS"}"#, as: .finn)
    let list = try await scene.call(scene.devices, .get, "/api/v1/devices", as: .finn)

    #expect(try await scene.device("abcd1234", "is_active") == nil)
    #expect(list.json["devices"]?.elements?.map { $0["isActive"] } == [RawJSON(true)])
  }

  @Test func anInstallationsNewTokenAndTooManyDevicesEndOne() async throws {
    let scene = try await api()
    for number in 0...20 {
      let body = #"{"token":"\#(10_000_000 + number)","platform":"iOS"}"#
      _ = try await scene.register(body, as: .finn, at: Demo.now + Double(number))
    }
    #expect(try await scene.device("10000000", "deactivated_reason") == "too_many")

    for token in ["0ddddddd", "eeeeeeee"] {
      _ = try await scene.register(#"{"token":"\#(token)","platform":"iOS","installationId":"phone"}"#, as: .eva)
    }
    #expect(try await scene.device("0ddddddd", "is_active") == "false")
  }

  @Test func aPersonsSwitchesAreTheirDefaults() async throws {
    let scene = try await api()
    let columns = ["is_admin", "notify_new_feedback", "notify_new_comments"]
    for column in columns {
      try await scene.connection.script(
        "ALTER TABLE users ALTER \(column) DROP NOT NULL; UPDATE users SET \(column) = NULL")
    }

    let answer = try await scene.read(APIScene.personal)

    #expect(answer.status == 200, "\(answer.reason ?? "")")
    let said = ["isAdmin", "notifyNewFeedback", "notifyNewComments"].map { answer.json[$0] }
    #expect(said == [RawJSON(false), RawJSON(true), RawJSON(true)])
  }

  @Test func whySaysThatADeviceIsActive() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(Self.blank)

    #expect(try await scene.text(["why", "grace@example.com"]).contains("    iOS a7a7a7a7… APNs: active"))
  }
}
