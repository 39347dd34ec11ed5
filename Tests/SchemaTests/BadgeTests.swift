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

  @Test(arguments: [(1, 1), (3, 3), (4, 4), (100, 4)])
  func countsNoFurtherThanAsked(most: Int, expected: Int) async throws {
    let connection = try await database()
    try await connection.script(
      """
      INSERT INTO notifications (user_id, app, type, title, expires_at)
        SELECT '\(Self.person)', 'feedbackkit', 'new_vote', 'New Vote', '2026-06-01 12:00+00' FROM generate_series(1, 3)
      """)

    let badge: Int = try await connection.query(
      """
      SELECT badge FROM push_badges(\(Self.person)::uuid, 'feedbackkit', '2026-06-01 11:30+00'::timestamptz, \(most))
      """
    ).only().decode("badge")

    #expect(badge == expected)
    #expect(try await self.badge("feedbackkit", at: "2026-06-01 11:30+00", connection) == 4)
  }

  @Test(arguments: [
    ("SELECT 1", 1), ("UPDATE event_proposals SET status = 'confirmed'", 0),
    ("UPDATE event_proposals SET deadline = '2026-06-01 11:00+00'", 0), ("DELETE FROM group_members", 0),
    ("INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-06-01 00:00+00')", 0),
    ("INSERT INTO notification_state VALUES ('\(person)', 'lockitin', '2026-05-30 00:00+00')", 0),
    ("INSERT INTO notification_state VALUES ('\(person)', 'feedbackkit', '2026-06-01 00:00+00')", 1),
    ("INSERT INTO friend_requests (requester_id, recipient_id) VALUES ('\(person)', '\(person)')", 2),
    ("INSERT INTO group_invites (group_id, invitee_id) SELECT id, '\(person)' FROM groups", 2),
    (
      """
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES ('f5000000-0000-4000-8000-000000000001',
        'f4000000-0000-4000-8000-000000000001', now(), now());
      \(vote)
      """, 0
    ),
  ])
  func countsTheVotesThatAreAskedFor(change: String, expected: Int) async throws {
    let connection = try await database()
    try await connection.script(change)

    #expect(try await badge("lockitin", at: "2026-06-01 11:30+00", connection) == expected)
  }

  /// An entry that comes or asks again after all was read counts, and nothing else, whatever times the rows have.
  @Test(arguments: [
    ("SELECT 1", 0), ("UPDATE event_proposals SET title = 'Chess', deadline = deadline + interval '1 day'", 0),
    ("UPDATE friend_requests SET status = 'accepted'", 0), ("UPDATE group_invites SET updated_at = now()", 0),
    (
      """
      INSERT INTO friend_requests (requester_id, recipient_id, created_at)
      VALUES ('\(person)', '\(person)', '2000-01-01')
      """, 1
    ),
    ("INSERT INTO group_invites (group_id, invitee_id, created_at) SELECT id, '\(person)', '2000-1-1' FROM groups", 1),
    (
      """
      INSERT INTO event_proposals (group_id, created_by, title, deadline, created_at)
      SELECT id, '\(person)', 'Chess', '2039-01-01', '2000-01-01' FROM groups
      """, 1
    ),
    ("UPDATE friend_requests SET status = 'declined'; UPDATE friend_requests SET status = 'pending'", 1),
    ("UPDATE group_invites SET status = 'accepted'; UPDATE group_invites SET status = 'pending'", 1),
    ("UPDATE event_proposals SET options_version = 2", 1),
    ("UPDATE event_proposals SET status = 'cancelled'; UPDATE event_proposals SET status = 'open'", 1),
    ("UPDATE event_proposals SET deadline = '2020-01-01'; UPDATE event_proposals SET deadline = '2039-01-01'", 1),
    ("\(vote)", 0), ("\(vote); DELETE FROM proposal_votes", 1), ("\(vote); DELETE FROM proposal_options", 1),
    (
      """
      CREATE TEMP TABLE member AS SELECT group_id, user_id FROM group_members; DELETE FROM group_members;
      INSERT INTO group_members (group_id, user_id) SELECT group_id, user_id FROM member
      """, 1
    ),
  ])
  func countsWhatIsAskedSinceEverythingWasRead(change: String, expected: Int) async throws {
    for time in ["2000-01-01", "2026-06-01", "2040-01-01"] {
      let connection = try await database()
      // The app's clock is ahead.
      try await connection.script(
        """
        UPDATE event_proposals SET deadline = '2038-01-01', created_at = '2037-01-01';
        INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES ('f5000000-0000-4000-8000-000000000001',
          'f4000000-0000-4000-8000-000000000001', '2038-01-02', '2038-01-02');
        INSERT INTO friend_requests (requester_id, recipient_id, created_at)
        VALUES ('\(Self.person)', '\(Self.person)', '2037-01-01');
        INSERT INTO group_invites (group_id, invitee_id, created_at) SELECT id, '\(Self.person)', '2037-01-01' FROM groups;
        """)
      let reading = """
        INSERT INTO notification_state AS s VALUES ('\(Self.person)', 'lockitin', '\(time)')
        ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = greatest(s.all_read_at, excluded.all_read_at)
        """
      #expect(try await badge("lockitin", at: "2036-01-01", connection) == 3)
      try await connection.script(reading)
      #expect(try await badge("lockitin", at: "2036-01-01", connection) == 0, "\(time)")

      try await connection.script(change)
      #expect(try await badge("lockitin", at: "2036-01-01", connection) == expected, "\(time)")

      try await connection.script(reading)
      #expect(try await badge("lockitin", at: "2036-01-01", connection) == 0, "\(time)")
      await connection.close()
    }
  }

  private static let vote = """
    INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES ('f4000000-0000-4000-8000-000000000001',
      'f5000000-0000-4000-8000-000000000001', '\(person)', 'no')
    """
}
