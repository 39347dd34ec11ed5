import Postgres
import TestSupport
import Testing

/// Times of the apps' rows are those of the clock that a test may move.
@Suite(.heavy)
struct ClockTests {
  /// Columns and functions that stamp rows, or compare them, with real time, and the reason.
  private static let listed: Set = [
    // Each begins with real time and adds what the clock is moved by.
    "push_now()",
    // Bearer tokens are made and end in real time, by the seconds of those who call.
    "api_tokens.created_at",
  ]

  private func migrated(_ connection: Connection) async throws {
    try await connection.script("BEGIN; \(Schema.migrations.map(\.sql).joined(separator: "\n")); COMMIT")
  }

  @Test func nothingIsStampedWithRealTimeUnlessItIsListed() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await migrated(connection)

    let places = try await connection.query(
      """
      SELECT place FROM (
        SELECT format('%s.%s', d.adrelid::regclass, a.attname) AS place, pg_get_expr(d.adbin, d.adrelid) AS text
        FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
        JOIN pg_class c ON c.oid = d.adrelid AND NOT c.relispartition
        WHERE c.relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
      ) x
      WHERE text ~* '(^|[^_a-z])(now\\(\\)|statement_timestamp|transaction_timestamp|clock_timestamp|current_timestamp|current_date|localtimestamp)'
      """
    ).decode("place", as: String.self)

    #expect(Set(places).subtracting(Self.listed) == [])
  }

  @Test func rowsAreStampedByTheMovedClock() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await migrated(connection)
    try await connection.script(
      """
      CREATE SCHEMA runner; CREATE TABLE runner.clock ("offset" interval); INSERT INTO runner.clock VALUES ('100 days');
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'a@example.com', 'Ada');
      INSERT INTO groups (id, name) VALUES ('f0000000-0000-4000-8000-000000000001', 'Friends');
      INSERT INTO group_members (group_id, user_id) SELECT g.id, u.id FROM groups g, users u;
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT 'f4000000-0000-4000-8000-000000000001', g.id, u.id, 'Chess', now() + interval '200 days' FROM groups g, users u;
      UPDATE event_proposals SET options_version = 2;
      INSERT INTO friend_requests (requester_id, recipient_id) SELECT id, id FROM users;
      INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'AB', 'iOS' FROM users;
      INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'ab', 'iOS' FROM users;
      """)

    for (table, column) in [
      ("event_proposals", "created_at"), ("event_proposals", "options_changed_at"), ("friend_requests", "created_at"),
      ("device_tokens", "registered_at"), ("device_tokens", "deactivated_at"), ("users", "created_at"),
    ] {
      let real = try await connection.query(
        """
        SELECT FROM \(identifier: table)
        WHERE \(identifier: column) NOT BETWEEN now() + interval '99 days' AND now() + interval '101 days'
        """)
      #expect(real.isEmpty, "\(table).\(column)")
    }
  }
}
