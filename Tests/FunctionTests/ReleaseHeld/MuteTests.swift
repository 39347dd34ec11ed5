import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

/// Mutes that end by themselves: what comes meanwhile waits, and is told at their end.
@Suite(.heavy)
struct MuteTests {
  private static let noon = time("2026-06-15T12:00:00Z")
  private static func time(_ text: String) -> Date { RFC3339.date(text) ?? .distantPast }
  private static let project = "b0000000-0000-4000-8000-000000000001"

  private func scene(_ scope: String, _ target: String = "", until end: Date) async throws -> DeliveryPolicyScene {
    let scene = try await DeliveryPolicyScene()
    try await mute(scope, target, until: end, scene)
    return scene
  }

  private func mute(_ scope: String, _ target: String, until end: Date, _ scene: DeliveryPolicyScene) async throws {
    _ = try await scene.demo.connection.query(
      """
      INSERT INTO notification_mutes (user_id, scope, target, muted_until)
      VALUES (\(scene.person), \(scope), \(target), \(end))
      ON CONFLICT (user_id, scope, target) DO UPDATE SET muted_until = excluded.muted_until
      """)
  }

  @Test(arguments: [("person", ""), ("app", "feedbackkit"), ("project", project)])
  func whatComesDuringAMuteIsToldInOneAtItsEnd(scope: String, target: String) async throws {
    let scene = try await scene(scope, target, until: Self.noon + 3_600)
    let held = try await scene.vote(1, at: Self.noon)
    try await scene.vote(2, at: Self.noon + 1_800)

    let early = try await scene.release(at: Self.noon + 3_599)
    let due = try await scene.release(at: Self.noon + 3_661)

    #expect(held.result.counts == ["muted": 1])
    #expect(early.released == 0)
    #expect(due.released == 1 && due.merged == 1)
    #expect(try await scene.pushes().map(\.body) == ["2 people voted for Dark mode"])
  }

  @Test(arguments: [
    ("app", "lockitin", 3_600.0), ("project", "b0000000-0000-4000-8000-000000000002", 3_600), ("person", "", -1),
    ("group", project, 3_600),
  ])
  func aMuteOfSomethingElseOrOneThatIsOverHoldsNothing(scope: String, target: String, seconds: Double) async throws {
    let scene = try await scene(scope, target, until: Self.noon + seconds)

    #expect(try await scene.vote(1, at: Self.noon).result.notified == 1)
  }

  @Test func aMuteThatGetsLongerHoldsLonger() async throws {
    let scene = try await scene("person", until: Self.noon + 3_600)
    try await scene.vote(1, at: Self.noon)
    try await mute("person", "", until: Self.noon + 7_200, scene)

    let before = try await scene.release(at: Self.noon + 3_661)
    let after = try await scene.release(at: Self.noon + 7_261)

    #expect(before.released == 0 && after.released == 1)
  }

  @Test(arguments: ["UPDATE notification_mutes SET muted_until = created_at", "DELETE FROM notification_mutes"])
  func whatWaitsIsToldAtOnceWhenAMuteEndsEarly(_ change: String) async throws {
    let scene = try await scene("project", Self.project, until: Self.noon + 3_600)
    _ = try await scene.demo.connection.query("UPDATE notification_mutes SET created_at = \(Self.noon - 60)")
    try await scene.vote(1, at: Self.noon)
    try await scene.demo.connection.script(change)

    let due = try await scene.release(at: Self.noon + 60)

    #expect(due.released == 1)
  }

  @Test func aMuteOfDaysLosesNothing() async throws {
    let end = Self.noon + 3 * 86_400
    let scene = try await scene("person", until: end)
    for number in 0..<2 { try await scene.vote(number, at: Self.noon + Double(number) * 86_400) }

    let early = try await scene.release(at: end - 1)
    let due = try await scene.release(at: end + 61)

    #expect(early.released + early.suppressed == 0)
    #expect(due.released == 1 && due.merged == 1)
    #expect(try await scene.pushes().map(\.body) == ["2 people voted for Dark mode"])
    let renewed = try await scene.demo.number(
      """
      SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      WHERE d.expires_at = \(end + 61 + 86_400) AND n.push_expires_at = d.expires_at
      """)
    #expect(renewed > 0)
  }

  @Test func aMuteThatGetsDaysLongerLosesNothing() async throws {
    let scene = try await scene("person", until: Self.noon + 3_600)
    try await scene.vote(1, at: Self.noon)
    try await mute("person", "", until: Self.noon + 300 * 86_400, scene)
    let longer = try await scene.release(at: Self.noon + 60)
    _ = try await scene.demo.connection.query("DELETE FROM notification_mutes")

    let due = try await scene.release(at: Self.noon + 2 * 86_400)

    #expect(longer.held == 1 && longer.suppressed == 0)
    #expect(due.released == 1)
  }

  @Test func aMuteOfDaysThatEndsInQuietHoursLosesNothing() async throws {
    let scene = try await scene("person", until: Self.time("2026-06-18T21:00:00Z"))
    try await scene.set("quiet_hours_enabled = true, timezone = 'UTC'")
    try await scene.vote(1, at: Self.noon)
    _ = try await scene.demo.connection.query("DELETE FROM notification_mutes")

    let atNight = try await scene.release(at: Self.time("2026-06-18T23:00:00Z"))
    let inTheMorning = try await scene.release(at: Self.time("2026-06-19T08:01:01Z"))

    #expect(atNight.held == 1 && atNight.suppressed == 0)
    #expect(inTheMorning.released == 1)
  }

  @Test func aMuteThatEndsInQuietHoursGoesOnUntilTheirEnd() async throws {
    let scene = try await scene("person", until: Self.time("2026-06-15T23:00:00Z"))
    try await scene.set("quiet_hours_enabled = true, timezone = 'UTC'")
    try await scene.vote(1, at: Self.noon)

    let atNight = try await scene.release(at: Self.time("2026-06-15T23:01:01Z"))
    let inTheMorning = try await scene.release(at: Self.time("2026-06-16T08:01:01Z"))

    #expect(atNight.released + atNight.held == 0)
    #expect(inTheMorning.released == 1)
  }

  @Test func whatABatchHeldIsHeldOnByAMuteThatCameMeanwhile() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<2 { try await scene.vote(number, at: Self.noon) }
    try await mute("person", "", until: Self.noon + 3_600, scene)

    let due = try await scene.release(at: Self.noon + 601)

    #expect(due.held == 1 && due.released == 0)
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notification_rechecks WHERE decision = 'hold' AND reason = 'muted'") == 1)
    #expect(try await scene.release(at: Self.noon + 3_661).released == 1)
  }

  @Test func aPushThatIsLateWaitsForTheEndOfTheMute() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await mute("person", "", until: Self.noon + 3_600, scene)
    let store = DeliveryStore.postgres(scene.demo.connection)

    let late = try await store.claim(100, PushProvider.allCases, Self.noon + 300)
    let due = try await store.claim(100, PushProvider.allCases, Self.noon + 3_661)

    #expect(late.pushes.isEmpty && late.held > 0)
    #expect(!due.pushes.isEmpty)
  }

  @Test func aPushThatIsLateWaitsForDays() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await mute("person", "", until: Self.noon + 3 * 86_400, scene)
    let store = DeliveryStore.postgres(scene.demo.connection)

    let late = try await store.claim(100, PushProvider.allCases, Self.noon + 300)
    let due = try await store.claim(100, PushProvider.allCases, Self.noon + 3 * 86_400 + 61)

    #expect(late.pushes.isEmpty && late.held > 0)
    #expect(!due.pushes.isEmpty)
  }

  @Test func aPushThatIsLateIsSentWhenTheMuteEndsEarly() async throws {
    let scene = try await DeliveryPolicyScene()
    let now: Date = try await scene.demo.connection.query("SELECT push_now() AS now").only().decode("now")
    try await scene.vote(1, at: now)
    try await mute("person", "", until: now + 8 * 3_600, scene)
    let store = DeliveryStore.postgres(scene.demo.connection)

    let late = try await store.claim(100, PushProvider.allCases, now + 300)
    _ = try await scene.demo.connection.query("DELETE FROM notification_mutes")
    let freed = try await scene.demo.number(
      "SELECT count(*) FROM deliveries WHERE state = 'queued' AND not_before <= push_now()")

    #expect(late.held > 0 && freed == late.held)
  }

  @Test func quietHoursOfAWeekdayHold() async throws {
    let scene = try await DeliveryPolicyScene()
    // June 15, 2026, is a Monday.
    try await scene.set(
      """
      quiet_hours_enabled = true, timezone = 'UTC',
        quiet_hours_days = '{"monday": {"start": "11:00", "end": "13:00"}, "tuesday": {"start": "00:00", "end": "00:00"}}'
      """)
    let held = try await scene.vote(1, at: Self.noon)
    let due = try await scene.release(at: Self.noon + 3_661)

    #expect(held.result.counts == ["quiet_hours": 1])
    #expect(due.released == 1)
    #expect(try await scene.vote(2, at: Self.time("2026-06-16T23:00:00Z")).result.notified == 1)
  }

  @Test(arguments: [
    "[]", #"{"someday": {"start": "11:00", "end": "13:00"}}"#, #"{"monday": {"start": "11:00"}}"#, #"{"monday": 7}"#,
    #"{"monday": []}"#, #"{"monday": [{"start": "11:00", "end": "12:00"}]}"#,
    #"{"monday": {"start": ["x", "11:00"], "end": "12:00"}}"#, #"{"monday": {"start": "24:00", "end": "13:00"}}"#,
    #"{"monday": {"start": "11:00", "end": 7}}"#,
  ])
  func daysThatAreNoHoursAreNotStored(_ days: String) async throws {
    let scene = try await DeliveryPolicyScene()

    let error = await #expect(throws: PostgresError.self) { try await scene.set("quiet_hours_days = \(days)::jsonb") }
    #expect(error?.code == .sqlState("23514"))
  }

  @Test func aPersonWhoGoesTakesTheirMutesAlong() async throws {
    let scene = try await scene("person", until: Self.noon + 3_600)
    try await scene.vote(1, at: Self.noon)
    _ = try await scene.demo.connection.query("DELETE FROM users WHERE id = \(scene.person)")

    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 0)
  }
}
