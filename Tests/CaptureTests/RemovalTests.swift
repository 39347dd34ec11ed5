import Postgres
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// `runner migrate --remove` takes away what `runner migrate` has added.
@Suite(.heavy)
struct RemovalTests {
  @Test(arguments: RemovalScene.App.allCases)
  func theDatabaseIsAsItWas(_ app: RemovalScene.App) async throws {
    let scene = try await RemovalScene(app)
    let before = try await scene.dump()
    try await scene.migrate()
    try await scene.migrate()
    if app == .shop {
      let orders = try CapturingManifest.orders()
      #expect(try await !scene.migrate(orders).triggers.isEmpty)
    }
    #expect(try await scene.dump() != before)

    let report = try await scene.remove()

    #expect(report.left.isEmpty && report.statements > 0)
    #expect(try await scene.dump() == before)
    #expect(try await scene.remove().statements == 0)
    #expect(try await scene.plan().statements.isEmpty)
    #expect(try await scene.migrate().migrations.contains("apps/1004_devices"))
  }

  @Test(arguments: [RemovalScene.App.fluent, .lockItIn])
  func whatThePlanPrintsIsWhatHasToBeRun(_ app: RemovalScene.App) async throws {
    let scene = try await RemovalScene(app)
    let before = try await scene.dump()
    try await scene.migrate()

    let plan = try await scene.plan()
    #expect(try await scene.isThere("runner.events"))
    try await scene.connection.script("SET TimeZone = 'Asia/Tokyo'; \(plan.statements.joined(separator: "\n"))")

    #expect(try await scene.dump() == before)
  }

  /// As the owner of everything, and as a role that may make triggers on Supabase's table of people, and may not drop them.
  @Test(arguments: ["RESET ROLE", "SET ROLE migrator"])
  func supabasesPeopleRolesAndDefaultPrivilegesStay(role: String) async throws {
    let cluster = try await PrivateCluster()
    defer { withExtendedLifetime(cluster) {} }
    let scene = try await RemovalScene(
      in: cluster.url(),
      """
      CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role BYPASSRLS; CREATE ROLE functions LOGIN;
      CREATE ROLE migrator CREATEROLE;
      ALTER SCHEMA public OWNER TO migrator;
      DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO migrator', current_database()); END $$;
      CREATE SCHEMA auth;
      CREATE TABLE auth.users (id uuid PRIMARY KEY, email varchar(255));
      INSERT INTO auth.users VALUES ('a0000000-0000-4000-8000-000000000001', 'ada@example.com');
      GRANT USAGE ON SCHEMA auth TO migrator; GRANT ALL ON auth.users TO migrator;
      \(role);
      GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
      CREATE TABLE user_devices (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
        push_token text NOT NULL, platform text NOT NULL);
      ALTER TABLE user_devices ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON user_devices USING (true);
      INSERT INTO user_devices (user_id, push_token, platform) SELECT id, '0a0a', 'ios' FROM auth.users;
      CREATE TABLE notifications (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
        type text NOT NULL, title text NOT NULL, is_read boolean DEFAULT false, created_at timestamptz DEFAULT now());
      """)
    let before = try await scene.dump()
    let manifest = try RemovalScene.manifest(people: #", "table": "auth.users", "email": "email""#)
    #expect(try await scene.migrate(manifest).people == "users follows auth.users")
    let other = try RemovalScene.manifest(people: #", "table": "auth.users", "email": "lower(email)""#)
    #expect(try await scene.migrate(other).people == "users follows auth.users")
    try await scene.migrate(other, granting: "functions")

    #expect(try await scene.remove().left.isEmpty)

    #expect(try await scene.dump() == before)
  }

  @Test func aRoleKeepsTheRightsThatItHadBefore() async throws {
    let scene = try await RemovalScene(.feedbackKit)
    let name: String = try await scene.connection.query("SELECT current_database() AS name").only().decode("name")
    let role = "removal_\(name)"
    try await scene.connection.script(
      """
      CREATE ROLE \(role) LOGIN; GRANT SELECT (email), UPDATE (id) ON users TO \(role);
      GRANT SELECT ON votes TO \(role)
      """)
    let before = try await scene.dump()
    try await scene.migrate()
    #expect(try await !scene.migrate(granting: role).rights.isEmpty)

    #expect(try await scene.remove().left.isEmpty)

    #expect(try await scene.dump() == before)
    try await scene.connection.script("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  /// As where the role `push_app` came after the migration.
  @Test func policiesThatWereMadeForOurRoleLaterGo() async throws {
    let scene = try await RemovalScene(.lockItIn)
    let before = try await scene.dump()
    try await scene.migrate()
    try await scene.connection.script("DELETE FROM runner.changes WHERE kind = 'policy' AND name LIKE 'push_app_%'")

    #expect(try await scene.remove().left.isEmpty)

    #expect(try await scene.dump() == before)
  }

  @Test func whatTheAppHasMadeSinceStays() async throws {
    let changes = """
      ALTER TABLE users ADD COLUMN nickname text, ALTER COLUMN name SET DEFAULT 'Nobody';
      CREATE INDEX users_nickname ON users (nickname);
      CREATE TABLE friends (id uuid PRIMARY KEY REFERENCES users (id));
      CREATE FUNCTION greet() RETURNS text LANGUAGE sql RETURN 'Hello';
      """
    let other = try await RemovalScene(.feedbackKit)
    try await other.connection.script("\(changes); DELETE FROM users")
    let scene = try await RemovalScene.migrated(.feedbackKit)
    try await scene.connection.script("\(changes); DELETE FROM users")

    try await scene.remove(evenWaiting: true)

    #expect(try await scene.dump() == other.dump())
  }

  @Test func whatIsLostIsNamed() async throws {
    let scene = try await RemovalScene.migrated(.feedbackKit)
    try await scene.connection.script(
      """
      UPDATE users SET push_notify_votes = false WHERE name = 'Ada';
      INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'aa' || name, 'iOS' FROM users;
      INSERT INTO runner.dead_letters (partition, id, function, attempts, code, error) VALUES (0, 1, 'f', 3, 'c', 'e');
      """)

    let lost = try await scene.plan().lost

    #expect(
      lost == ["public.device_tokens: 2 rows", "public.users.push_notify_votes: 1 row", "runner.dead_letters: 1 row"])
  }

  @Test func rowsThatOnlyFunctionsUnderstandGoFromTheAppsTable() async throws {
    let scene = try await RemovalScene(.lockItIn)
    let before = try await scene.dump()
    try await scene.migrate()
    try await scene.connection.script(
      """
      INSERT INTO notifications (user_id, type, title, body, app, origin, is_gone, merged_into)
      SELECT u.id, v.type, '', '', 'lockitin', 'function', v.type = 'vote_cast', CASE v.type WHEN 'new_vote' THEN u.id END
      FROM users u, unnest(ARRAY['badge', 'vote_count', 'quiet_summary', 'vote_cast', 'new_vote']) AS v (type)
      """)

    let plan = try await scene.plan()
    let report = try await scene.remove()

    let lines = plan.lost.filter { $0.contains("that only functions understand") }
    #expect(lines.count == 2 && lines[0].hasPrefix("public.notifications: 4 rows "), "\(plan.lost)")
    #expect(lines.last?.hasPrefix("public.notifications: 6 rows ") == true, "\(plan.lost)")
    #expect(report.left.isEmpty, "\(report.left)")
    #expect(try await scene.dump() == before)
  }

  /// The key is checked at the end of the transaction, and until then its table could not be changed.
  @Test(arguments: [false, true]) func suchRowsGoAlsoWhereADeferredKeyOfTheAppsRefersToThem(byHand: Bool) async throws {
    let scene = try await RemovalScene(.lockItIn)
    try await scene.connection.script(
      "CREATE TABLE hearts (notification_id uuid REFERENCES notifications (id) DEFERRABLE INITIALLY DEFERRED)")
    let before = try await scene.dump()
    try await scene.migrate()
    try await scene.connection.script(
      """
      INSERT INTO notifications (user_id, type, title, body, app, origin)
      SELECT id, 'badge', '', '', 'lockitin', 'function' FROM users
      """)

    if byHand {
      try await scene.connection.script(scene.plan().statements.joined(separator: "\n"))
    } else {
      #expect(try await scene.remove().left.isEmpty)
    }

    #expect(try await scene.dump() == before)
  }

  @Test func whatRowsStandAgainstIsNamed() async throws {
    let scene = try await RemovalScene.migrated(.lockItIn)
    try await scene.connection.script(
      """
      INSERT INTO notifications (user_id, type, title, body, app, origin)
      SELECT id, 'x', '', 'y', 'lockitin', 'function' FROM users
      """)

    let report = try await scene.remove(evenWaiting: true)

    #expect(report.left.count == 1, "\(report.left)")
    let statement = "ALTER TABLE public.notifications ALTER COLUMN project SET NOT NULL; ("
    #expect(report.left.contains { $0.hasPrefix(statement) })
    #expect(try await scene.connection.query("SELECT FROM notifications").count == 3)
    #expect(try await !scene.isThere("deliveries"))
  }
}

/// The bundle's `functions.json` with one more function.
private enum CapturingManifest {
  static func orders() throws -> Manifest {
    let text = """
      {"bundle": "shop", "functions": {"f": {"triggers": [{"table": "shop.orders", "events": ["INSERT", "UPDATE"]}]}}}
      """
    return try Manifest(text: Array(Schema.manifest(text).utf8), file: "functions.json", directory: "/")
  }
}
