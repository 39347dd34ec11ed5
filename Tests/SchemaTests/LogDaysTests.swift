import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// The partitions of `push_notification_logs`.
@Suite(.heavy)
struct LogDaysTests {
  /// A new database with a person.
  private func migrated() async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await migrate(connection, Schema.migrations)
    try await connection.script("INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada')")
    return connection
  }

  private func migrate(_ connection: Connection, _ migrations: some Sequence<Migration>) async throws {
    for migration in migrations { try await connection.transaction { try await $0.script(migration.sql) } }
  }

  private func partitions(_ connection: Connection) async throws -> [String] {
    try await connection.query(
      """
      SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent = to_regclass('push_notification_logs') ORDER BY 1
      """
    ).decode("name")
  }

  private static let lines = """
    INSERT INTO push_notification_logs (user_id, notification_type, status, created_at)
    SELECT id, 'x', 'sent', t FROM users, unnest(ARRAY[now() - interval '99 days', now(), NULL]) AS t;
    """

  @Test func aNewLogHasTodayAndTheNextSevenDays() async throws {
    let connection = try await migrated()

    let (partitions, days) = (try await partitions(connection), try await days(connection))
    #expect(partitions == days + ["push_notification_logs_default"])
    _ = try await connection.script(Self.lines)
    let places = try await connection.query(
      "SELECT tableoid::regclass::text AS place FROM push_notification_logs ORDER BY 1"
    ).decode("place", as: String.self)
    #expect(places == [days[0]] + Array(repeating: "push_notification_logs_default", count: 2))
  }

  /// The names of today and the seven days after it.
  private func days(_ connection: Connection) async throws -> [String] {
    try await connection.query(
      """
      SELECT to_char(now() AT TIME ZONE 'UTC' + make_interval(days => n), '"push_notification_logs_"YYYYMMDD') AS name
      FROM generate_series(0, 7) AS n
      """
    ).decode("name")
  }

  /// As where nobody has cleaned for a while.
  @Test func whatHasNoDayStaysAndTheNextDaysFollow() async throws {
    let connection = try await migrated()
    for day in try await days(connection) { try await connection.script("DROP TABLE \(day)") }
    try await connection.script(Self.lines)

    let made: [Int] = try await connection.query("SELECT push_make_log_days(now()) AS made").decode("made")
    let again: [Int] = try await connection.query("SELECT push_make_log_days(now()) AS made").decode("made")

    // Today's lines are in the default partition.
    #expect(made == [7] && again == [0])
    let days = try await days(connection).dropFirst()
    #expect(try await partitions(connection) == days + ["push_notification_logs_default"])
    #expect(try await connection.query("SELECT FROM push_notification_logs").count == 3)
    try await connection.script("DELETE FROM users")
    #expect(try await connection.query("SELECT FROM push_notification_logs").isEmpty)
  }

  @Test(arguments: [
    "CREATE VIEW mine AS SELECT status FROM push_notification_logs",
    "CREATE TABLE mine (log uuid REFERENCES push_notification_logs (id))",
    "CREATE PUBLICATION mine FOR TABLE push_notification_logs",
    "ALTER TABLE push_notification_logs ADD UNIQUE (apns_id)",
  ])
  func whereAnAppBuildsOnItsOwnLogItStaysOneTable(statement: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    let isBefore = Schema.migrations.prefix { $0.name < "1002" }
    try await migrate(connection, [Schema.preparation] + isBefore)
    try await connection.script(
      """
      INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada');
      CREATE TABLE push_notification_logs (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        device_token_id uuid, notification_type varchar(50) NOT NULL, status varchar(20) NOT NULL, feedback_id uuid,
        project_id uuid, payload jsonb, error_message text, apns_id varchar(100), created_at timestamptz DEFAULT now());
      \(Self.lines) \(statement)
      """)

    try await migrate(connection, [Schema.preparation] + Schema.migrations)

    #expect(try await partitions(connection).isEmpty)
    #expect(try await connection.query("SELECT FROM push_notification_logs").count == 3)
    let (made, dropped, deleted): (Int, Int, Int) = try await {
      let row = try await connection.query(
        """
        SELECT push_make_log_days(now()) AS made, push_drop_log_days(now()) AS dropped,
          push_delete_logs(now() - interval '90 days', 10) AS deleted
        """
      ).only()
      return (try row.decode("made"), try row.decode("dropped"), try row.decode("deleted"))
    }()
    #expect([made, dropped, deleted] == [0, 0, 0])
    try await connection.script("DELETE FROM users")
    #expect(try await connection.query("SELECT FROM push_notification_logs").isEmpty)
  }

  @Test func whatActsWithTheOwnersRightsIsNotForEverybody() async throws {
    let connection = try await migrated()
    let rights = try await connection.query(
      """
      SELECT proname::text AS name FROM pg_proc
      WHERE proname IN ('push_make_log_days', 'push_drop_log_days', 'push_delete_logs', 'push_forget_attempts')
        AND NOT EXISTS (SELECT FROM aclexplode(proacl) a WHERE a.grantee = 0) AND proacl IS NOT NULL AND prosecdef
      """
    ).decode("name", as: String.self)

    #expect(rights.count == 4)
  }
}
