import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Tables of an app whose checks keep out what functions write, or that are no tables to write into.
@Suite(.heavy)
struct UnfitTablesTests {
  static let people = """
    CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text, name text);
    INSERT INTO users (email) VALUES ('ada@example.com');
    """

  static func notifications(_ changed: String = "type text NOT NULL", _ more: String = "") -> String {
    """
    \(people)
    CREATE TABLE notifications (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      user_id uuid NOT NULL REFERENCES users (id), \(changed), title text, body text\(more));
    """
  }

  /// As functions write them: a badge alone, and a new feedback.
  private static let rows = """
    INSERT INTO notifications (user_id, type, title, is_read, is_archived, origin, counts_for_badge, payload, collapse_id)
    SELECT id, 'badge', '', true, true, 'function', false, '{"aps":{}}', 'badge' FROM users;
    INSERT INTO notifications (user_id, type, title, body, origin)
    SELECT id, 'new_feedback', repeat('x', 255), repeat('x', 500), 'function' FROM users;
    """

  private func manifest(_ functions: [String]? = nil) throws -> Manifest {
    var manifest = try Manifest(directory: Schema.project)
    if let functions { manifest.functions.removeAll { !functions.contains($0.name) } }
    return manifest
  }

  /// - Returns: the lines of the refusal; `doctor` and the plan say the same.
  private func refusal(_ manifest: Manifest, _ connection: Connection) async throws -> [String] {
    let error = await #expect(throws: MigrationError.self) {
      try await Migrator(database: connection).migrate(manifest)
    }
    let lines = (error?.description ?? "").split(separator: "\n").dropFirst().map { String($0.drop { $0 == " " }) }
    #expect(try await connection.query("SELECT to_regnamespace('runner') AS runner").only()["runner"] == nil)
    #expect(try await Unfitness.lines(of: manifest, in: connection) == lines)
    let planning = await #expect(throws: MigrationError.self) {
      try await Migrator(database: connection).plan(manifest, prunes: false)
    }
    #expect(planning?.description == error?.description)
    return lines
  }

  /// An app's table, what is refused of it in the order in which it is said, and whether a second look has more.
  @Test(
    arguments: [
      (
        notifications("type text NOT NULL CHECK (type IN ('like', 'comment', 'friend_request'))"),
        ["notifications has a check notifications_type_check "]
      ),
      (
        notifications(
          "type text NOT NULL", ", CONSTRAINT \"Has Words\" CHECK (length(title) > 0 AND body <> '' OR type = 'it''s')"),
        ["notifications has a check Has Words "]
      ),
      (
        notifications("type text NOT NULL", ", CHECK (length(title) <= 100)"),
        ["notifications has a check notifications_title_check "]
      ),
      (
        notifications("type text NOT NULL", ", severity text NOT NULL CHECK (severity IN ('low', 'high'))"),
        ["notifications has a check notifications_severity_check "]
      ),
      (
        "CREATE DOMAIN kind AS text CONSTRAINT known CHECK (VALUE IN ('like', 'VALUE'));"
          + notifications("type kind NOT NULL"), ["notifications.type has a type whose check known "]
      ),
      (notifications("type varchar(4) NOT NULL"), ["notifications.type has 4 letters at most"]),
      (notifications("kind text NOT NULL DEFAULT 'x'"), ["notifications has no column type"]),
      (
        notifications().replacing("PRIMARY KEY DEFAULT", with: "NOT NULL DEFAULT"),
        ["notifications.id has no unique key", "users.id has no unique key"]
      ),
      (
        people + "CREATE VIEW notifications AS SELECT id, id AS user_id, 'like' AS type FROM users;",
        ["notifications is a view"]
      ),
      (
        people
          + """
          CREATE TABLE notifications (id uuid NOT NULL, user_id uuid NOT NULL, type text NOT NULL,
            created_at timestamptz NOT NULL, PRIMARY KEY (id, created_at)) PARTITION BY RANGE (created_at);
          """, ["notifications is partitioned"]
      ),
      (
        notifications("type text NOT NULL", ", is_read boolean DEFAULT false CHECK (NOT is_read)"),
        ["notifications has a check notifications_is_read_check "]
      ),
      (
        notifications("type text NOT NULL", ", origin text NOT NULL DEFAULT 'web'"),
        ["notifications.origin is the app's own"]
      ),
    ] as [(String, [String])])
  func theyAreRefusedByNameAndMendedByTheStatement(tables: String, refused: [String]) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      refused.count == 2 ? tables.replacing("REFERENCES users (id)", with: "") : tables)

    let lines = try await refusal(manifest(), connection)

    #expect(lines.count == refused.count && zip(lines, refused).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
    for line in lines {
      let start = try #require(line.firstRange(of: ": ")).upperBound
      try await connection.script(String(line[start...]))
    }
    _ = try await Migrator(database: connection).migrate(manifest())
    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)
    try await connection.script("\(Self.rows); UPDATE notifications SET is_read = true")
  }

  /// Checks that what functions write passes, and defaults that would do something.
  @Test(arguments: [
    ", CHECK (type <> 'like' OR length(title) < 50)",
    ", CHECK (jsonb_typeof(data) = 'object'), data jsonb DEFAULT '{}'",
    ", actor text, CHECK (actor IS NULL OR type <> 'badge')",
    ", CHECK (created_at <= expires_at), expires_at timestamptz, created_at timestamptz DEFAULT now()",
    ", urgency text DEFAULT 'low' CHECK (urgency IN ('low', 'high'))",
    ", seq bigserial CHECK (seq > 0)", ", CHECK (user_id IS NOT NULL)",
    ", is_read boolean, CHECK (is_read IS NOT TRUE OR to_jsonb(notifications) ->> 'title' IS NOT NULL)",
  ])
  func checksThatFitAreLeftAlone(more: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.notifications("type text NOT NULL", more))

    _ = try await Migrator(database: connection).migrate(manifest())

    try await connection.script(Self.rows)
  }

  /// A function in a check may raise an error, and the role that migrates may have no right to it.
  @Test(arguments: [(false, "PostgreSQL error P0001"), (true, "permission denied for function is_known")])
  func aCheckThatCannotBeAskedIsNamed(isClosed: Bool, words: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    let name: String = try await connection.query("SELECT current_database() AS name").only().decode("name")
    let role = "unfit_\(name)"
    try await connection.script(
      """
      CREATE FUNCTION is_known(word text) RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        IF word <> 'like' THEN RAISE EXCEPTION 'nobody knows it'; END IF;
        RETURN true;
      END $$;
      REVOKE EXECUTE ON FUNCTION is_known FROM PUBLIC;
      \(Self.notifications("type text NOT NULL CHECK (is_known(type))"))
      CREATE TABLE push_notification_logs (id text PRIMARY KEY, user_id uuid NOT NULL, notification_type text,
        status text CHECK (is_known(status)), error_message text, http_status integer, created_at timestamptz);
      CREATE ROLE \(role); \(isClosed ? "SET ROLE \(role)" : "RESET ROLE")
      """)

    let lines = try await refusal(manifest(), connection)

    // A transaction takes no questions about the second table after the error.
    #expect(lines.count == 1 && lines[0].hasPrefix("notifications has a check that cannot be asked"), "\(lines)")
    #expect(lines[0].contains(words), "\(lines)")
    try await connection.script(
      """
      RESET ROLE; DROP ROLE \(role); ALTER TABLE notifications DROP CONSTRAINT notifications_type_check;
      ALTER TABLE push_notification_logs DROP CONSTRAINT push_notification_logs_status_check;
      """)
    #expect(try await !Migrator(database: connection).migrate(manifest()).migrations.isEmpty)
  }

  /// Dropping it helps nobody who waited for a lock.
  @Test func aCheckThatAnswersTooLateMayStay() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE FUNCTION is_known(word text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE query_canceled; END $$;
      \(Self.notifications("type text NOT NULL CHECK (is_known(type))"))
      """)

    let lines = try await refusal(manifest(), connection)

    let words = "notifications has a check that could not be asked in time"
    #expect(lines.count == 1 && lines[0].hasPrefix(words) && lines[0].hasSuffix(": ask it again later"), "\(lines)")
  }

  /// Only what the functions of `functions.json` write has to fit.
  @Test func aCheckIsAskedAboutTheFunctionsThatAreNamed() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      Self.notifications("type text NOT NULL CHECK (type IN ('badge', 'new_feedback', 'new_vote'))"))

    let refused = try await refusal(manifest(["feedback-created", "comment-added"]), connection)

    #expect(refused.count == 1 && refused[0].contains("(type new_comment)"), "\(refused)")
    _ = try await Migrator(database: connection).migrate(manifest(["feedback-created", "vote-cast"]))
    try await connection.script(Self.rows)
  }

  /// After the migration, too, a check that an app makes is found before an event fails by it: by `doctor`, by `migrate` and
  /// by `serve`, which go on.
  @Test(arguments: [
    ("CHECK (type <> 'badge')", "(type badge)"), ("CHECK (is_read IS NOT TRUE)", "(is_read true)"),
    ("CHECK (1 / (length(type) - 5) > 0)", "cannot be asked"),
  ])
  func aCheckThatCameLaterIsNamed(check: String, words: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.notifications())
    _ = try await Migrator(database: connection).migrate(manifest())
    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)

    let migrator = Migrator(database: connection)
    #expect(try await migrator.check(manifest()).notes == [])

    try await connection.script("ALTER TABLE notifications ADD CONSTRAINT later \(check) NOT VALID")

    let lines = try await Unfitness.lines(of: manifest(), in: connection)
    #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("notifications has a check ") && $0.contains(words) })
    #expect(try await migrator.check(manifest()).notes == lines)
    #expect(try await migrator.migrate(manifest()).notes == lines)
  }

  /// Checks over several columns of an app's log, and whether an attempt passes them.
  @Test(arguments: [
    ("CHECK (status <> 'sent' OR http_status = 200)", true), ("CHECK (status IN ('sent', 'failed'))", true),
    ("CHECK (status <> 'failed' OR error_message IS NOT NULL)", true),
    ("CHECK (status IN ('sent', 'failed')), CHECK (status = 'sent' OR error_message <> '')", true),
    ("CHECK (status <> 'sent' OR error_message IS NOT NULL)", false),
    ("CHECK (status <> 'unknown' OR http_status IS NOT NULL)", false),
  ])
  func aLogsChecksAreAskedAboutAttempts(checks: String, fits: Bool) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      \(Self.people)
      CREATE TABLE push_notification_logs (id text PRIMARY KEY, user_id uuid NOT NULL, notification_type text, status text,
        error_message text, http_status integer, created_at timestamptz, \(checks));
      """)

    if !fits {
      let lines = try await refusal(manifest(), connection)
      #expect(lines.count == 1 && lines[0].hasPrefix("push_notification_logs has a check "), "\(lines)")
      try await connection.script(String(lines[0][try #require(lines[0].firstRange(of: ": ")).upperBound...]))
    }
    _ = try await Migrator(database: connection).migrate(manifest())

    for status in ["sent", "failed", "token_expired", "unknown", "deferred"] {
      try await connection.script(
        """
        INSERT INTO push_notification_logs (user_id, notification_type, status, error_message, http_status, created_at, delivery_id)
        SELECT id, 'badge', '\(status)', CASE '\(status)' WHEN 'sent' THEN NULL ELSE 'x' END,
          CASE '\(status)' WHEN 'sent' THEN 200 END, now(), gen_random_uuid() FROM users
        """)
    }
    #expect(try await connection.query("SELECT FROM push_notification_logs WHERE id <> ''").count == 5)
  }
}
