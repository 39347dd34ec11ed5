import Foundation
import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// People who stand in another table than `users`.
@Suite(.heavy)
struct PeopleElsewhereTests {
  private static let ada = "a0000000-0000-4000-8000-000000000001"
  private static let ben = "a0000000-0000-4000-8000-000000000002"

  /// Mugshot on Supabase: its people, one of them with a phone's number only, and their devices.
  private static let supabase = """
    CREATE SCHEMA auth;
    CREATE TABLE auth.users (
      id uuid PRIMARY KEY, email varchar(255), phone text, raw_user_meta_data jsonb, email_confirmed_at timestamptz);
    INSERT INTO auth.users (id, email, raw_user_meta_data, email_confirmed_at) VALUES
      ('\(ada)', 'ada@example.com', '{"name": "Ada"}', now()), ('\(ben)', NULL, NULL, NULL);
    CREATE TABLE user_devices (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
      push_token text NOT NULL, platform text NOT NULL, created_at timestamptz DEFAULT now());
    INSERT INTO user_devices (user_id, push_token, platform) VALUES ('\(ada)', '0a0a', 'ios'), ('\(ben)', '0b0b', 'ios');
    """
  private static let there = """
    "table": "auth.users", "email": "email", "name": "raw_user_meta_data ->> 'name'",
    "verified": "email_confirmed_at IS NOT NULL"
    """

  /// The bundle's, with more members of `people`.
  private func manifest(_ people: String = "") throws -> Manifest {
    let own = #""into": "users""#
    let text = try String(contentsOfFile: "\(Schema.project)/functions.json", encoding: .utf8)
    let changed = people.isEmpty ? text : text.replacing(own, with: "\(own), \(people)")
    return try Manifest(text: Array(changed.utf8), file: "functions.json", directory: Schema.project)
  }

  private func database(_ script: String) async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(script)
    return connection
  }

  private func lines(_ connection: Connection, _ sql: SQL) async throws -> [String] {
    try await connection.query("SELECT line FROM (\(sql)) AS s (line) ORDER BY line").decode("line")
  }

  private static let people: SQL = "SELECT concat_ws('|', id, email, name, is_email_verified) FROM users"
  private static let devices: SQL = "SELECT user_id || '|' || token FROM device_tokens WHERE is_active"

  @Test func theyAndTheirDevicesAreTakenOver() async throws {
    let connection = try await database(Self.supabase)
    let migrator = Migrator(database: connection)

    #expect(try await migrator.migrate(manifest(Self.there)).people == "users follows auth.users")

    #expect(try await lines(connection, Self.people) == ["\(Self.ada)|ada@example.com|Ada|t", "\(Self.ben)||f"])
    #expect(try await lines(connection, Self.devices) == ["\(Self.ada)|0a0a", "\(Self.ben)|0b0b"])
    #expect(try await migrator.migrate(manifest(Self.there)).people == nil)
    let plan = try await migrator.plan(manifest(Self.there), prunes: false)
    #expect(plan.isEmpty, "\(plan.map { "\($0.name): \($0.sql)" })")
  }

  @Test func theyAreFollowed() async throws {
    let connection = try await database(Self.supabase)
    _ = try await Migrator(database: connection).migrate(manifest(Self.there))
    let cleo = "a0000000-0000-4000-8000-000000000003"

    try await connection.script(
      """
      INSERT INTO auth.users (id, email) VALUES ('\(cleo)', 'cleo@example.com');
      INSERT INTO user_devices (user_id, push_token, platform) VALUES ('\(cleo)', '0c0c', 'ios');
      UPDATE auth.users SET email = 'ben@example.com', email_confirmed_at = now() WHERE id = '\(Self.ben)';
      DELETE FROM auth.users WHERE id = '\(Self.ada)'
      """)

    #expect(
      try await lines(connection, Self.people) == ["\(Self.ben)|ben@example.com||t", "\(cleo)|cleo@example.com||f"])
    #expect(try await lines(connection, Self.devices) == ["\(Self.ben)|0b0b", "\(cleo)|0c0c"])
  }

  /// The trigger on the earlier table is not missed then, and nobody fails to sign up there.
  @Test func othersCanBeFollowedInstead() async throws {
    let connection = try await database(
      """
      \(Self.supabase);
      CREATE TABLE accounts (id uuid PRIMARY KEY, email text);
      INSERT INTO accounts SELECT id, email FROM auth.users;
      """)
    let migrator = Migrator(database: connection)
    for people in [Self.there, #""table": "accounts", "email": "email""#, #""table": "users""#] {
      let triggers = try await migrator.migrate(manifest(people)).triggers

      #expect(!triggers.contains { $0.contains("push_follow_person") }, "\(people): \(triggers)")
      #expect(try await migrator.plan(manifest(people), prunes: false).isEmpty, "\(people)")
      let cleo = UUID()
      try await connection.script(
        "INSERT INTO accounts (id) VALUES ('\(cleo)'); INSERT INTO auth.users (id) VALUES ('\(cleo)')")
      let isThere = try await connection.query("SELECT FROM users WHERE id = \(cleo)").count == 1
      #expect(isThere == !people.contains(#""users""#), "\(people)")
    }
  }

  /// Rows about a person may be wrong for one of them: they sign up all the same.
  @Test func nobodyFailsToSignUp() async throws {
    let connection = try await database(Self.supabase)
    let odd = #""table": "auth.users", "email": "email", "name": "(1 / coalesce(length(phone), 1))::text""#
    _ = try await Migrator(database: connection).migrate(manifest(odd))
    let cleo = "a0000000-0000-4000-8000-000000000003"

    try await connection.script("INSERT INTO auth.users (id, email, phone) VALUES ('\(cleo)', 'cleo@example.com', '')")

    #expect(try await lines(connection, Self.people).contains("\(cleo)||t") == false)
    #expect(try await connection.query("SELECT FROM users WHERE id = \(cleo)::uuid").count == 1)
  }

  @Test(arguments: [
    ("auth.users", supabase),
    (
      "accounts",
      """
      CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text);
      INSERT INTO accounts (email) VALUES ('ada@example.com')
      """
    ),
    (
      "staff",
      """
      CREATE TABLE staff (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text);
      CREATE TABLE orders (id int, user_id uuid REFERENCES staff (id)); INSERT INTO staff (email) VALUES ('a@example.com')
      """
    ),
  ])
  func anEmptyTableIsNotMadeBesideAFullOne(_ table: String, _ script: String) async throws {
    let connection = try await database(script)
    let migrator = Migrator(database: connection)

    let error = await #expect(throws: MigrationError.self) { try await migrator.migrate(manifest()) }

    #expect(error?.description.hasPrefix("The people of this database are in \(table), and none in users") == true)
    let line = try #require(await PeopleElsewhere.line(of: manifest(), in: connection))
    #expect(line.isRefused && error?.description == "\(line.sentence) Nothing was changed.")
    #expect(try await connection.query("SELECT to_regclass('users') AS t").only()["t"] == nil)
    // Who says that they are to stand there gets that table.
    #expect(try await migrator.migrate(manifest(#""table": "users""#)).migrations.isEmpty == false)
  }

  @Test(arguments: [
    "CREATE TABLE accounts (id uuid PRIMARY KEY, email text)",
    "CREATE TABLE orders (id uuid PRIMARY KEY, email text); INSERT INTO orders VALUES (gen_random_uuid(), 'a@example.com')",
    "CREATE TABLE accounts (id bigserial PRIMARY KEY, email text); INSERT INTO accounts (email) VALUES ('a@example.com')",
  ])
  func otherTablesAreLeftAlone(_ script: String) async throws {
    let connection = try await database(script)

    #expect(try await Migrator(database: connection).migrate(manifest()).notes == [])
  }

  /// By `migrate`, its plan and `doctor`, also before anything is there.
  @Test(arguments: [
    (#""table": "nobodies""#, "table: there is no table nobodies"),
    (#""table": "user_devices", "id": "user_id""#, "id: user_devices.user_id is no uuid with a unique index"),
    (#""table": "auth.users", "email": "address""#, "email: "),
    (#""table": "auth.users", "name": "count(*)""#, "name: "),
    (#""table": "auth.users", "verified": "email_confirmd_at IS NOT NULL""#, "verified: "),
    (#""table": "auth.users", "deleted": "id""#, "deleted: "),
    // The session finds it, and the trigger would not.
    (#""table": "auth.users", "name": "shout(email)""#, "name: "),
  ])
  func whatDoesNotFitIsNamed(_ people: String, _ words: String) async throws {
    let connection = try await database(
      """
      \(Self.supabase);
      CREATE SCHEMA extensions; CREATE FUNCTION extensions.shout(text) RETURNS text LANGUAGE sql RETURN upper($1);
      SET search_path = public, extensions
      """)
    let migrator = Migrator(database: connection)

    let error = await #expect(throws: MigrationError.self) { try await migrator.migrate(manifest(people)) }

    let sentence = error?.description ?? ""
    #expect(sentence.hasPrefix("functions.json: people.\(words)"), "\(sentence)")
    #expect(try await connection.query("SELECT to_regclass('users') AS t").only()["t"] == nil)
    let planning = await #expect(throws: MigrationError.self) {
      try await migrator.plan(manifest(people), prunes: false)
    }
    #expect(planning?.description == sentence)
    let line = try #require(await PeopleElsewhere.line(of: manifest(people), in: connection))
    #expect(line.isRefused && sentence == "\(line.sentence) Nothing was changed.")
  }

  /// Who owns everything but the people's table.
  @Test func aRightThatIsMissingOnTheirTableIsNamedWithItsStatement() async throws {
    let connection = try await database(
      "CREATE SCHEMA auth; CREATE TABLE auth.users (id uuid PRIMARY KEY, email text, email_confirmed_at timestamptz)")
    let name: String = try await connection.query("SELECT current_database() AS name").only().decode("name")
    let role = "owner_of_\(name)"
    try await connection.script(
      """
      CREATE ROLE \(role); GRANT CREATE ON DATABASE "\(name)" TO \(role); GRANT CREATE ON SCHEMA public TO \(role);
      GRANT USAGE ON SCHEMA auth TO \(role); GRANT SELECT ON auth.users TO \(role); SET ROLE \(role)
      """)
    let people = #""table": "auth.users", "email": "email""#

    let error = await #expect(throws: FunctionError.self) {
      try await Migrator(database: connection).migrate(manifest(people))
    }

    #expect(error?.code == .notPermitted)
    let statement = "GRANT REFERENCES, TRIGGER ON TABLE auth.users TO \(role);"
    #expect(error?.message.hasSuffix("run: \(statement)") == true, "\(error?.message ?? "")")
    try await connection.script("RESET ROLE; \(statement) SET ROLE \(role)")
    #expect(try await Migrator(database: connection).migrate(manifest(people)).people == "users follows auth.users")
    try await connection.script("RESET ROLE; REVOKE TRIGGER ON auth.users FROM \(role); SET ROLE \(role)")
    #expect(try await Migrator(database: connection).migrate(manifest(people)).people == nil, "nothing is to be done")
    // Of a column that the role may not read it cannot ask.
    try await connection.script(
      "RESET ROLE; REVOKE SELECT ON auth.users FROM \(role); GRANT SELECT (id) ON auth.users TO \(role); SET ROLE \(role)"
    )
    #expect(try await Migrator(database: connection).migrate(manifest(people)).people == nil)
    #expect(try await PeopleElsewhere.line(of: manifest(people), in: connection) == nil)
    try await connection.script("RESET ROLE; DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
  }

  /// Supabase keeps the row of a person who is deleted softly.
  @Test func whoIsMarkedAsDeletedIsDeletedWhereThatIsSaid() async throws {
    let connection = try await database(
      """
      \(Self.supabase); ALTER TABLE auth.users ADD deleted_at timestamptz, ADD banned boolean;
      UPDATE auth.users SET deleted_at = now() WHERE id = '\(Self.ben)'
      """)
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(manifest(Self.there))
    #expect(try await lines(connection, Self.people).count == 2)
    _ = try await migrator.migrate(manifest(Self.there + #", "deleted": "deleted_at IS NOT NULL""#))
    #expect(try await lines(connection, Self.people) == ["\(Self.ada)|ada@example.com|Ada|t"])

    try await connection.script("UPDATE auth.users SET deleted_at = now(), email = NULL WHERE id = '\(Self.ada)'")
    #expect(try await lines(connection, Self.people) == [])
    #expect(try await lines(connection, Self.devices) == [])
    try await connection.script(
      "UPDATE user_devices SET push_token = '0d0d'; UPDATE auth.users SET phone = '1' WHERE id = '\(Self.ada)'")
    #expect(try await lines(connection, Self.people) == [])

    // Another mark counts instead, for who is there and for who comes.
    let other = Self.there + #", "deleted": "banned""#
    try await connection.script("UPDATE auth.users SET banned = true WHERE id = '\(Self.ben)'")
    _ = try await migrator.migrate(manifest(other))
    #expect(try await lines(connection, Self.people) == ["\(Self.ada)|Ada|t"])
    let everybody = Self.there + #", "deleted": "true""#
    _ = try await migrator.migrate(manifest(everybody))
    #expect(try await lines(connection, Self.people) == [])
  }

  /// A key or a trigger of the app's keeps their row: the app's own statement, and its commit, do not fail by that.
  @Test(arguments: [
    "CREATE TABLE orders (user_id uuid REFERENCES users (id)); INSERT INTO orders VALUES ('\(ada)')",
    """
    CREATE TABLE orders (user_id uuid REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
    INSERT INTO orders VALUES ('\(ada)')
    """,
    """
    CREATE TABLE carts (user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE);
    CREATE TABLE orders (user_id uuid REFERENCES carts (user_id) DEFERRABLE INITIALLY DEFERRED);
    INSERT INTO carts VALUES ('\(ada)'); INSERT INTO orders VALUES ('\(ada)')
    """,
    """
    CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER keep BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION keep()
    """,
  ])
  func whoIsMarkedAsDeletedAndKeptIsToldNothing(_ keeping: String) async throws {
    let connection = try await database("\(Self.supabase); ALTER TABLE auth.users ADD deleted boolean")
    let people = Self.there + #", "deleted": "deleted""#
    _ = try await Migrator(database: connection).migrate(manifest(people))
    try await connection.script(keeping)
    let gone: SQL = "SELECT user_id::text FROM push_gone_people"

    try await connection.script("UPDATE auth.users SET deleted = true WHERE id = '\(Self.ada)'")
    #expect(try await lines(connection, gone) == [Self.ada])
    // It is the same where the mark was there before it was said what it means.
    _ = try await Migrator(database: connection).migrate(manifest(Self.there))
    #expect(try await lines(connection, gone) == [])
    _ = try await Migrator(database: connection).migrate(manifest(people))
    #expect(try await lines(connection, gone) == [Self.ada])

    try await connection.script("UPDATE auth.users SET deleted = false WHERE id = '\(Self.ada)'")
    #expect(try await lines(connection, gone) == [])
  }
}
