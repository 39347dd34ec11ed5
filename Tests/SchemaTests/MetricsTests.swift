import Postgres
import Schema
import TestSupport
import Testing

/// The views that the runner's /metrics shows.
@Suite(.makesDatabases)
struct MetricsTests {
  @Test func deliveriesAreCountedByState() async throws {
    let connection = try await TemporaryPostgres.connection()
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    try await connection.script(
      """
      SET session_replication_role = replica;
      INSERT INTO deliveries
        (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at, updated_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'feedbackkit', state, now(), now(), now(), at
      FROM (VALUES ('queued', now() - interval '9 days'), ('accepted', now()), ('accepted', now()),
        ('accepted', now() - interval '2 days'), ('rejected', now() - interval '2 days')) AS d (state, at);
      """)

    let rows = try await connection.query("SELECT state, value FROM push_deliveries")

    let values = try rows.map { (try $0.decode("state", as: String.self), try $0.decode("value", as: Int.self)) }
    #expect(
      Dictionary(values) { $1 } == ["queued": 1, "accepted": 2, "rejected": 0, "expired": 0, "unknown": 0])
  }
}
