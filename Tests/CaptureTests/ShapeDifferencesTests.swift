import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The report of `runner doctor` about tables that are not as the functions need them.
@Suite(.heavy)
struct ShapeDifferencesTests {
  private func migrated(after script: String = "") async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(script)
    _ = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(""))
    return connection
  }

  private func differences(_ connection: Connection) async throws -> [String] {
    try await ShapeDifferences(from: Manifest(directory: Schema.project), in: connection).lines()
  }

  @Test func aNewDatabaseHasNone() async throws {
    let connection = try await migrated()

    #expect(try await differences(connection).isEmpty)
  }

  @Test func theShapeIsThatOfTheCatalog() async throws {
    let connection = try await migrated()

    let columns = try await connection.query(
      """
      SELECT c.relname || '.' || a.attname AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
        AND NOT a.attisdropped
      """
    ).decode("name", as: String.self)

    let shape = SchemaShape(of: try await SchemaMigration.all(of: CapturingDatabase.manifest(""))).tables
      .flatMap { table, columns in columns.map { "\(table).\($0.name)" } }
    #expect(Set(shape).isSubset(of: columns))
    #expect(shape.count > 200)
  }

  @Test(arguments: [
    ("ALTER TABLE votes DROP COLUMN user_email", "votes has no column user_email (character varying)"),
    ("DROP TABLE analyses", "the table analyses is missing"),
    (
      "ALTER TABLE push_notification_logs ALTER COLUMN id DROP DEFAULT",
      "push_notification_logs.id must not be NULL and has no default: rows that are written here leave it out; "
        + "ALTER TABLE push_notification_logs ALTER COLUMN id SET DEFAULT gen_random_uuid()"
    ),
    (
      "ALTER TABLE group_members ADD COLUMN nickname text NOT NULL",
      "group_members.nickname must not be NULL and has no default: rows that are written here leave it out; "
        + "ALTER TABLE group_members ALTER COLUMN nickname SET DEFAULT ''"
    ),
    (
      "ALTER TABLE device_tokens ADD COLUMN serial text NOT NULL",
      "device_tokens.serial must not be NULL and has no default: rows that are written here leave it out; "
        + "ALTER TABLE device_tokens ALTER COLUMN serial SET DEFAULT ''"
    ),
    (
      "ALTER TABLE device_tokens DROP CONSTRAINT device_tokens_token_key",
      "device_tokens lacks a unique index on (token)"
    ),
    (
      "ALTER TABLE project_member_preferences DROP CONSTRAINT unique_user_project",
      "project_member_preferences lacks a unique index on (project_id, user_id)"
    ),
  ])
  func eachIsALine(change: String, line: String) async throws {
    let connection = try await migrated()
    try await connection.script(change)

    #expect(try await differences(connection) == [line])
  }

  /// A column of another type, the sentence about it, and the statement that mends it.
  @Test(arguments: [
    (
      "ALTER TABLE notifications ALTER COLUMN data TYPE text", "notifications.data is text, and has to be jsonb",
      """
      ALTER TABLE notifications ALTER COLUMN "data" DROP DEFAULT, ALTER COLUMN "data" TYPE jsonb \
      USING "data"::text::jsonb, ALTER COLUMN "data" SET DEFAULT ('{}'::jsonb)::text::jsonb;
      """
    ),
    (
      "ALTER TABLE user_activity ALTER COLUMN seen_at TYPE timestamp",
      "user_activity.seen_at is timestamp without time zone, and has to be timestamp with time zone",
      """
      ALTER TABLE user_activity ALTER COLUMN "seen_at" TYPE timestamp with time zone USING "seen_at" AT TIME ZONE 'UTC';
      """
    ),
    (
      "ALTER TABLE user_notification_preferences DROP quiet_hours_days, ADD quiet_hours_days integer",
      "user_notification_preferences.quiet_hours_days is integer, and has to be jsonb",
      """
      ALTER TABLE user_notification_preferences ALTER COLUMN "quiet_hours_days" TYPE jsonb \
      USING "quiet_hours_days"::text::jsonb;
      """
    ),
  ])
  func anotherTypeIsMendedByTheStatement(change: String, sentence: String, mending: String) async throws {
    let connection = try await migrated()
    try await connection.script(change)

    #expect(try await differences(connection) == ["\(sentence): \(mending)"])
    try await connection.script(mending)
    #expect(try await differences(connection).isEmpty)
  }

  @Test(arguments: ["text", "json", "varchar(300)"])
  func daysOfQuietHoursMayBeOfTexts(type: String) async throws {
    let connection = try await migrated()
    for table in ["user_notification_preferences", "notification_settings"] {
      try await connection.script("ALTER TABLE \(table) DROP quiet_hours_days, ADD quiet_hours_days \(type)")
    }

    #expect(try await differences(connection).isEmpty)
  }

  /// The things that a statement takes away, and what that costs.
  @Test(
    arguments: [
      ("ALTER TABLE users DROP COLUMN password_hash", nil), ("ALTER TABLE feedbacks DROP COLUMN rejection_reason", nil),
      ("ALTER TABLE users ALTER COLUMN created_at TYPE timestamp", nil),
      (
        """
        CREATE TYPE state AS ENUM ('pending');
        ALTER TABLE feedbacks ALTER COLUMN status DROP DEFAULT, ALTER COLUMN status TYPE state USING 'pending'
        """, nil
      ),
      (
        "ALTER TABLE users DROP COLUMN notify_new_feedback",
        """
        users has no column notify_new_feedback (boolean): the personal preferences of feedbackkit \
        (/api/v1/auth/notifications) answer 501 until users.notify_new_feedback is there
        """
      ),
      (
        "ALTER TABLE users ALTER notify_new_feedback DROP DEFAULT, ALTER notify_new_feedback TYPE text",
        """
        users.notify_new_feedback is text, and has to be boolean: the personal preferences of feedbackkit \
        (/api/v1/auth/notifications) answer 501 until it is: ALTER TABLE users ALTER COLUMN "notify_new_feedback" \
        TYPE boolean USING "notify_new_feedback"::text::boolean;
        """
      ),
    ] as [(String, String?)])
  func whatOneFunctionAloneUsesIsALineWithItsCost(change: String, line: String?) async throws {
    let connection = try await migrated()
    try await connection.script(change)
    let differences = try await ShapeDifferences(from: Manifest(directory: Schema.project), in: connection)

    #expect(try await differences.lines().isEmpty)
    #expect(try await differences.costs() == [line].compactMap(\.self))
  }

  @Test func eachColumnThatMayLackIsOneOfTheMigrations() async throws {
    let manifest = try Manifest(directory: Schema.project)
    let shape = SchemaShape(of: try await SchemaMigration.all(of: manifest))

    let unknown = manifest.mayLack.filter { spare in
      shape.tables[spare.table]?.contains { $0.name == spare.column } != true
    }
    #expect(unknown.isEmpty)
    #expect(manifest.mayLack.count > 10)
  }
}
