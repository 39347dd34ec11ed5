import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Triggers that somebody has dropped or disabled, as a dashboard may.
@Suite(.heavy)
struct LostTriggersTests {
  private static let ada = "a0000000-0000-4000-8000-000000000001"
  private static let people = """
    CREATE SCHEMA auth; CREATE TABLE auth.users (id uuid PRIMARY KEY, email text);
    INSERT INTO auth.users VALUES ('\(ada)', 'ada@example.com');
    CREATE TABLE user_devices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL,
      push_token text NOT NULL, platform text NOT NULL, created_at timestamptz DEFAULT now());
    """

  private func manifest() throws -> Manifest {
    try CapturingDatabase.manifest(
      "",
      #""people": {"follow": "push_follow_people", "into": "users", "table": "auth.users", "email": "email"},"#)
  }

  private func lost(_ connection: Connection) async throws -> [String] {
    try await LostTrigger.all(in: connection).map(\.sentence)
  }

  @Test(arguments: [
    ("DROP TRIGGER push_follow_person ON auth.users", "push_follow_person on auth.users is missing"),
    (
      "ALTER TABLE auth.users DISABLE TRIGGER push_follow_person", "push_follow_person on auth.users is disabled"
    ),
    ("DROP TRIGGER push_follow_device ON user_devices", "push_follow_device on public.user_devices is missing"),
    ("ALTER TABLE user_devices DISABLE TRIGGER USER", "push_follow_device on public.user_devices is disabled"),
  ])
  func whatComesMeanwhileIsTakenOver(_ loss: String, _ words: String) async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.people)
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(manifest())
    #expect(try await lost(connection) == [])
    try await connection.script(loss)
    let ben = "a0000000-0000-4000-8000-000000000002"
    try await connection.script(
      """
      INSERT INTO auth.users VALUES ('\(ben)', 'ben@example.com');
      INSERT INTO user_devices (user_id, push_token, platform) VALUES ('\(ben)', '0b0b', 'ios');
      """)

    #expect(try await lost(connection) == ["The trigger \(words)."])
    let error = await #expect(throws: MigrationError.self) { try await migrator.check(manifest()) }
    #expect(error?.description.contains(words) == true)
    #expect(try await !migrator.plan(manifest(), prunes: false).isEmpty)
    _ = try await migrator.migrate(manifest())

    #expect(try await lost(connection) == [])
    #expect(try await migrator.check(manifest()).isBehind == false)
    #expect(try await migrator.plan(manifest(), prunes: false).isEmpty)
    let devices = try await connection.query(
      "SELECT u.email AS name FROM device_tokens d JOIN users u ON u.id = d.user_id WHERE d.token = '0b0b' AND d.is_active"
    )
    #expect(try devices.decode("name") == ["ben@example.com"])
    try await connection.script(
      """
      INSERT INTO auth.users VALUES ('a0000000-0000-4000-8000-000000000003', 'cleo@example.com');
      INSERT INTO user_devices (user_id, push_token, platform)
      VALUES ('a0000000-0000-4000-8000-000000000003', '0c0c', 'ios');
      """)
    #expect(try await connection.query("SELECT FROM device_tokens WHERE token = '0c0c'").count == 1)
  }

  /// Each trigger of the migrations, on the app's tables and on ours.
  @Test func allOfThemAreMissedAndMadeAgain() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(Self.people)
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(manifest())
    // PostgreSQL puts other parentheses around a condition that it has read from its own text.
    let triggers: SQL = """
      SELECT translate(pg_get_triggerdef(t.oid), '()', '') || t.tgenabled::text AS line FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND c.relnamespace <> 'runner'::regnamespace ORDER BY 1
      """
    let before: [String] = try await connection.query(triggers).decode("line")
    try await connection.script(
      """
      DO $$ DECLARE t record; BEGIN
        FOR t IN SELECT tgname, tgrelid::regclass AS tab FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
          WHERE NOT tgisinternal AND tgparentid = 0 AND c.relnamespace <> 'runner'::regnamespace
        LOOP EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.tab); END LOOP;
      END $$
      """)

    #expect(try await lost(connection).count == before.count && before.count > 20)
    _ = try await migrator.migrate(manifest())

    let after: [String] = try await connection.query(triggers).decode("line")
    #expect(Set(before).symmetricDifference(after) == [])
    #expect(try await lost(connection) == [])
  }

  @Test func aRunnersDisabledTriggerIsNotInPlace() async throws {
    let functions = #"\#(CapturingDatabase.everything), "g": {"triggers": [{"notify": "t"}]}"#
    let table = "CREATE TABLE t (id int PRIMARY KEY, v text)"
    let database = try await CapturingDatabase(tables: table, functions: functions)
    let manifest = try CapturingDatabase.manifest(functions)
    #expect(try await TriggerPlan(manifest, on: database.connection, prunes: false).isEmpty)
    try await database.connection.script("ALTER TABLE t DISABLE TRIGGER USER")

    let inPlace = try await TriggersInPlace(manifest, on: database.connection)
    for function in manifest.functions {
      for trigger in function.triggers { #expect(inPlace.problem(of: trigger, for: function.name) != nil) }
    }
    let needs = try await TriggerPlan(manifest, on: database.connection, prunes: false).needs
    #expect(needs.count == 4 && needs.allSatisfy { $0.hasSuffix("on public.t is disabled.") }, "\(needs)")
    #expect(try await database.migrate(functions).count == 4)
    try await database.connection.script("INSERT INTO t VALUES (1, 'a')")
    #expect(try await database.events("function") == ["INSERT f"])
  }
}
