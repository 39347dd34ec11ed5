import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

/// A clock was a century ahead when something came due, and was then set right: what it alone has suppressed goes out.
@Suite(.heavy)
struct WrongClockReleaseTests {
  private static let noon = time("2026-06-15T12:00:00Z")
  /// It is night in Berlin.
  private static let wrong = time("2126-06-15T21:00:00Z")

  private static func time(_ text: String) -> Date { (try? Date(text, strategy: .iso8601)) ?? .distantPast }

  /// One vote has been pushed, and two wait for the end of its window.
  private func scene(expiry: Date = noon + 86_400) async throws -> DeliveryPolicyScene {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<3 { try await scene.vote(number, at: Self.noon) }
    _ = try await scene.demo.connection.query(
      """
      UPDATE notifications SET push_expires_at = \(expiry)
      WHERE id IN (SELECT notification_id FROM held_notifications)
      """)
    return scene
  }

  private func reasons(_ scene: DeliveryPolicyScene) async throws -> [String] {
    try await scene.demo.connection.query(
      "SELECT DISTINCT reason FROM notification_rechecks WHERE decision = 'suppress'"
    ).decode("reason")
  }

  /// The push had expired by that clock, or would have expired before the end of a night that was not there.
  @Test(arguments: [("expired", noon + 86_400), ("quiet_hours", wrong + 3_600)])
  func whatItSuppressedByItsTimeAloneGoesOutOnce(reason: String, expiry: Date) async throws {
    let scene = try await scene(expiry: expiry)
    try await scene.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")

    let wrong = try await scene.release(at: Self.wrong)
    #expect(wrong.suppressed == 2 && wrong.released == 0)
    #expect(try await reasons(scene) == [reason])
    let right = try await scene.release(at: Self.noon + 601)
    let again = try await scene.release(at: Self.noon + 602)

    #expect(right.released == 1 && right.merged == 2)
    #expect(again.released + again.merged + again.held + again.suppressed == 0)
    #expect(try await scene.pushes().map(\.body).last == "3 people voted for Dark mode")
    #expect(try await scene.demo.number("SELECT count(*) FROM deliveries WHERE user_id = \(scene.person)") == 2)
    let undone: SQL = "SELECT count(*) FROM notification_rechecks WHERE created_at > '2100-01-01'"
    #expect(try await scene.demo.number(undone) == 0)
  }

  /// Nobody else has the words of a push that an app has made.
  @Test func aPushInAnAppsOwnWordsGoesOutInThem() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, app)
      VALUES ('\(Person.ada.id)', 'aa', 'iOS', 'mugshot');
      INSERT INTO notifications (user_id, app, type, title, body, payload, recipient_reason, push_expires_at)
      SELECT user_id, app, 'like', 'Mia liked it', '', '{"aps":{"alert":"Mia liked it"}}', 'addressee',
        '2030-01-01T00:00:00Z' FROM device_tokens WHERE app = 'mugshot';
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', to_timestamp(1790000000), to_timestamp(1790000000)
      FROM notifications WHERE app = 'mugshot';
      """)

    let wrong = try await demo.store().release(at: Self.wrong, dryRun: false)
    let right = try await demo.store().release(at: Demo.now, dryRun: false)

    #expect(wrong.suppressed == 1 && right.released == 1)
    let payloads: [String] = try await demo.connection.query(
      "SELECT n.payload FROM deliveries d JOIN notifications n ON n.id = d.notification_id WHERE d.app = 'mugshot'"
    ).decode("payload")
    #expect(payloads == [#"{"aps":{"alert":"Mia liked it"}}"#])
  }

  /// Why something that the clock suppressed stays so.
  struct Stay: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// When the push expires; by default a day after it came.
    var expiry = noon + 86_400
    /// The statements before the suppression.
    var before = ""
    /// The statements before the clock is set right.
    let after: String
  }

  @Test(arguments: [
    Stay(
      testDescription: "a switch has decided, and not the time", expiry: wrong + 86_400,
      before: "UPDATE users SET push_notify_votes = false", after: "UPDATE users SET push_notify_votes = true"),
    Stay(testDescription: "they have read it", after: "UPDATE notifications SET is_read = true"),
    Stay(testDescription: "they have put it away", after: "UPDATE notifications SET is_archived = true"),
    Stay(testDescription: "it was pushed", after: "UPDATE notifications SET pushed_at = created_at"),
    Stay(testDescription: "it was summed up", after: "UPDATE notifications SET summary_id = id"),
    Stay(
      testDescription: "it has a delivery",
      after: """
        INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
          updated_at)
        SELECT n.id, d.id, n.user_id, n.app, 'accepted', now(), now(), now(), now()
        FROM notifications n JOIN device_tokens d ON d.user_id = n.user_id AND d.app = n.app ON CONFLICT DO NOTHING
        """),
  ])
  func itStays(because course: Stay) async throws {
    let scene = try await scene(expiry: course.expiry)
    if !course.before.isEmpty { try await scene.demo.connection.script(course.before) }
    #expect(try await scene.release(at: Self.wrong).suppressed == 2)
    try await scene.demo.connection.script(course.after)

    let right = try await scene.release(at: Self.noon + 601)

    #expect(right.released + right.merged + right.held + right.suppressed == 0)
  }

  /// A deletion locks its rows, and a transaction that is rolled back brings them back.
  @Test(arguments: ["SELECT FROM notifications FOR UPDATE", "SELECT FROM users FOR UPDATE", "DELETE FROM users"])
  func nobodyWaitsForRowsThatAnAppHasLocked(_ statement: String) async throws {
    let scene = try await scene()
    #expect(try await scene.release(at: Self.wrong).suppressed == 2)

    let during = try await scene.whileAnApp(does: statement) { try await scene.release(at: Self.noon + 601) }
    let right = try await scene.release(at: Self.noon + 900)

    #expect(during.released + during.merged + during.held + during.suppressed == 0)
    // It comes again soon.
    let soon = try #require(during.wakeAt)
    #expect(soon > Self.noon + 601 && soon < Self.noon + 900)
    #expect(right.released == 1 && right.merged == 2 && right.wakeAt == nil)
  }

  /// A hold that an app's transaction has locked is not corrected in this run, and the next one comes soon.
  @Test func aLockedHoldIsCorrectedSoon() async throws {
    let scene = try await scene()
    _ = try await scene.demo.connection.query(
      "UPDATE held_notifications SET held_since = \(Self.wrong), held_until = \(Self.wrong + 600)")

    let during = try await scene.whileAnApp(does: "SELECT FROM held_notifications FOR UPDATE") {
      try await scene.release(at: Self.noon + 1)
    }
    let right = try await scene.release(at: Self.noon + 2)

    #expect(try #require(during.wakeAt) < Self.noon + 300)
    #expect(right.wakeAt == Self.noon + 600)
    let late: SQL = "SELECT count(*) FROM held_notifications WHERE held_until > \(Self.noon + 900)"
    #expect(try await scene.demo.number(late) == 0)
  }

  /// The database's clock agrees that it had expired.
  @Test func aMachineWhoseClockIsBehindSendsNothingThatHasExpired() async throws {
    let (scene, now) = (try await scene(), Date.now)
    _ = try await scene.demo.connection.query(
      """
      WITH held AS (
        UPDATE held_notifications SET held_until = \(now - 600), held_since = \(now - 700) RETURNING notification_id
      )
      UPDATE notifications SET push_expires_at = \(now - 60) WHERE id IN (SELECT notification_id FROM held)
      """)
    #expect(try await scene.release(at: now).suppressed == 2)

    let behind = try await scene.release(at: now - 3_600)

    #expect(behind.released + behind.merged + behind.held + behind.suppressed == 0)
  }
}

extension DeliveryPolicyScene {
  private struct RolledBack: Error {}

  /// Does something while the transaction of an app is open that is rolled back afterwards.
  fileprivate func whileAnApp<Answer: Sendable>(
    does statement: String, _ body: @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let app = Connection(url: demo.url, applicationName: "app")
    var answer: Answer?
    do {
      try await app.transaction { transaction in
        _ = try await transaction.query(SQL(unescaped: statement))
        answer = try await body()
        throw RolledBack()
      }
    } catch is RolledBack {}
    return try #require(answer)
  }
}
