import DeliveryLive
import FoundationEssentials
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

/// Waiting notifications, and what becomes of them.
@Suite(.heavy)
struct ReleaseHeldTests {
  private static let noon = RFC3339Time("2026-06-15T12:00:00Z")

  @Test func theFirstVoteGoesOutAndTheRestOfTenMinutesInOne() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<4 { try await scene.vote(number, at: Self.noon + Double(number) * 60) }

    let early = try await scene.release(at: Self.noon + 599)
    let due = try await scene.release(at: Self.noon + 600)
    let pushes = try await scene.pushes()

    #expect(early.released == 0 && early.wakeAt == Self.noon + 600)
    #expect(due.released == 1 && due.merged == 3 && due.wakeAt == nil)
    #expect(pushes.count == 2)
    #expect(pushes.last?.body == "4 people voted for Dark mode")
    #expect(pushes.first?.collapseID == pushes.last?.collapseID)
  }

  /// The vote of the push is taken back, and cast again.
  @Test(arguments: ["en", "de"])
  func whatThePhoneSaysAlreadyIsNotReleasedInAnotherLanguage(language: String) async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-1'")
    let again = try await scene.vote(1, at: Self.noon + 60, "again")
    try await scene.set("language = \(language)")

    let due = try await scene.release(at: Self.noon + 600)

    #expect(again.result.counts == ["batched": 1])
    #expect(due.released == 0)
    #expect(try await scene.pushes().count == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
  }

  /// The clock was ahead when the votes came, and was then set right.
  @Test func whatAWrongClockHeldWaitsFromNow() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<3 { try await scene.vote(number, at: Self.noon) }
    _ = try await scene.demo.connection.query(
      """
      UPDATE held_notifications
      SET held_since = held_since + interval '100 years', held_until = held_until + interval '100 years'
      """)

    let early = try await scene.release(at: Self.noon)
    let due = try await scene.release(at: Self.noon + 600)

    #expect(early.released == 0 && early.wakeAt == Self.noon + 600)
    #expect(due.released == 1 && due.merged == 2)
  }

  /// The votes' clock agrees with the database's.
  @Test func aMachineWhoseClockIsBehindEndsNoHoldEarly() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<4 { try await scene.vote(number, at: Self.noon) }
    let until = try await scene.demo.connection.query("SELECT held_until FROM held_notifications ORDER BY 1")

    _ = try await scene.release(at: Self.noon - 3_600)
    let early = try await scene.release(at: Self.noon + 599)

    #expect(early.released == 0 && early.wakeAt == Self.noon + 600)
    #expect(
      try await scene.demo.connection.query("SELECT held_until FROM held_notifications ORDER BY 1").decode("held_until")
        as [Date] == until.decode("held_until"))
  }

  @Test func theInboxAndTheBadgeCountWhatWasMergedOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<3 { try await scene.vote(number, at: Self.noon) }
    _ = try await scene.release(at: Self.noon + 600)

    #expect(try await scene.demo.number("SELECT push_badge(\(scene.person), 'feedbackkit', \(Self.noon + 600))") == 1)
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notifications WHERE user_id = \(scene.person) AND NOT is_archived") == 1)
  }

  @Test func anEventAndARepeatedReleaseTellOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    for _ in 0..<2 { for number in 0..<3 { try await scene.vote(number, at: Self.noon) } }
    _ = try await scene.release(at: Self.noon + 600)
    let again = try await scene.release(at: Self.noon + 601)

    #expect(again.released + again.merged + again.held + again.suppressed == 0)
    #expect(try await scene.pushes().count == 2)
    #expect(try await scene.demo.number("SELECT count(*) FROM deliveries WHERE user_id = \(scene.person)") == 2)
  }

  @Test func twoReleasesAtOnceSendOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<3 { try await scene.vote(number, at: Self.noon) }

    async let one = scene.release(at: Self.noon + 600)
    async let other = scene.release(at: Self.noon + 600)
    let released = try await [one, other].map(\.released)

    #expect(released.reduce(0, +) == 1)
    #expect(try await scene.pushes().count == 2)
  }

  /// 23:00 in Berlin; the night ends at 08:00 there, six in the morning in UTC.
  @Test func theNightIsWaitedForAndEndsInOnePush() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    let night = RFC3339Time("2026-06-15T21:00:00Z")
    let held = try await scene.vote(1, at: night)
    try await scene.vote(2, at: night + 3_600)

    let early = try await scene.release(at: RFC3339Time("2026-06-16T05:59:59Z"))
    let due = try await scene.release(at: RFC3339Time("2026-06-16T06:01:00Z"))

    #expect(held.result.counts == ["quiet_hours": 1])
    #expect(early.released == 0)
    #expect(due.released == 1 && due.merged == 1)
    #expect(try await scene.pushes().map(\.body) == ["2 people voted for Dark mode"])
  }

  @Test func aZoneThatChangesWhileSomethingWaitsIsFollowed() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    try await scene.vote(1, at: RFC3339Time("2026-06-15T21:00:00Z"))
    try await scene.set("timezone = 'America/New_York'")

    let due = try await scene.release(at: RFC3339Time("2026-06-16T06:01:00Z"))

    #expect(due.released == 0 && due.held == 1)
    #expect(try #require(due.wakeAt) >= RFC3339Time("2026-06-16T12:00:00Z"))
  }

  @Test func whatWasReadMeanwhileIsNotSent() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    try await scene.vote(1, at: RFC3339Time("2026-06-15T21:00:00Z"))
    _ = try await scene.demo.connection.query("UPDATE notifications SET is_read = true")

    let due = try await scene.release(at: RFC3339Time("2026-06-16T06:01:00Z"))

    #expect(due.suppressed == 1 && due.released == 0)
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notification_rechecks WHERE decision = 'suppress' AND reason = 'already_handled'") == 1)
  }

  @Test func aSwitchTurnedOffMeanwhileCounts() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<2 { try await scene.vote(number, at: Self.noon) }
    _ = try await scene.demo.connection.query("UPDATE users SET push_notify_votes = false")

    let due = try await scene.release(at: Self.noon + 600)

    #expect(due.suppressed == 1 && due.released == 0)
  }

  @Test func moreThanAnHourTakesWaitsForRoom() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("hourly_limit = 1")
    try await scene.vote(1, at: Self.noon)
    try await scene.vote(2, at: Self.noon + 60)

    let window = try await scene.release(at: Self.noon + 600)
    let room = try await scene.release(at: Self.noon + 3_600)

    #expect(window.held == 1 && window.wakeAt == Self.noon + 3_600)
    #expect(room.released == 1)
  }

  /// The hours of the night are not the hours for which something may wait for room.
  @Test func afterTheNightThereIsStillTimeToWaitForRoom() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin', hourly_limit = 1")
    let night = RFC3339Time("2026-06-15T20:00:00Z")
    try await scene.vote(1, at: night)
    let morning = RFC3339Time("2026-06-16T06:01:00Z")
    _ = try await scene.demo.connection.query(
      "UPDATE notifications SET pushed_at = \(morning - 60) WHERE user_id = \(scene.person)")

    let full = try await scene.release(at: morning)
    let room = try await scene.release(at: morning + 3_600)

    #expect(full.held == 1 && full.suppressed == 0)
    #expect(room.released == 1)
  }

  /// The person opened the feedback while the vote waited.
  @Test func whoeverLooksAtItWhenItComesDueIsNotTold() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<2 { try await scene.vote(number, at: Self.noon) }
    try await scene.look(at: Self.noon + 599)

    let due = try await scene.release(at: Self.noon + 600)

    #expect(due.released == 0 && due.suppressed == 1)
    #expect(try await scene.pushes().count == 1)
  }

  @Test func whoeverLooksAtItIsNotTold() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.look(at: Self.noon)

    let looking = try await scene.vote(1, at: Self.noon + 119)
    let gone = try await scene.vote(2, at: Self.noon + 120)

    #expect(looking.result.counts == ["viewing": 1])
    #expect(gone.result.notified == 1)
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notifications WHERE user_id = \(scene.person) AND is_read") == 1)
  }

  @Test(arguments: [#"{"like":{}}"#, #"{"like":"perhaps"}"#, #"["like"]"#, #""like""#, "null"])
  func whatOnePersonHasMadeOfTheirSettingsStopsNobody(switches: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      ALTER TABLE notification_settings DROP CONSTRAINT notification_settings_sound,
        DROP CONSTRAINT notification_settings_switches;
      INSERT INTO notification_settings (user_id, app, switches, sound)
      VALUES ('\(Person.ada.id)', 'mugshot', '\(switches)', repeat('x', 10000));
      INSERT INTO device_tokens (user_id, token, platform, app)
      VALUES ('\(Person.ada.id)', 'aa', 'iOS', 'mugshot'), ('\(Person.ben.id)', 'bb', 'iOS', 'mugshot');
      INSERT INTO notifications (user_id, app, type, title, body, payload, recipient_reason, family_subject, actor,
        actor_name)
      SELECT user_id, app, 'like', name || ' liked it', '', '{"aps":{"alert":"x"}}', 'addressee', 'v1', name, name
      FROM device_tokens, unnest(ARRAY['mia', 'tom']) name WHERE app = 'mugshot';
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', to_timestamp(1790000000), to_timestamp(1790000000) FROM notifications;
      """)

    let due = try await demo.store().release(at: Demo.now, dryRun: false)

    #expect(due.released == 2 && due.merged == 2)
    #expect(try await demo.number("SELECT count(DISTINCT user_id) FROM deliveries") == 2)
  }
}

private func RFC3339Time(_ text: String) -> Date { (try? Date(text, strategy: .iso8601)) ?? .distantPast }
