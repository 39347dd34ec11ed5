import FoundationEssentials
import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import NotificationCleanup

@Suite(.makesDatabases)
struct NotificationCleanupTests {
  /// Of each sort two rows that are to go and, named `stays`, those that are not.
  private func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      CREATE TEMP TABLE now AS SELECT to_timestamp(\(Demo.now.timeIntervalSince1970)) AS t;
      INSERT INTO notifications (user_id, type, title, is_read, created_at, expires_at)
      SELECT '\(Person.ada.id)', 'new_vote', v.title, v.is_read, t - v.age::interval, t + v.rest::interval
      FROM now, (VALUES
        ('unread', false, '31 days', '-1 second'), ('unread', NULL, '31 days', '0'), ('stays', false, '99 days', '1 day'),
        ('read', true, '91 days', '1 day'), ('read', true, '91 days', '-1 day'), ('stays', true, '89 days', '-1 day'),
        ('stays queued', false, '99 days', '-1 day'), ('stays queued', true, '99 days', '-1 day'),
        ('stays', false, '99 days', NULL)
      ) AS v (title, is_read, age, rest);
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
        updated_at)
      SELECT n.id, d.id, n.user_id, n.app, v.state, t, t, t - interval '99 days', t - v.age::interval
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
      """)
    return demo
  }

  private static let expected = [
    "unreadNotifications": 2, "readNotifications": 2, "deliveries": 2, "logs": 2, "decisions": 2, "handledEvents": 2,
    "interactions": 2, "analyses": 2,
  ]

  private func clean(
    _ demo: Demo, batch: Int = 5_000, patience: Duration = .seconds(60), dryRun: Bool = false
  ) async throws -> CleanupStore.Result {
    let store = CleanupStore(
      Connection(url: demo.url, applicationName: "cleanup"), batch: batch, patience: patience)
    return try await store.clean(
      Context(function: NotificationCleanup.name, dryRun: dryRun, now: Demo.now, log: Log { _ in }))
  }

  @Test(arguments: [1, 2, 5_000])
  func deletesWhatIsPastItsTimeAndNothingThatIsQueued(batch: Int) async throws {
    let demo = try await demo()

    let result = try await clean(demo, batch: batch)

    #expect(result.deleted == Self.expected)
    #expect(result.isComplete)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title IN ('read', 'unread')") == 0)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE title LIKE 'stays%'") == 5)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE state = 'queued'") == 2)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE state = 'accepted'") == 2)
    #expect(try await demo.number("SELECT count(*) FROM handled_events WHERE result IS NULL") == 1)
  }

  @Test func aSecondTimeThereIsNothingLeft() async throws {
    let demo = try await demo()
    _ = try await clean(demo)

    #expect(try await clean(demo).deleted.values.allSatisfy { $0 == 0 })
  }

  @Test func aDryRunOnlyCounts() async throws {
    let demo = try await demo()

    let result = try await clean(demo, dryRun: true)

    #expect(result.deleted == Self.expected)
    #expect(result.dryRun == true)
    #expect(try await demo.number("SELECT count(*) FROM notifications") == 9)
  }

  @Test func withoutTimeEverythingStaysForTheNextDay() async throws {
    let demo = try await demo()

    let result = try await clean(demo, patience: .zero)

    #expect(!result.isComplete)
    #expect(result.deleted.values.allSatisfy { $0 == 0 })
  }
}
