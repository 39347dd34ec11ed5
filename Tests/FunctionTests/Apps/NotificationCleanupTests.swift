import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import NotificationCleanup

@Suite(.heavy)
struct NotificationCleanupTests {
  /// Rows are kept by days: a test that lasts over midnight would see another one.
  private static let clock = """
    CREATE SCHEMA runner;
    CREATE FUNCTION runner.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '2026-06-15 12:00+00'::timestamptz $$;
    """

  /// Two rows of each sort that are to go, and others, named `stays`, that are not.
  private func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      \(Self.clock)
      CREATE TEMP TABLE now AS SELECT runner.now() AS t;
      INSERT INTO notifications (user_id, type, title, is_read, created_at, expires_at)
      SELECT '\(Person.ada.id)', 'new_vote', v.title, v.is_read, t - v.age::interval, t + v.rest::interval
      FROM now, (VALUES
        ('unread', false, '91 days', '-1 second'), ('unread', NULL, '91 days', '0'), ('stays', false, '99 days', '1 day'),
        ('stays ended', false, '89 days', '-59 days'), ('stays ended', false, '90 days', '-60 days'),
        ('read', true, '91 days', '1 day'), ('read', true, '91 days', '-1 day'), ('stays', true, '89 days', '-1 day'),
        ('stays queued', false, '99 days', '-1 day'), ('stays queued', true, '99 days', '-1 day'),
        ('stays', false, '99 days', NULL)
      ) AS v (title, is_read, age, rest);
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
        updated_at)
      SELECT n.id, d.id, n.user_id, n.app, v.state, t, t + interval '1 hour', t - interval '99 days',
        t - v.age::interval
      FROM now, (VALUES
        ('stays queued', 'queued', '91 days', 'a1'), ('stays queued', 'accepted', '89 days', 'b1'),
        ('stays', 'expired', '91 days', 'a1')
      ) AS v (title, state, age, token)
      JOIN notifications n USING (title)
      JOIN device_tokens d ON d.token = repeat(v.token, 32)
      WHERE n.title <> 'stays' OR n.expires_at IS NULL OR n.is_read;
      INSERT INTO push_notification_logs (user_id, notification_type, status, created_at)
      SELECT '\(Person.ada.id)', 'x', 'sent', t - make_interval(days => d) FROM now, unnest(ARRAY[89, 91, 92]) d;
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, created_at)
      SELECT 'f', 's', d::text, '\(Person.ada.id)', 'x', 'k', 'notify', 'voter', t - make_interval(days => d)
      FROM now, unnest(ARRAY[89, 91, 92]) d;
      INSERT INTO handled_events (function, source, event_id, result, created_at)
      SELECT 'f', 's', d::text, CASE WHEN d < 93 THEN '{}' END, t - make_interval(days => d)
      FROM now, unnest(ARRAY[89, 91, 92, 93]) d;
      INSERT INTO analyses (user_id, message_id, conversation_id, priority, source, event_id, created_at)
      SELECT '\(Person.ada.id)', d::text, 'c', 'low', 's', d::text, t - make_interval(days => d)
      FROM now, unnest(ARRAY[89, 91, 92]) d;
      INSERT INTO notification_interactions (notification_id, event, action, occurred_at, created_at)
      SELECT n.id, 'acted', d::text, t, t - make_interval(days => d)
      FROM now, unnest(ARRAY[89, 91, 92]) d, notifications n WHERE n.title = 'stays' AND n.is_read;
      INSERT INTO notifications (user_id, type, title, is_read, origin, created_at, expires_at)
      SELECT '\(Person.ada.id)', 'new_vote', v.title, v.is_read, 'earlier', t - interval '99 days', t - interval '98 days'
      FROM now, (VALUES ('stays as it was', true), ('stays ended', false)) AS v (title, is_read);
      INSERT INTO notifications (
        user_id, type, title, is_read, is_archived, counts_for_badge, origin, payload, created_at, expires_at)
      SELECT '\(Person.ada.id)', v.type, v.title, true, true, false, v.origin, '{"aps":{}}', t - v.age::interval,
        t + interval '5 days'
      FROM now, (VALUES
        ('badge', 'gone', 'function', '25 hours'), ('badge', 'gone', 'function', '6 days'),
        ('badge', 'stays badge', 'function', '23 hours'), ('badge', 'stays badge queued', 'function', '25 hours'),
        ('badge', 'stays badge', 'app', '25 hours'), ('vote_count', 'stays badge', 'function', '25 hours')
      ) AS v (type, title, origin, age);
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
        updated_at)
      SELECT n.id, d.id, n.user_id, n.app, CASE n.title WHEN 'gone' THEN 'accepted' ELSE 'queued' END, t,
        t + interval '1 hour', t, t
      FROM now, notifications n JOIN device_tokens d ON d.token = repeat('a1', 32)
      WHERE n.title IN ('gone', 'stays badge queued');
      DELETE FROM badge_losses;
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT '\(Person.ada.id)', 'lockitin', t - make_interval(days => d) FROM now, unnest(ARRAY[89, 91, 92]) d;
      INSERT INTO live_activities (device_token_id, user_id, app, attributes_type, subject_id, registered_at, created_at)
      SELECT d.id, d.user_id, d.app, 'x', v.subject, t - v.registered::interval, t - v.age::interval
      FROM now, device_tokens d, (VALUES
        ('', '99 days', '99 days'), ('89', NULL, '89 days'), ('91', NULL, '91 days'), ('92', '91 days', '92 days'),
        ('99', '1 day', '99 days')
      ) AS v (subject, registered, age)
      WHERE d.token = repeat('a1', 32);
      INSERT INTO activity_channels (app, attributes_type, subject_id, topic, environment, state, updated_at, expires_at)
      SELECT 'lockitin', 'x', v.subject, 'x', 'sandbox', v.state, t - v.age::interval, t
      FROM now, (VALUES
        ('1', 'gone', '91 days'), ('2', 'refused', '91 days'), ('3', 'gone', '89 days'), ('4', 'live', '99 days'),
        ('5', 'closing', '99 days')
      ) AS v (subject, state, age);
      INSERT INTO activity_facts (app, subject_id, notification_id, facts, created_at)
      SELECT 'repairminder', v.age, gen_random_uuid(), '{}', t - v.age::interval
      FROM now, (VALUES ('1 day'), ('3 days'), ('91 days')) AS v (age);
      """)
    return demo
  }

  private static let expected = [
    "badgePushes": 2, "unreadNotifications": 2, "readNotifications": 2, "deliveries": 2, "logs": 2, "decisions": 2,
    "handledEvents": 2, "interactions": 2, "analyses": 2, "badgeLosses": 2, "activities": 2, "activityChannels": 2,
    "activityFacts": 2, "logDays": 0,
  ]

  private func clean(
    _ demo: Demo, batch: Int = 5_000, timeLimit: Duration = .seconds(60), dryRun: Bool = false, at now: Date = .now
  ) async throws -> CleanupStore.Result {
    let store = CleanupStore(demo.connection(of: "cleanup"), batch: batch, timeLimit: timeLimit)
    let tick = Envelope(id: "1", source: "/test", type: EventType.schedule, data: RawJSON(object: []))
    return try await NotificationCleanup(store: store).handle(
      Event(envelope: tick, data: JSONCoding.decode(Tick.self, from: tick.data)),
      Context(function: NotificationCleanup.name, dryRun: dryRun, now: now, log: Log { _ in }))
  }

  @Test(arguments: [1, 2, 5_000])
  func deletesWhatIsPastItsTimeAndNothingThatIsQueued(batch: Int) async throws {
    let demo = try await demo()

    let result = try await clean(demo, batch: batch)

    #expect(result.deleted == Self.expected)
    #expect(result.isComplete)
    #expect(result.archived == 5)
    #expect(
      try await demo.number("SELECT count(*) FROM notifications WHERE title = 'stays ended' AND is_archived") == 3)
    #expect(
      try await demo.number(
        "SELECT count(*) FROM notifications WHERE title <> 'stays ended' AND type = 'new_vote' AND is_archived") == 0)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title IN ('read', 'unread')") == 0)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title LIKE 'stays%'") == 13)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE state = 'queued'") == 3)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE state = 'accepted'") == 2)
    #expect(try await demo.number("SELECT count(*) FROM handled_events WHERE result IS NULL") == 1)
    // Nobody's badge falls because of a deletion; what has ended is no longer counted.
    #expect(try await demo.number("SELECT count(*) FROM badge_losses WHERE app = 'lockitin'") == 1)
    #expect(try await demo.number("SELECT count(*) FROM badge_losses WHERE app <> 'lockitin'") > 0)
  }

  /// Where no provider is configured, no sender ends what has expired.
  ///
  /// One push is leased by a sender that is at work.
  @Test func aPushThatExpiresWithoutASenderEndsWithTheReason() async throws {
    let demo = try await demo()
    try await DeliveryStore.noteNothingIsSent(because: nil, demo.connection)
    try await demo.connection.script(
      """
      UPDATE deliveries SET expires_at = runner.now(),
        lease_until = CASE WHEN created_at = runner.now() THEN clock_timestamp() - interval '1 hour' END
      WHERE state = 'queued';
      UPDATE notifications SET created_at = runner.now() WHERE title = 'stays queued';
      DELETE FROM badge_losses
      """)

    #expect(try await clean(demo, dryRun: true).expiredPushes == 2)
    #expect(try await clean(demo, batch: 1).expiredPushes == 2)
    #expect(try await clean(demo).expiredPushes == 0)

    let ended = try await demo.connection.query(
      "SELECT outage FROM deliveries WHERE state = 'expired' AND outage_since >= created_at")
    #expect(ended.map { $0["outage"] } == ["APNs is not configured", "APNs is not configured"])
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE state = 'queued'") == 1)
    #expect(try await demo.number("SELECT count(*) FROM badge_losses WHERE app = 'feedbackkit'") > 0)
  }

  /// Otherwise each push of a badge that nobody can send would make the next one, which ends in the same way.
  @Test(arguments: [(isServed: false, losses: 0), (isServed: true, losses: 1)])
  func aBadgeThatNobodyCouldSendMakesNoOther(isServed: Bool, losses: Int) async throws {
    let demo = try await Demo()
    try await DeliveryStore.noteNothingIsSent(because: nil, demo.connection)
    try await demo.connection.script(
      """
      \(Self.clock)
      INSERT INTO notifications (user_id, type, title, is_read, is_archived, counts_for_badge, origin, payload, push_type,
        created_at)
      VALUES ('\(Person.ada.id)', 'badge', 'badge', true, true, false, 'function', '{"aps":{}}', 'alert', runner.now());
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT n.id, d.id, n.user_id, n.app, t, t, t, t
      FROM notifications n JOIN device_tokens d ON d.token = repeat('a1', 32) CROSS JOIN runner.now() AS t
      WHERE n.title = 'badge';
      UPDATE push_providers SET served_until = CASE WHEN \(isServed) THEN clock_timestamp() + interval '1 hour' END;
      DELETE FROM badge_losses
      """)

    #expect(try await clean(demo).expiredPushes == 1)

    #expect(try await demo.number("SELECT count(*) FROM badge_losses") == losses)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE outage IS NULL") == losses)
  }

  /// The note of why nobody sends may be missing, or not be readable.
  @Test func withoutTheNoteOfTheProvidersTheCleaningGoesOn() async throws {
    let demo = try await demo()
    try await demo.connection.script(
      "UPDATE deliveries SET expires_at = runner.now() WHERE state = 'queued'; DROP TABLE push_providers CASCADE")

    #expect(try await clean(demo).expiredPushes > 0)

    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE state = 'queued'") == 0)
  }

  @Test func aSecondTimeThereIsNothingLeft() async throws {
    let demo = try await demo()
    _ = try await clean(demo)

    let again = try await clean(demo)
    #expect(again.archived == 0 && again.deleted.values.allSatisfy { $0 == 0 })
  }

  /// One of four people who were told has opened the push; the notifications have ended.
  @Test(arguments: ["1 day", "30 days", "90 days", "89 days 15 hours"])
  func theRatesOfADayAreTheSameBeforeAndAfter(age: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      \(Self.clock)
      CREATE TEMP TABLE told AS
      SELECT gen_random_uuid() AS id, u.id AS user_id, runner.now() - '\(age)'::interval AS t,
        CASE u.name WHEN 'Ada' THEN 'opened' WHEN 'Ben' THEN 'rejected' ELSE 'accepted' END AS state
      FROM users u WHERE u.name IN ('Ada', 'Ben', 'Chloe', 'Eva');
      INSERT INTO notifications (id, user_id, app, type, title, variant, is_read, created_at, expires_at)
      SELECT id, user_id, 'lockitin', 'proposal_created', '', 'urgency', state = 'opened', t, t + interval '2 hours'
      FROM told;
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
        updated_at)
      SELECT n.id, d.id, n.user_id, 'lockitin', n.state, t, t, t, t
      FROM told n JOIN device_tokens d ON d.user_id = n.user_id AND d.app = 'lockitin';
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, app, kind, variant, decision,
        recipient_reason, notification_id, created_at)
      SELECT 'f', 's', 'e', user_id, 'x', 'lockitin', 'proposal_created', 'urgency', 'notify', 'member', id, t FROM told;
      """)
    let rates: SQL = """
      SELECT k::text AS rates FROM push_rates_by_kind k UNION ALL SELECT v::text FROM push_rates_by_variant v
      """
    let before = try await demo.connection.query(rates).decode("rates", as: String.self)

    _ = try await clean(demo)

    #expect(before.count == 2 && before.allSatisfy { $0.contains("0.7500,0.3333") }, "\(before)")
    #expect(try await demo.connection.query(rates).decode("rates") == before)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 4)
  }

  @Test func theDatabaseSaysWhatTimeItIsAndNoEvent() async throws {
    let demo = try await demo()
    let future = Date.now.addingTimeInterval(4 * 365 * 86_400)

    #expect(try await clean(demo, dryRun: true, at: future).deleted == Self.expected)
    #expect(try await clean(demo, at: future).deleted == Self.expected)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title LIKE 'stays%'") == 13)
  }

  @Test func aVirtualClockOfTheDatabaseCounts() async throws {
    let demo = try await demo()
    try await demo.connection.script(
      """
      CREATE OR REPLACE FUNCTION runner.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '2026-03-07 12:00+00'::timestamptz $$;
      """)

    #expect(try await clean(demo).deleted.values.allSatisfy { $0 == 0 })
  }

  @Test func aDryRunOnlyCounts() async throws {
    let demo = try await demo()

    let result = try await clean(demo, dryRun: true)

    #expect(result.deleted == Self.expected)
    #expect(result.dryRun == true && result.archived == 5)
    #expect(try await demo.number("SELECT count(*) FROM notifications") == 19)
  }

  @Test func withoutTimeEverythingStaysForTheNextDay() async throws {
    let demo = try await demo()

    let result = try await clean(demo, timeLimit: .zero)

    #expect(!result.isComplete)
    #expect(result.deleted.values.allSatisfy { $0 == 0 })
  }
}
