import Postgres
import TestSupport
import Testing

/// Databases whose app has a table `notifications` of its own, with rows in it.
@Suite(.heavy)
struct OwnEntriesTests {
  private static let ada = "a0000000-0000-4000-8000-000000000001"

  /// The database as `runner migrate` makes it, in one transaction.
  private func migrated(_ columns: String, _ rows: String, more: String = "") async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text, name text);
      CREATE TABLE cafes (id uuid PRIMARY KEY); CREATE TYPE mood AS ENUM ('calm', 'loud');
      INSERT INTO users (id) VALUES ('\(Self.ada)');
      CREATE TABLE notifications (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        type text NOT NULL, title text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()\(columns));
      \(rows)
      """)
    let all = ([Schema.preparation] + Schema.migrations).map(\.sql).joined(separator: "\n")
    try await connection.script(
      "BEGIN; ALTER TABLE notifications ADD COLUMN app text NOT NULL DEFAULT 'mugshot'; \(all); COMMIT; \(more)")
    return connection
  }

  private func badge(_ connection: Connection) async throws -> Int {
    try await connection.query("SELECT push_badge(\(Self.ada)::uuid, 'mugshot', now()) AS badge").only().decode("badge")
  }

  /// The app's columns, the values of two rows in them, and how many of the two count.
  @Test(arguments: [
    ("", "(''), ('')", 0),
    (", read_at timestamptz", "(now()), (NULL)", 1), (", read_at timestamp", "(NULL::timestamp), (NULL)", 2),
    (", read_at timestamptz", "(now()), (now())", 0),
    (", is_read boolean DEFAULT false", "(true), (false)", 1), (", is_read boolean", "(NULL), (true)", 1),
    (", read boolean NOT NULL DEFAULT false", "(true), (false)", 1), (", seen boolean", "(true), (true)", 0),
    (", read text", "('no'), ('yes')", 0),
  ])
  func whatWasThereBeforeCountsWhereItsOwnColumnsSayUnread(columns: String, rows: String, count: Int) async throws {
    let name = columns.split(separator: " ").dropFirst().first.map(String.init)
    let connection = try await migrated(
      columns,
      """
      INSERT INTO notifications (user_id, type, title\(name.map { ", \($0)" } ?? ""))
      SELECT '\(Self.ada)', 'like', 'Earlier'\(name == nil ? "" : ", v") FROM (VALUES \(rows)) AS r (v);
      """)

    #expect(try await badge(connection) == count)
    try await connection.script("INSERT INTO notifications (user_id, type, title) SELECT id, 'like', 'New' FROM users")
    #expect(try await badge(connection) == count + 1)
    // Nothing leaves the inbox, and what is marked as read is not what the cleaning takes.
    #expect(try await connection.query("SELECT FROM notifications WHERE is_archived").isEmpty)
  }

  /// The app's columns, the values of two rows in them, and how many entries are unread then.
  @Test(arguments: [
    ("", "(''), ('')", 0), (", read_at timestamptz", "(now()), (NULL)", 1),
    (", seen boolean NOT NULL DEFAULT false", "(true), (false)", 1),
    (", is_read boolean DEFAULT false", "(true), (false)", 1),
  ])
  func whatWasThereBeforeIsNotUnreadForEver(columns: String, rows: String, unread: Int) async throws {
    let name = columns.split(separator: " ").dropFirst().first.map(String.init)
    let connection = try await migrated(
      columns,
      """
      INSERT INTO notifications (user_id, type, title\(name.map { ", \($0)" } ?? ""))
      SELECT '\(Self.ada)', 'like', 'Earlier'\(name == nil ? "" : ", v") FROM (VALUES \(rows)) AS r (v);
      """)

    try await connection.script("INSERT INTO notifications (user_id, type, title) SELECT id, 'like', 'New' FROM users")
    let counts = try await connection.query(
      """
      SELECT count(*) FILTER (WHERE is_read IS NOT TRUE AND title = 'Earlier') AS unread,
        count(*) FILTER (WHERE origin = 'earlier') AS marked, count(*) FILTER (WHERE origin = 'app') AS new
      FROM notifications
      """
    ).only()
    #expect(try counts.decode("unread", as: Int.self) == unread)
    #expect(try counts.decode("marked", as: Int.self) == 2)
    #expect(try counts.decode("new", as: Int.self) == 1)
  }

  /// A column of the app's own, how the app reads an entry and takes that back, and what says that it is read.
  @Test(arguments: [
    ("read_at timestamptz", "read_at = now()", "read_at = NULL", "read_at IS NOT NULL"),
    ("read boolean NOT NULL DEFAULT false", "read = true", "read = false", "read"),
  ])
  func theAppsOwnColumnAndOursSayTheSame(column: String, reads: String, undoes: String, isRead: String) async throws {
    let connection = try await migrated(", \(column)", "")
    try await connection.script("INSERT INTO notifications (user_id, type, title) SELECT id, 'like', 'New' FROM users")
    func state(after change: String) async throws -> [String?] {
      try await connection.script("UPDATE notifications SET \(change)")
      let row = try await connection.query(
        "SELECT is_read::text AS ours, (\(unescaped: isRead))::text AS theirs FROM notifications"
      ).only()
      return [row["ours"], row["theirs"]]
    }

    #expect(try await state(after: reads) == ["true", "true"])
    #expect(try await state(after: "title = 'x'") == ["true", "true"])
    #expect(try await state(after: undoes) == ["false", "false"])
    #expect(try await state(after: "is_read = true") == ["true", "true"])
    #expect(try await state(after: "is_read = false") == ["false", "false"])
    try await connection.script(
      "INSERT INTO notifications (user_id, type, title, is_read) SELECT id, 'like', 'x', true FROM users")
    #expect(try await connection.query("SELECT FROM notifications WHERE \(unescaped: isRead)").count == 1)
  }

  @Test func aColumnOriginOfTheAppsKeepsItsDefault() async throws {
    let connection = try await migrated(", origin text NOT NULL DEFAULT 'web'", "")

    try await connection.script("INSERT INTO notifications (user_id, type, title) SELECT id, 'like', 'New' FROM users")

    let origins: [String] = try await connection.query("SELECT origin FROM notifications").decode("origin")
    #expect(origins == ["web"])
  }

  @Test func aDatabaseThatWasMigratedBeforeKeepsItsNumbers() async throws {
    let connection = try await migrated("", "")
    let inbox = try #require(Schema.migrations.first { $0.name == "1005_inbox" })
    try await connection.script(
      """
      INSERT INTO notifications (user_id, type, title) VALUES ('\(Self.ada)', 'like', 'Earlier');
      BEGIN; \(inbox.sql); COMMIT
      """)

    #expect(try await badge(connection) == 1)
  }

  /// Columns that must have a value, and what a function's own rows get there.
  @Test(
    arguments: [
      ("body text NOT NULL", ""), ("body varchar(500) NOT NULL", ""), ("is_read boolean NOT NULL", "false"),
      ("level integer NOT NULL", "0"), ("share numeric(5, 2) NOT NULL", "0.00"),
      ("extra jsonb NOT NULL", "{}"), ("tags text[] NOT NULL", "{}"), ("mood mood NOT NULL", "calm"),
      ("actor_id uuid NOT NULL REFERENCES users (id)", ada), ("trace uuid NOT NULL", ada),
      ("\"Sent Text\" text NOT NULL", ""), ("cafe_id uuid NOT NULL REFERENCES cafes (id)", nil),
      ("slug text NOT NULL UNIQUE", nil), ("ref uuid NOT NULL UNIQUE", nil),
      ("n bigint NOT NULL, UNIQUE (user_id, n)", nil),
    ] as [(String, String?)])
  func aFunctionsOwnRowsGoInWhereTheAppsMustHaveMore(column: String, value: String?) async throws {
    let connection = try await migrated(", \(column)", "")
    let name = column.hasPrefix("\"") ? "Sent Text" : String(column.prefix { $0 != " " })
    let badge = """
      INSERT INTO notifications (user_id, type, title, origin, counts_for_badge, payload, collapse_id)
      SELECT id, 'badge', '', 'function', false, '{"aps":{}}', 'badge' FROM users
      """
    try await connection.script(badge)
    try await connection.script(badge)

    let rows = try await connection.query("SELECT \(identifier: name)::text AS value FROM notifications")
    #expect(rows.map { $0["value"] } == [value, value])
    guard value != nil else { return }
    await #expect(throws: PostgresError.self) {
      try await connection.script("INSERT INTO notifications (user_id, type, title) SELECT id, 'like', 'x' FROM users")
    }
  }
}
