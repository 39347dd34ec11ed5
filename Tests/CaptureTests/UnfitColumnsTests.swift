import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Tables that an app has made with types that functions cannot use: numbers as ids, enums, JSON as text.
@Suite(.heavy)
struct UnfitColumnsTests {
  private static let people = """
    CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text, name text);
    INSERT INTO users (email) VALUES ('ada@example.com');
    """
  private static let notifications = """
    CREATE TABLE notifications (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      user_id uuid NOT NULL REFERENCES users (id), type text NOT NULL, title text, data jsonb);
    """
  private static let devices = """
    CREATE TYPE device_platform AS ENUM ('ios', 'android');
    CREATE TABLE device_tokens (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      user_id uuid NOT NULL REFERENCES users (id), token text NOT NULL UNIQUE, platform device_platform DEFAULT 'ios');
    """

  private func manifest() throws -> Manifest { try Manifest(directory: Schema.project) }

  /// Tables of an app with rows in them, and the columns that are refused, in their order.
  @Test(
    arguments: [
      (
        people
          + notifications.replacing("id uuid PRIMARY KEY DEFAULT gen_random_uuid()", with: "id bigserial PRIMARY KEY")
          + "INSERT INTO notifications (user_id, type) SELECT id, 'x' FROM users;", ["notifications.id is bigint"]
      ),
      (
        people
          + notifications.replacing(
            "id uuid PRIMARY KEY DEFAULT gen_random_uuid()",
            with: "id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY"), ["notifications.id is integer"]
      ),
      (
        people + devices + "INSERT INTO device_tokens (user_id, token) SELECT id, 'aa' FROM users;",
        ["device_tokens.platform is device_platform"]
      ),
      (
        people + notifications.replacing("data jsonb", with: "data text")
          + #"INSERT INTO notifications (user_id, type, data) SELECT id, 'x', '{"a":1}' FROM users;"#,
        ["notifications.data is text"]
      ),
      (people + notifications.replacing("data jsonb", with: "data json"), ["notifications.data is json"]),
      (
        people.replacing("id uuid PRIMARY KEY DEFAULT gen_random_uuid()", with: "id bigserial PRIMARY KEY")
          + notifications.replacing("user_id uuid", with: "user_id bigint")
          + "INSERT INTO notifications (user_id, type) SELECT id, 'x' FROM users;",
        ["users.id is bigint", "notifications.user_id is bigint"]
      ),
      (
        people.replacing(
          "id uuid PRIMARY KEY DEFAULT gen_random_uuid()", with: "id text PRIMARY KEY DEFAULT gen_random_uuid()::text"),
        ["users.id is text"]
      ),
      (
        people.replacing(
          "id uuid PRIMARY KEY DEFAULT gen_random_uuid()", with: "id text PRIMARY KEY DEFAULT gen_random_uuid()::text")
          + notifications.replacing("user_id uuid", with: "user_id text")
            + """
            CREATE TABLE posts (id text PRIMARY KEY, author text DEFAULT 'x' REFERENCES users (id) ON DELETE CASCADE);
            INSERT INTO notifications (user_id, type) SELECT id, 'x' FROM users;
            INSERT INTO posts SELECT 'p', id FROM users;
            """, ["users.id is text", "notifications.user_id is text"]
      ),
      (
        people.replacing("id uuid PRIMARY KEY DEFAULT gen_random_uuid()", with: "id text PRIMARY KEY DEFAULT 'auth0|1'")
          + notifications.replacing("user_id uuid", with: "user_id text")
          + "INSERT INTO notifications (user_id, type) SELECT id, 'x' FROM users;",
        ["users.id is text", "notifications.user_id is text"]
      ),
    ] as [(String, [String])])
  func theyAreRefusedByNameAndMendedByTheStatement(tables: String, refused: [String]) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(tables)
    let migrator = Migrator(database: connection)

    let error = await #expect(throws: MigrationError.self) { try await migrator.migrate(manifest()) }

    let lines = (error?.description ?? "").split(separator: "\n").dropFirst().map { $0.drop { $0 == " " } }
    #expect(zip(lines, refused).allSatisfy { $0.hasPrefix($1) } && lines.count == refused.count, "\(lines)")
    #expect(try await connection.query("SELECT to_regnamespace('runner') AS runner").only()["runner"] == nil)
    #expect(try await Unfitness.lines(of: manifest(), in: connection) == lines.map(String.init))
    await #expect(throws: MigrationError.self) { try await migrator.plan(manifest(), prunes: false) }
    for line in lines {
      let start = try #require(line.firstRange(of: ": ")).upperBound
      try await connection.script(String(line[start...]))
    }
    _ = try await migrator.migrate(manifest())
    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)
    #expect(try await ShapeDifferences(from: manifest(), in: connection).lines().isEmpty)
    // The app's rows are all there, with all that refers to them.
    let rows = try await connection.query(
      "SELECT count(n.id) AS entries, count(u.id) AS known FROM notifications n LEFT JOIN users u ON u.id = n.user_id"
    ).only()
    #expect(
      rows["entries"] == rows["known"] && rows["entries"] == (tables.contains("INSERT INTO notifications") ? "1" : "0"))
    try await connection.script(
      """
      INSERT INTO notifications (user_id, type, origin) SELECT id, 'badge', 'function' FROM users;
      INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'bb', 'iOS' FROM users;
      """)
  }

  /// Preferences write the nearest of an enum's values: it stays as the app has made it.
  @Test(arguments: ["tongue", "tongue NOT NULL DEFAULT 'en'", "spoken"])
  func anEnumOfLanguagesIsTaken(type: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      \(Self.people) CREATE TYPE tongue AS ENUM ('en', 'pt'); CREATE DOMAIN spoken AS tongue;
      CREATE TABLE user_notification_preferences (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        user_id uuid NOT NULL UNIQUE REFERENCES users (id), language \(type));
      INSERT INTO user_notification_preferences (user_id, language) SELECT id, 'pt' FROM users;
      """)

    _ = try await Migrator(database: connection).migrate(manifest())

    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)
    #expect(try await ShapeDifferences(from: manifest(), in: connection).lines().isEmpty)
    let kept = try await connection.query("SELECT language::text AS kept FROM user_notification_preferences").only()
    #expect(kept["kept"] == "pt")
  }

  /// Uses that keep times without a zone from becoming times in UTC.
  @Test(arguments: [
    "CREATE VIEW times AS SELECT created_at FROM notifications",
    "CREATE INDEX days ON notifications (date(created_at))",
    "ALTER TABLE notifications ADD day date GENERATED ALWAYS AS (created_at::date) STORED",
  ])
  func timesThatSomethingUsesAreRefusedByTable(user: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      "\(Self.people) \(Self.notifications) ALTER TABLE notifications ADD created_at timestamp; \(user)")

    let error = await #expect(throws: MigrationError.self) {
      try await Migrator(database: connection).migrate(manifest())
    }

    #expect(error?.description.contains("notifications has times without a zone that something uses (") == true)
  }

  /// Columns that functions only read, or can write as they are.
  @Test(arguments: [
    "CREATE TYPE state AS ENUM ('open'); CREATE TABLE feedbacks (id uuid PRIMARY KEY, title text, user_id text, user_email text,"
      + " status state, project_id uuid, merged_into_id bigint);",
    """
    CREATE TABLE push_notification_logs (
      id bigserial PRIMARY KEY, user_id uuid NOT NULL, notification_type text, status text, payload json, attempt smallint,
      created_at timestamp);
    """,
    "CREATE TABLE device_tokens (id uuid PRIMARY KEY, user_id uuid NOT NULL, token text NOT NULL UNIQUE,"
      + " platform varchar(10), app_version varchar(20), created_at timestamp);",
    "CREATE TABLE user_notification_preferences (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),"
      + " user_id uuid NOT NULL UNIQUE REFERENCES users (id), quiet_hours_days text);",
  ])
  func othersAreUsedAsTheyAre(tables: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.people + tables)

    _ = try await Migrator(database: connection).migrate(manifest())

    #expect(try await Unfitness.lines(of: manifest(), in: connection).isEmpty)
  }
}
