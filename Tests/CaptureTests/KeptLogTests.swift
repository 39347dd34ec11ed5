import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// A log of attempts that an app has made itself before the first migration.
@Suite(.heavy)
struct KeptLogTests {
  private static let ada = "a0000000-0000-4000-8000-000000000001"

  /// Tables that the log refers to, and the log with an old line.
  private static let app = """
    CREATE TABLE users (id uuid PRIMARY KEY, email text, name text NOT NULL);
    CREATE TABLE projects (id uuid PRIMARY KEY, name text, owner_id uuid NOT NULL REFERENCES users (id));
    CREATE TABLE feedbacks (id uuid PRIMARY KEY, title text NOT NULL, user_id text NOT NULL, user_email text, status text,
      category text, description text, vote_count int, project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      created_at timestamptz, updated_at timestamptz);
    CREATE TABLE device_tokens (
      id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, token text NOT NULL UNIQUE,
      platform text NOT NULL, created_at timestamptz);
    INSERT INTO users VALUES ('\(ada)', 'ada@example.com', 'Ada');
    INSERT INTO projects SELECT id, 'P', id FROM users; INSERT INTO feedbacks (id, title, user_id, project_id)
      SELECT id, 'F', 'sdk', id FROM users;
    INSERT INTO device_tokens SELECT id, id, 'aa', 'iOS' FROM users;
    """
  private static let log = """
    CREATE TABLE push_notification_logs (
      id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      device_token_id uuid REFERENCES device_tokens (id) ON DELETE SET NULL, notification_type varchar(50) NOT NULL,
      status varchar(20) NOT NULL, feedback_id uuid REFERENCES feedbacks (id) ON DELETE SET NULL,
      project_id uuid REFERENCES projects (id) ON DELETE SET NULL, error_message text, created_at timestamp);
    CREATE INDEX idx_push_logs_status ON push_notification_logs (status);
    INSERT INTO push_notification_logs (id, user_id, notification_type, status, created_at)
      SELECT id, id, 'x', 'sent', now() - interval '99 days' FROM users;
    """
  /// An attempt as `push-delivery` writes it.
  private static let attempt = """
    INSERT INTO push_notification_logs (user_id, device_token_id, notification_type, status, feedback_id, project_id,
      error_message, apns_id, created_at, delivery_id, attempt, http_status, reason, duration_ms, payload)
    SELECT id, id, 'new_vote', 'sent', id, id, NULL, 'apns', now(), gen_random_uuid(), 1, 200, NULL, 5, '{}'::jsonb
    FROM users;
    """

  private func database(_ log: String = log, more: String = "") async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("\(Self.app) \(log) \(more)")
    return connection
  }

  private func migrate(_ connection: Connection) async throws {
    _ = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(""))
  }

  /// Its kind, columns, constraints, indexes, partitions and rows, without what is added to it.
  private func shape(_ connection: Connection) async throws -> [String] {
    try await connection.query(
      """
      SELECT concat_ws(' ', relkind, relnamespace::regnamespace) AS line FROM pg_class
        WHERE oid = 'push_notification_logs'::regclass
      UNION ALL SELECT concat_ws(' ', attnum, attname, format_type(atttypid, atttypmod), attnotnull, atthasdef)
        FROM pg_attribute WHERE attrelid = 'push_notification_logs'::regclass AND attnum BETWEEN 1 AND 9
      UNION ALL SELECT concat_ws(' ', conname, pg_get_constraintdef(oid), convalidated) FROM pg_constraint
        WHERE conrelid = 'push_notification_logs'::regclass
      UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index
        WHERE indrelid = 'push_notification_logs'::regclass
          AND indexrelid::regclass::text NOT IN ('idx_push_logs_user', 'idx_push_logs_created')
      UNION ALL SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'push_notification_logs'::regclass
      UNION ALL SELECT concat_ws(' ', tableoid::regclass, id, user_id, status, created_at) FROM push_notification_logs
      ORDER BY line
      """
    ).decode("line")
  }

  /// The log as it stands, or in partitions of the app's own.
  private static let partitioned = """
    CREATE TABLE push_notification_logs (
      id uuid NOT NULL, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, device_token_id uuid,
      notification_type text NOT NULL, status text NOT NULL, feedback_id uuid, project_id uuid, error_message text,
      created_at timestamptz NOT NULL, PRIMARY KEY (id, created_at)) PARTITION BY RANGE (created_at);
    CREATE TABLE logs_of_long_ago PARTITION OF push_notification_logs FOR VALUES FROM ('2000-01-01') TO ('2001-01-01');
    CREATE TABLE logs_of_the_rest PARTITION OF push_notification_logs DEFAULT;
    INSERT INTO push_notification_logs (id, user_id, notification_type, status, created_at)
      SELECT id, id, 'x', 'sent', timestamptz '2000-02-03' FROM users;
    """

  @Test(arguments: [log, partitioned]) func itKeepsItsShapeAndTakesAttempts(_ log: String) async throws {
    let connection = try await database(log)
    let before = try await shape(connection)

    try await migrate(connection)

    #expect(try await shape(connection) == before)
    try await connection.script(Self.attempt)
    let row = try await connection.query(
      """
      SELECT id IS NOT NULL AND device_token_id = user_id AND feedback_id = user_id AND project_id = user_id
        AND http_status = 200 AND payload = '{}' AS is_whole FROM push_notification_logs WHERE delivery_id IS NOT NULL
      """
    ).only()
    #expect(try row.decode("is_whole"))
    #expect(try await connection.query("SELECT value FROM push_attempts_last_hour").only().decode("value") == 1)
    #expect(try await Migrator(database: connection).plan(CapturingDatabase.manifest(""), prunes: false).isEmpty)
  }

  /// A statement that deletes something, and what the attempt has then: a device, a feedback, a project.
  @Test(arguments: [
    ("DELETE FROM device_tokens", "ftt"), ("DELETE FROM feedbacks", "tft"), ("DELETE FROM projects", "tff"),
    ("DELETE FROM projects; DELETE FROM users", nil),
  ])
  func itsLinesFollowItsOwnKeys(deletion: String, left: String?) async throws {
    let connection = try await database()
    try await migrate(connection)
    try await connection.script("\(Self.attempt) \(deletion)")

    let rows = try await connection.query(
      """
      SELECT concat(device_token_id IS NOT NULL, feedback_id IS NOT NULL, project_id IS NOT NULL) AS said
      FROM push_notification_logs WHERE delivery_id IS NOT NULL
      """
    ).decode("said", as: String.self)

    #expect(rows == [left].compactMap(\.self))
  }

  @Test func whatIsGoneMeanwhileIsNotNamed() async throws {
    let connection = try await database()
    try await migrate(connection)
    let other = connection.another(statementTimeout: .seconds(10))

    // Somebody deletes the device: nobody waits for that.
    let refusal = try await other.transaction { transaction in
      _ = try await transaction.query("DELETE FROM device_tokens")
      return await #expect(throws: PostgresError.self) { try await connection.script(Self.attempt) }
    }
    try await connection.script(Self.attempt)

    #expect(refusal?.code == .sqlState("55P03"))
    let lines = try await connection.query(
      "SELECT device_token_id FROM push_notification_logs WHERE delivery_id IS NOT NULL")
    #expect(lines.count == 1 && lines.first?["device_token_id"] == nil)
    await other.close()
  }

  /// Without a key to people, only lines of ours go with them; the cleaning takes none of the app's.
  @Test func theAppsOwnLinesAreTheApps() async throws {
    let connection = try await database(
      Self.partitioned,
      more: """
        ALTER TABLE push_notification_logs DROP CONSTRAINT push_notification_logs_user_id_fkey
        """)
    try await migrate(connection)
    try await connection.script(
      "\(Self.attempt) UPDATE push_notification_logs SET created_at = now() - interval '95 days' WHERE delivery_id IS NOT NULL"
    )
    try await connection.script(Self.attempt)
    let cleaning = try await connection.query(
      """
      SELECT push_delete_logs(now() - interval '90 days', 5) AS deleted, push_drop_log_days(now()) AS dropped,
        push_make_log_days(now()) AS made, (SELECT count(*) FROM push_log_days_until(now())) AS days
      """
    ).only()
    #expect(["deleted", "dropped", "made", "days"].map { cleaning[$0] } == ["1", "0", "0", "0"])
    #expect(try await connection.query("SELECT FROM push_notification_logs").count == 2)

    try await connection.script("DELETE FROM projects; DELETE FROM users")

    #expect(
      try await connection.query("SELECT tableoid::regclass::text AS place FROM push_notification_logs")
        .decode("place") == ["logs_of_long_ago"])
  }

  /// Columns that must have a value, and what an attempt gets there.
  @Test(arguments: [
    ("is_test boolean NOT NULL", "false"), ("apns_id text NOT NULL", "apns"), ("reason text NOT NULL", ""),
    ("retries integer NOT NULL", "0"), ("extra json NOT NULL", "{}"), ("tags text[] NOT NULL DEFAULT '{a}'", "{a}"),
  ])
  func aColumnThatMustHaveAValueGetsOne(column: String, value: String) async throws {
    let connection = try await database(
      more: "TRUNCATE push_notification_logs; ALTER TABLE push_notification_logs ADD COLUMN \(column)")
    try await migrate(connection)

    try await connection.script(Self.attempt)

    let name = String(column.prefix { $0 != " " })
    let row = try await connection.query("SELECT \(identifier: name)::text AS value FROM push_notification_logs").only()
    #expect(row["value"] == value)
  }

  /// The statuses that a check of the app's knows, and what an attempt without an answer is there.
  @Test(arguments: [
    ("'sent', 'failed', 'token_expired', 'unknown', 'deferred'", "unknown"), ("'sent', 'failed'", "failed"),
    ("'sent', 'failed', 'token_expired', 'delivered'", "failed"), ("NULL, 'sent'", "unknown"),
  ])
  func anAttemptHasAStatusThatFits(known: String, status: String) async throws {
    let connection = try await database(
      more: "ALTER TABLE push_notification_logs ADD CONSTRAINT known CHECK (status IN (\(known)))")
    let before = try await shape(connection)
    try await migrate(connection)

    for word in ["token_expired", "unknown", "deferred"] {
      try await connection.script(Self.attempt.replacing("'sent'", with: "'\(word)'"))
    }

    let written: [String] = try await connection.query(
      "SELECT DISTINCT status FROM push_notification_logs WHERE delivery_id IS NOT NULL AND status <> 'token_expired'"
    ).decode("status")
    #expect(written.contains(status))
    #expect(try await connection.query("SELECT FROM push_notification_logs WHERE delivery_id IS NOT NULL").count == 3)
    #expect(Set(before).isSubset(of: try await shape(connection)))
  }

  /// Statuses without ours, and a column that is too short for them.
  @Test(arguments: [
    "ADD CONSTRAINT known CHECK (status IN ('sent', 'error'))", "ALTER COLUMN status TYPE varchar(10)",
  ])
  func statusesThatCannotBeWrittenAreRefusedByName(change: String) async throws {
    let connection = try await database(more: "ALTER TABLE push_notification_logs \(change)")

    let error = await #expect(throws: MigrationError.self) { try await migrate(connection) }

    let statement = try #require(
      error?.description.firstMatch(of: /ALTER TABLE push_notification_logs [A-Za-z, ]+text/)?.0)
    try await connection.script(String(statement))
    try await migrate(connection)
  }

  @Test func aKeyThatNotEveryPushHasIsRefusedByName() async throws {
    let change = "ALTER TABLE push_notification_logs ALTER COLUMN feedback_id"
    let connection = try await database(more: "TRUNCATE push_notification_logs; \(change) SET NOT NULL")
    let before = try await shape(connection)

    let error = await #expect(throws: MigrationError.self) { try await migrate(connection) }

    #expect(error?.description.contains("push_notification_logs.feedback_id") == true)
    #expect(error?.description.contains("\(change) DROP NOT NULL") == true)
    #expect(try await shape(connection) == before)
    try await connection.script("\(change) DROP NOT NULL")
    try await migrate(connection)
  }

  @Test func aLargeLogGetsTheTwoIndexesThatItNeeds() async throws {
    let connection = try await database(
      more: """
        DROP INDEX idx_push_logs_status;
        INSERT INTO push_notification_logs (id, user_id, notification_type, status, error_message)
        SELECT gen_random_uuid(), u.id, 'x', 'sent', repeat('x', 200) FROM users u, generate_series(1, 10000);
        """)
    let plan = try await Migrator(database: connection).plan(CapturingDatabase.manifest(""), prunes: false)

    let made = plan.map(\.name).filter { $0.contains("idx_push_logs") }

    #expect(
      made == ["idx_push_logs_user", "idx_push_logs_created"].map { "the index \($0), before the transaction" })
  }
}
