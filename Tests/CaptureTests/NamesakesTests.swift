import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Tables of an app's own that have the name of one of ours, and are about something else.
@Suite(.heavy)
struct NamesakesTests {
  private static let tables = """
    CREATE TABLE comments (id bigserial PRIMARY KEY, visit_id uuid NOT NULL, author uuid, created_at timestamp);
    CREATE TABLE friend_requests (id bigserial PRIMARY KEY, from_user_id uuid NOT NULL, to_user_id uuid NOT NULL,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'rejected')), created_at timestamp);
    INSERT INTO comments (visit_id) VALUES (gen_random_uuid());
    INSERT INTO friend_requests (from_user_id, to_user_id) VALUES (gen_random_uuid(), gen_random_uuid());
    """

  private static let shape: SQL = """
    SELECT concat_ws(' ', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      pg_get_expr(d.adbin, d.adrelid)) AS line
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid IN ('comments'::regclass, 'friend_requests'::regclass) AND a.attnum > 0
    UNION ALL SELECT concat_ws(' ', relname, relrowsecurity, relacl, relhastriggers, reloptions) FROM pg_class
      WHERE oid IN ('comments'::regclass, 'friend_requests'::regclass)
    UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index
      WHERE indrelid IN ('comments'::regclass, 'friend_requests'::regclass)
    UNION ALL SELECT to_jsonb(c)::text FROM comments c UNION ALL SELECT to_jsonb(r)::text FROM friend_requests r
    ORDER BY 1
    """

  @Test func functionsThatNeedThemAreRefusedByName() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.tables)
    let migrator = Migrator(database: connection)
    let manifest = try Manifest(directory: Schema.project)

    let error = await #expect(throws: MigrationError.self) { try await migrator.migrate(manifest) }

    let lines = (error?.description ?? "").split(separator: "\n").dropFirst().map(String.init)
    #expect(lines.count == 3, "\(lines)")
    for (line, words) in zip(
      lines,
      [
        "comments has no feedback_id, and so is about something else than comment-added needs",
        "friend_requests has no requester_id, recipient_id, and so is about something else than action-completed needs",
        "friend_requests has no requester_id, recipient_id, and so is about something else than friend-requested needs",
      ])
    { #expect(line.contains(words)) }
    #expect(try await connection.query("SELECT to_regnamespace('runner') AS runner").only()["runner"] == nil)
    #expect(try await Unfitness.lines(of: manifest, in: connection).count == 3)
    await #expect(throws: MigrationError.self) { try await migrator.plan(manifest, prunes: false) }
  }

  /// Tables upon which the rest is built.
  @Test func othersAreRefusedByName() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE TABLE projects (id uuid PRIMARY KEY, client text, status text);
      CREATE TABLE votes (id uuid PRIMARY KEY, poll_id uuid, user_id text);
      """)
    let migrator = Migrator(database: connection)

    let error = await #expect(throws: MigrationError.self) {
      try await migrator.migrate(CapturingDatabase.manifest(""))
    }

    let lines = (error?.description ?? "").split(separator: "\n").dropFirst().map { $0.drop { $0 == " " } }
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("projects has no owner_id, and so is about something else") == true)
    #expect(lines.contains { $0.hasPrefix("votes has no feedback_id, and so is about something else") })
    try await connection.script(
      "ALTER TABLE projects RENAME TO client_projects; ALTER TABLE votes RENAME TO poll_votes")
    #expect(try await !migrator.migrate(CapturingDatabase.manifest("")).migrations.isEmpty)
  }

  /// Without those functions all else works, and the tables are as they were: for who migrates, and for who takes it back.
  @Test func otherwiseTheyAreLeftAlone() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.tables)
    let before: [String] = try await connection.query(Self.shape).decode("line")
    let manifest = try CapturingDatabase.manifest("")
    let role = "namesakes_\(try await connection.query("SELECT current_database() AS name").only()["name"] ?? "")"
    try await connection.script("CREATE ROLE \(role)")

    let rights = try await Migrator(database: connection).migrate(manifest, granting: role).rights

    #expect(try await connection.query(Self.shape).decode("line") == before)
    #expect(!rights.isEmpty && !rights.contains { $0.contains("public.comments") || $0.contains("friend_requests") })
    #expect(try await ShapeDifferences(from: manifest, in: connection).lines() == [])
    try await connection.script(
      """
      UPDATE friend_requests SET status = 'rejected'; DELETE FROM friend_requests; DELETE FROM comments;
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada');
      INSERT INTO notifications (user_id, type, family) VALUES
        ('a0000000-0000-4000-8000-000000000001', 'x', 'comments'), ('a0000000-0000-4000-8000-000000000001', 'x', NULL);
      """)
    let open = try await connection.query(
      "SELECT push_eligibility(n, now()) AS said, push_badge(n.user_id, 'lockitin') AS badge FROM notifications n ORDER BY 1"
    )
    #expect(try open.decode("said") == ["gone", "open"])
    #expect(try open.decode("badge") == [0, 0])
  }

  /// One that happens to have the columns of an index, on a table that is large.
  @Test func noIndexIsMadeOfThemEarly() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE TABLE friend_requests (id bigserial PRIMARY KEY, sender_id uuid, recipient_id uuid, status text, note text);
      INSERT INTO friend_requests (sender_id, recipient_id, status, note)
      SELECT gen_random_uuid(), gen_random_uuid(), 'pending', repeat('x', 200) FROM generate_series(1, 10000);
      """)

    _ = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(""))

    let names = try await connection.query(
      "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = 'friend_requests'::regclass")
    #expect(try names.decode("name") == ["friend_requests_pkey"])
  }

  @Test func aTableOfTheMeaningIsTakenWhateverElseItLacks() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text, name text);
      CREATE TABLE friend_requests (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), requester_id uuid, recipient_id uuid);
      """)

    _ = try await Migrator(database: connection).migrate(Manifest(directory: Schema.project))

    let names = try await connection.query(
      "SELECT tgname AS name FROM pg_trigger WHERE tgrelid = 'friend_requests'::regclass AND tgname LIKE 'push%' ORDER BY 1"
    )
    #expect(try names.decode("name") == ["push_note_asked_again", "push_note_loss"])
  }
}
