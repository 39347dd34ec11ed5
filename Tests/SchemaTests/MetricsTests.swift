import Postgres
import TestSupport
import Testing

/// The views that the runner's /metrics shows.
@Suite(.heavy)
struct MetricsTests {
  /// A migrated database whose tables take rows without those that they belong to.
  private func database(_ script: String) async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    try await connection.script("SET session_replication_role = replica; \(script)")
    return connection
  }

  private func values(_ view: String, by labels: [String], _ connection: Connection) async throws -> [String: Int] {
    let rows = try await connection.query("SELECT * FROM \(identifier: view)")
    return Dictionary(
      uniqueKeysWithValues: try rows.map { row in
        (labels.map { row[$0] ?? "" }.joined(separator: " "), try row.decode("value"))
      })
  }

  @Test func deliveriesAreCountedByStateAndProvider() async throws {
    let connection = try await database(
      """
      INSERT INTO deliveries
        (notification_id, device_token_id, user_id, app, provider, state, not_before, expires_at, created_at, updated_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'feedbackkit', provider, state, now(), now(), now(),
        at
      FROM (VALUES ('queued', 'apns', now() - interval '9 days'), ('accepted', 'apns', now()),
        ('accepted', 'apns', now()), ('accepted', 'fcm', now()), ('opened', 'apns', now()), ('acted', 'apns', now()),
        ('accepted', 'apns', now() - interval '2 days'), ('rejected', 'apns', now() - interval '2 days')
      ) AS d (state, provider, at);
      """)

    let values = try await values("push_deliveries_by_state", by: ["provider", "state"], connection)

    #expect(values.count == 14)
    #expect(
      values.filter { $0.value > 0 } == [
        "apns queued": 1, "apns accepted": 2, "fcm accepted": 1, "apns opened": 1, "apns acted": 1,
      ])
  }

  @Test func attemptsOfTheLastHourAreCountedByOutcomeAndReason() async throws {
    let connection = try await database(
      """
      INSERT INTO push_notification_logs (user_id, notification_type, status, reason, created_at, delivery_id)
      SELECT gen_random_uuid(), 'new_vote', status, reason, at, gen_random_uuid()
      FROM (VALUES ('sent', NULL, now()), ('sent', NULL, now()), ('deferred', 'ServiceUnavailable', now()),
        ('deferred', 'TooManyRequests', now()), ('sent', NULL, now() - interval '2 hours')) AS l (status, reason, at);
      """)

    let values = try await values("push_attempts_last_hour", by: ["outcome", "reason"], connection)

    #expect(values == ["sent ": 2, "deferred ServiceUnavailable": 1, "deferred TooManyRequests": 1])
  }

  @Test func whatWaitsIsCountedByWhyAndByHowLong() async throws {
    let connection = try await database(
      """
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, reason, lease_until, not_before,
        expires_at, created_at, updated_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'feedbackkit', state, reason, lease, now() + wait,
        now() + interval '1 day', now(), now()
      FROM (VALUES
        ('queued', 'TooManyRequests', NULL, interval '1 minute'), ('queued', 'TooManyRequests', NULL, '2 minutes'),
        ('queued', 'BadTopic', NULL, '5 minutes'), ('queued', NULL, NULL, '1 hour'),
        ('queued', NULL, NULL, '-100 seconds'), ('queued', NULL, now() + interval '1 minute', '-200 seconds'),
        ('accepted', NULL, NULL, '-300 seconds')) AS d (state, reason, lease, wait);
      """)

    let held = try await values("push_held_deliveries", by: ["reason"], connection)
    let age = try await connection.query("SELECT value FROM push_oldest_due_seconds").only()

    #expect(held == ["TooManyRequests": 2, "BadTopic": 1])
    #expect((100..<130).contains(try age.decode("value", as: Double.self)))
    try await connection.script("DELETE FROM deliveries")
    let none = try await connection.query("SELECT value FROM push_oldest_due_seconds").only()
    #expect(try none.decode("value", as: Double.self) == 0)
  }
}
