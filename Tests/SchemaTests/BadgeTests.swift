import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct BadgeTests {
  private static let person = "a0000000-0000-4000-8000-000000000001"

  /// A database with one person, a group of theirs with one open proposal, and one unread notification.
  private func database() async throws -> Connection {
    let url = try await TemporaryPostgres.database(migrated: Self.migrate, named: "schema")
    let connection = Connection(url: url, applicationName: "test")
    try await connection.script(
      """
      INSERT INTO users (id, email, name) VALUES ('\(Self.person)', 'a@example.com', 'Ada');
      INSERT INTO groups (id, name) VALUES ('f0000000-0000-4000-8000-000000000001', 'Friends');
      INSERT INTO group_members (group_id, user_id) VALUES ('f0000000-0000-4000-8000-000000000001', '\(Self.person)');
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline, created_at) VALUES
        ('f4000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001', '\(Self.person)', 'Game Night',
         '2026-06-01 12:00+00', '2026-05-31 12:00+00');
      INSERT INTO notifications (user_id, app, type, title, expires_at) VALUES
        ('\(Self.person)', 'feedbackkit', 'new_vote', 'New Vote', '2026-06-01 12:00+00');
      """)
    return connection
  }

  private static let migrate: @Sendable (String) async throws -> Void = { url in
    let connection = Connection(url: url, applicationName: "migration")
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    await connection.close()
  }

  private func badge(_ app: String, at time: String, _ connection: Connection) async throws -> Int {
    try await connection.query("SELECT push_badge(\(Self.person)::uuid, \(app), \(time)::timestamptz) AS badge")
      .only().decode("badge")
  }

  @Test(arguments: [
    ("SELECT 1", 1), ("UPDATE notifications SET is_read = true", 0), ("UPDATE notifications SET is_archived = true", 0),
    ("UPDATE notifications SET counts_for_badge = false", 0), ("UPDATE notifications SET app = 'mugshot'", 0),
    ("UPDATE notifications SET expires_at = NULL", 1),
    ("UPDATE notifications SET expires_at = '2026-06-01 11:00+00'", 0),
    ("UPDATE notifications SET is_read = NULL, is_archived = NULL", 1),
  ])
  func countsWhatIsUnread(change: String, expected: Int) async throws {
    let connection = try await database()
    try await connection.script(change)

    #expect(try await badge("feedbackkit", at: "2026-06-01 11:30+00", connection) == expected)
  }

  @Test(arguments: [
    ("SELECT 1", 1), ("UPDATE event_proposals SET status = 'confirmed'", 0),
    ("UPDATE event_proposals SET deadline = '2026-06-01 11:00+00'", 0), ("DELETE FROM group_members", 0),
    ("INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-06-01 00:00+00')", 0),
    ("INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-05-30 00:00+00')", 1),
    ("INSERT INTO notification_state VALUES ('\(person)', 'feedbackkit', '2026-06-01 00:00+00')", 1),
    ("INSERT INTO friend_requests (requester_id, recipient_id) VALUES ('\(person)', '\(person)')", 2),
    ("INSERT INTO group_invites (group_id, invitee_id) SELECT id, '\(person)' FROM groups", 2),
    (
      """
      INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-06-01 00:00+00');
      INSERT INTO friend_requests (requester_id, recipient_id, created_at) VALUES
        ('\(person)', '\(person)', '2026-05-31'), ('\(person)', '\(person)', '2026-06-01 01:00+00');
      INSERT INTO group_invites (group_id, invitee_id, created_at)
      SELECT id, '\(person)', t FROM groups, unnest('{2026-05-31, 2026-06-02}'::timestamptz[]) t
      """, 2
    ),
    (
      """
      INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-06-01 00:00+00');
      UPDATE event_proposals SET title = 'Chess'
      """, 0
    ),
    (
      """
      INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-06-01 00:00+00');
      UPDATE event_proposals SET options_version = 2
      """, 1
    ),
    (
      """
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES ('f5000000-0000-4000-8000-000000000001',
        'f4000000-0000-4000-8000-000000000001', now(), now());
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES ('f4000000-0000-4000-8000-000000000001',
        'f5000000-0000-4000-8000-000000000001', '\(person)', 'no')
      """, 0
    ),
  ])
  func countsTheVotesThatAreAskedFor(change: String, expected: Int) async throws {
    let connection = try await database()
    try await connection.script(change)

    #expect(try await badge("lockitin", at: "2026-06-01 11:30+00", connection) == expected)
  }
}
