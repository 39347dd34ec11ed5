import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct SchemaTests {
  /// Numbers below 1000 were those of versions before 1.0.
  @Test func migrationsAreNumberedFromAThousand() {
    let all = [Schema.preparation] + Schema.migrations
    let numbers = all.compactMap { $0.name.split(separator: "_").first.flatMap { Int($0) } }

    #expect(numbers == numbers.sorted() && numbers.count == all.count && numbers.first == 1000)
    #expect(all.allSatisfy { !$0.sql.isEmpty })
  }

  @Test func anEmptyDatabaseGetsEveryTable() async throws {
    let connection = try await TemporaryPostgres.connection()

    try await migrate(connection)

    let tables = try await connection.query(
      """
      SELECT relname AS tablename FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      """)
    let made = Schema.migrations.flatMap { migration in
      migration.sql.matches(of: /(?m)^CREATE TABLE IF NOT EXISTS (\w+)/).map { String($0.1) }
    }
    #expect(Set(made).isSuperset(of: FeedbackKitDatabase.tables + ["notifications", "deliveries", "device_tokens"]))
    #expect(Set(try tables.decode("tablename", as: String.self)) == Set(made))
  }

  @Test func runningAgainChangesNothing() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await migrate(connection)
    let before = try await catalog(connection)

    try await migrate(connection)

    #expect(try await catalog(connection) == before)
  }

  @Test func whatLocksFindsItsTablesUnderAnySearchPath() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await migrate(connection)
    try await connection.script("CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.users (); SET search_path = elsewhere")

    try await connection.script(
      """
      SELECT public.push_hold_people(ARRAY[gen_random_uuid()]);
      SELECT public.push_hold_answered(ARRAY[gen_random_uuid()])
      """)
  }

  @Test func anExistingDatabaseIsOnlyAddedTo() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(FeedbackKitDatabase.script)
    let catalogBefore = try await catalog(connection)
    let rowsBefore = try await rows(connection)

    try await migrate(connection)

    #expect(try await catalog(connection).isSuperset(of: catalogBefore))
    #expect(try await rows(connection) == rowsBefore)
  }

  @Test func anExistingDatabaseGetsOnlyTheSeedsColumns() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(FeedbackKitDatabase.script)
    let before = try await columns(connection)

    try await migrate(connection)

    #expect(
      try await columns(connection).subtracting(before) == [
        "users.push_notifications_enabled", "users.push_notify_new_feedback", "users.push_notify_new_comments",
        "users.push_notify_votes", "users.push_notify_status_changes", "votes.user_email",
      ])
  }

  @Test func ofATokenInTwoCasesTheDeviceStaysThatWasRegisteredLast() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(FeedbackKitDatabase.script)
    try await connection.script(
      """
      CREATE TABLE device_tokens (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id), token text NOT NULL UNIQUE,
        platform text NOT NULL, provider text NOT NULL, is_active boolean NOT NULL DEFAULT true, created_at timestamptz);
      INSERT INTO device_tokens (user_id, token, platform, provider, created_at)
      SELECT id, token, 'iOS', provider, now() - make_interval(days => age) FROM users, (VALUES
        ('abcd', 'apns', 2), ('ABCD', 'apns', 1), ('AbCd', 'apns', 3), ('EF', 'apns', 9), ('x:a', 'fcm', 1), ('x:A', 'fcm', 2)
      ) AS d (token, provider, age);
      """)

    try await migrate(connection)

    let active = try await connection.query(
      "SELECT token FROM device_tokens WHERE is_active ORDER BY token COLLATE \"C\"")
    #expect(try active.decode("token", as: String.self) == ["ABCD", "EF", "x:A", "x:a"])
  }

  /// Each thing of 1.0 stands once, in its last form; later migrations may replace a function.
  @Test func nothingIsMadeTwice() {
    let made = ([Schema.preparation] + Schema.migrations).filter { $0.name < "1021" }.flatMap { migration in
      migration.sql.matches(
        of: /\n(CREATE (?:OR REPLACE )?(?:TABLE|FUNCTION|VIEW|UNIQUE INDEX|INDEX) (?:IF NOT EXISTS )?\w+)/
      )
      .map { String($0.1) }
    }

    #expect(made.count > 100)
    #expect(Dictionary(grouping: made, by: \.self).filter { $1.count > 1 }.keys.isEmpty)
  }

  @Test func peopleOfAnExistingDatabaseHaveEveryPushOn() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(FeedbackKitDatabase.script)

    try await migrate(connection)

    let row = try await connection.query(
      """
      SELECT push_notifications_enabled AND push_notify_new_feedback AND push_notify_new_comments AND push_notify_votes
        AND push_notify_status_changes AS is_on FROM users
      """)
    #expect(try row.only().decode("is_on", as: Bool.self))
  }

  @Test func someoneWithoutSuperuserRightsCanMigrate() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      DROP ROLE IF EXISTS schema_owner; CREATE ROLE schema_owner;
      GRANT ALL ON SCHEMA public TO schema_owner; SET ROLE schema_owner;
      """)

    try await migrate(connection)

    let owners = try await connection.query("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'")
    #expect(try owners.decode("tableowner") == ["schema_owner"])
    try await connection.script("RESET ROLE; DROP OWNED BY schema_owner CASCADE; DROP ROLE schema_owner")
  }

  @Test(arguments: [
    ("sdk-user", nil), ("", nil), ("550e8400-e29b-41d4-a716-44665544000", nil),
    ("550e8400e29b41d4a716446655440000", nil), ("550e8400-e29b-41d4-a716-446655440000\n", nil),
    ("550E8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
  ])
  func onlyAWholeUUIDIsOne(text: String, expected: String?) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await migrate(connection)

    #expect(try await connection.query("SELECT push_uuid(\(text)) AS id").only()["id"] == expected)
  }
}

private func migrate(_ connection: Connection) async throws {
  for migration in [Schema.preparation] + Schema.migrations {
    try await connection.transaction { try await $0.script(migration.sql) }
  }
}

/// Every column, constraint and index of the tables, each as one line.
private func catalog(_ connection: Connection) async throws -> Set<String> {
  let rows = try await connection.query(
    """
    SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      pg_get_expr(d.adbin, d.adrelid)) AS line
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT p::text FROM pg_policies p
    UNION ALL SELECT concat_ws(' ', proname, proacl) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', relname, relrowsecurity, relacl) FROM pg_class
    WHERE relkind IN ('r', 'p', 'v') AND relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, attacl) FROM pg_attribute WHERE attacl IS NOT NULL
    """)
  return Set(try rows.decode("line"))
}

private func columns(_ connection: Connection) async throws -> Set<String> {
  let rows = try await connection.query(
    """
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = ANY (\(FeedbackKitDatabase.tables))
    """)
  return Set(try rows.decode("name"))
}

/// The rows of FeedbackKit's tables, without what is added to them.
private func rows(_ connection: Connection) async throws -> [String] {
  var lines: [String] = []
  for table in FeedbackKitDatabase.tables {
    let rows = try await connection.query(
      """
      SELECT (to_jsonb(t) - ARRAY['push_notifications_enabled', 'push_notify_new_feedback', 'push_notify_new_comments',
        'push_notify_votes', 'push_notify_status_changes', 'user_email'])::text AS line
      FROM \(identifier: table) t ORDER BY 1
      """)
    lines += try rows.decode("line", as: String.self)
  }
  return lines
}
