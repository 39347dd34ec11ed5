import Postgres
import TestSupport
import Testing

/// Tables of devices and preferences whose columns only the app's own code fills.
@Suite(.heavy)
struct OwnSettingsTests {
  /// The database before devices and preferences, with tables of the app's own for them.
  private func migrated(_ tables: String) async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Schema.feedbackKitTables)
    try await connection.script(tables)
    for migration in [Schema.preparation] + Schema.migrations {
      try await connection.transaction { try await $0.script(migration.sql) }
    }
    try await connection.script(
      """
      INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada');
      INSERT INTO projects (name, api_key, owner_id) SELECT 'P', 'k', id FROM users;
      """)
    return connection
  }

  /// A column that must have a value, and the one that a row of a function gets there.
  @Test(arguments: [
    ("is_active boolean NOT NULL", "true"), ("is_tablet boolean NOT NULL", "false"), ("model text NOT NULL", ""),
    ("launches integer NOT NULL", "0"), ("facts jsonb NOT NULL", "{}"), ("tags text[] NOT NULL", "{}"),
    ("is_active boolean NOT NULL DEFAULT false", "false"),
  ])
  func aDeviceIsRegisteredAllTheSame(column: String, value: String) async throws {
    let connection = try await migrated(
      """
      CREATE TABLE device_tokens (
        id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, token text NOT NULL UNIQUE,
        platform text NOT NULL, \(column));
      """)

    try await connection.script(
      "INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'aa', 'iOS' FROM users")

    let name = String(column.prefix { $0 != " " })
    let row = try await connection.query("SELECT \(identifier: name)::text AS value FROM device_tokens").only()
    #expect(row["value"] == value)
    await #expect(throws: PostgresError.self) {
      try await connection.script("UPDATE device_tokens SET \(name) = NULL")
    }
  }

  /// Columns of LockItIn's that the tables of another app may have.
  @Test(arguments: [("", ""), ("notifications_enabled boolean NOT NULL, ", "notification_level text DEFAULT 'all', ")])
  func settingsGetTheColumnsThatTheyLack(personal: String, ofGroups: String) async throws {
    let connection = try await migrated(
      """
      CREATE TABLE user_notification_preferences (
        id uuid PRIMARY KEY, user_id uuid NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
        \(personal)channel text NOT NULL DEFAULT 'push');
      CREATE TABLE group_notification_preferences (
        id uuid PRIMARY KEY, user_id uuid NOT NULL, group_id uuid NOT NULL, \(ofGroups)UNIQUE (user_id, group_id));
      """)
    try await connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, timezone)
        SELECT id, true, 'Europe/Paris' FROM users;
      INSERT INTO group_notification_preferences (user_id, group_id) SELECT id, id FROM users;
      """)

    let row = try await connection.query(
      """
      SELECT u.notifications_enabled AND u.vote_updates AND u.quiet_hours_start IS NULL AND u.channel = 'push' AS is_on,
        u.notification_sound, g.notification_level, g.vote_updates
      FROM user_notification_preferences u JOIN group_notification_preferences g USING (user_id)
      """
    ).only()
    #expect((row["is_on"], row["notification_sound"]) == ("t", "default"))
    #expect((row["notification_level"], row["vote_updates"]) == ("all", nil))
  }

  @Test(arguments: [
    ("email_muted boolean NOT NULL", "false"), ("push_muted boolean NOT NULL", "false"),
    ("push_notify_votes boolean NOT NULL", "true"), ("note varchar(20) NOT NULL", ""),
  ])
  func preferencesAreWrittenAllTheSame(column: String, value: String) async throws {
    let name = String(column.prefix { $0 != " " })
    let others = [
      "push_notify_new_feedback", "push_notify_new_comments", "push_notify_votes",
      "push_notify_status_changes", "push_muted", "email_notify_new_feedback", "email_notify_new_comments",
      "email_muted",
    ].filter { $0 != name }.map { "\($0) boolean" }
    let connection = try await migrated(
      """
      CREATE TABLE project_member_preferences (
        id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id), project_id uuid NOT NULL REFERENCES projects (id),
        \(others.joined(separator: ", ")), \(column), created_at timestamptz, updated_at timestamptz,
        UNIQUE (user_id, project_id));
      """)

    try await connection.script(
      "INSERT INTO project_member_preferences (user_id, project_id) SELECT u.id, p.id FROM users u, projects p")

    let row = try await connection.query(
      "SELECT \(identifier: name)::text AS value FROM project_member_preferences"
    ).only()
    #expect(row["value"] == value)
  }
}
