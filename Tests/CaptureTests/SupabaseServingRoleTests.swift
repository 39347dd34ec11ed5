import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// `runner migrate --grant` on a server with Supabase's roles, and default privileges that give everything to everybody,
/// or nothing to anybody.
@Suite(.heavy)
struct SupabaseServingRoleTests {
  private static let supabase = """
    CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role BYPASSRLS; CREATE ROLE clients;
    GRANT clients TO authenticated; CREATE ROLE functions LOGIN;
    CREATE ROLE authenticator LOGIN NOINHERIT; GRANT anon, authenticated, service_role TO authenticator;
    GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
    """
  private static let hardened = """
    CREATE ROLE functions LOGIN; REVOKE ALL ON DATABASE postgres FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC;
    ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
    """

  /// Starts a server where a script has run, and then `migrate`.
  private func site(_ script: String) async throws -> (cluster: PrivateCluster, connection: Connection) {
    guard script == Self.supabase else { return try await Self.migrated(script) }
    let cluster = try await PrivateCluster(like: Self.stopped.value)
    return (cluster, Connection(url: cluster.url(), applicationName: "test"))
  }

  /// The stopped server that most of them begin with a copy of.
  private static let stopped = Task {
    let (cluster, connection) = try await migrated(supabase)
    await connection.close()
    try await cluster.stop()
    return cluster
  }

  private static func migrated(_ script: String) async throws -> (cluster: PrivateCluster, connection: Connection) {
    let cluster = try await PrivateCluster()
    let connection = Connection(url: cluster.url(), applicationName: "test")
    try await connection.script(script)
    _ = try await Migrator(database: connection).migrate(manifest())
    return (cluster, connection)
  }

  private static func manifest() throws -> Manifest { try Manifest(directory: Schema.project) }

  private func grant(_ role: String, _ connection: Connection) async throws {
    _ = try await Migrator(database: connection).migrate(Self.manifest(), granting: role)
  }

  /// A role that was made after `migrate` has none of the rights that others got by default privileges.
  @Test(arguments: [("functions", Self.supabase), ("service_role", Self.supabase), ("functions", Self.hardened)])
  func aLaterRoleServes(_ role: String, _ server: String) async throws {
    let (cluster, connection) = try await site(server)
    defer { withExtendedLifetime(cluster) {} }

    try await grant(role, connection)

    #expect(try await NeededRights(of: Self.manifest(), in: connection).all(role) == [])
    try await connection.script(
      """
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada');
      INSERT INTO notifications (user_id, type, title) VALUES ('a0000000-0000-4000-8000-000000000001', 'x', 'Hello');
      SET ROLE \(role)
      """)
    let row = try await connection.query(
      """
      SELECT (SELECT count(*) FROM notifications) AS entries, push_badge(id, 'feedbackkit') AS badge,
        (SELECT count(*) FROM push_hold_people(ARRAY[id])) AS held, runner.now() AS now
      FROM users
      """
    ).only()
    #expect(try row.decode("entries", as: Int.self) == 1)
    #expect(try row.decode("held", as: Int.self) == 1)
    try await connection.script(
      "INSERT INTO proposal_leads SELECT * FROM proposal_leads; UPDATE notifications SET is_read = true; RESET ROLE")
  }

  /// Rights that a role of its own gets, clients do not.
  @Test func clientsAreLetInNowhere() async throws {
    let (cluster, connection) = try await site(Self.supabase)
    defer { withExtendedLifetime(cluster) {} }
    try await grant("functions", connection)

    let rights = try await connection.query(
      """
      SELECT r.rolname || ' ' || x.name AS may FROM pg_roles r CROSS JOIN LATERAL (
        SELECT c.relname::text AS name FROM pg_class c
        WHERE c.relkind IN ('r', 'p') AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE')
          AND (c.relrowsecurity OR c.relnamespace = 'runner'::regnamespace)
        UNION ALL
        SELECT p.oid::regprocedure::text FROM pg_proc p
        WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
      ) x WHERE r.rolname IN ('anon', 'authenticated')
      """
    ).decode("may", as: String.self)

    #expect(rights == [])
  }

  /// Such a role is no server for the policies, although it lacks no right.
  @Test(arguments: ["push_app", "authenticated"])
  func aRoleThatInheritsOneOfASinglePersonIsToldThatItSeesNothing(_ other: String) async throws {
    let (cluster, connection) = try await site(Self.supabase)
    defer { withExtendedLifetime(cluster) {} }
    try await grant("functions", connection)
    let role = Connection(
      url: cluster.url().replacing("user=postgres", with: "user=functions"), applicationName: "test")
    let needed = try await NeededRights(of: Self.manifest(), in: role)
    #expect(try await needed.blindness(of: role) == nil)
    #expect(try await needed.blindness(of: connection) == nil, "the owner sees everything")

    try await connection.script("GRANT \(other) TO functions")

    let blindness = try await needed.blindness(of: role)?.description ?? ""
    #expect(blindness.hasPrefix("functions sees no rows of ") && blindness.contains(other), "\(blindness)")
    #expect(try await needed.ofFunctions("functions").statements == [])
    let error = await #expect(throws: MigrationError.self) { try await grant("functions", connection) }
    #expect(error?.description.contains("single people") == true)
    try await connection.script("ALTER ROLE functions NOINHERIT")
    #expect(try await needed.blindness(of: role) == nil)
  }

  /// The app's own tables stay open, and are named; so is what was closed and is opened later.
  @Test func whatIsOpenIsNamedWithTheStatementThatClosesIt() async throws {
    let (cluster, connection) = try await site(
      """
      \(Self.supabase)
      CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text, name text);
      CREATE TABLE device_tokens (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        user_id uuid NOT NULL REFERENCES users (id), token text NOT NULL UNIQUE, platform text);
      CREATE TABLE user_devices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid, push_token text);
      """)
    defer { withExtendedLifetime(cluster) {} }
    func lines() async throws -> [String] { try await OpenTables.lines(of: Self.manifest(), in: connection) }

    #expect(
      try await lines()
        == ["device_tokens", "user_devices"].map { table in
          """
          anon, authenticated may DELETE, INSERT, SELECT, UPDATE \(table), which has no row-level security: unless that is \
          meant, ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY, with policies for whom it is meant
          """
        })
    #expect(try await Migrator(database: connection).migrate(Self.manifest()).notes == lines())

    try await connection.script(
      "ALTER TABLE device_tokens ENABLE ROW LEVEL SECURITY; ALTER TABLE user_devices ENABLE ROW LEVEL SECURITY")
    #expect(try await lines() == [])
    try await connection.script(
      """
      GRANT ALL ON push_rates_by_kind TO anon, authenticated; GRANT EXECUTE ON FUNCTION push_settings_changed TO anon
      """)
    #expect(
      try await lines() == [
        "FUNCTION public.push_settings_changed() is open to anon: REVOKE ALL ON FUNCTION public.push_settings_changed() FROM anon",
        "TABLE public.push_rates_by_kind is open to anon, authenticated: REVOKE ALL ON TABLE public.push_rates_by_kind FROM anon, authenticated",
      ])
    for line in try await lines() {
      try await connection.script(String(line[try #require(line.firstRange(of: "REVOKE")).lowerBound...]))
    }
    #expect(try await lines() == [])
  }

  @Test(arguments: [
    ("anon", "Clients of the database come in as anon"),
    ("authenticated", "Clients of the database come in as authenticated"),
    ("authenticator", "Clients of the database come in as authenticator"),
    ("clients", "authenticated has the rights of clients"), ("push_app", "push_app works for single people"),
    ("nobody", "There is no role nobody"),
  ])
  func aRoleOfClientsIsRefused(_ role: String, _ words: String) async throws {
    let (cluster, connection) = try await site(Self.supabase)
    defer { withExtendedLifetime(cluster) {} }

    let error = await #expect(throws: MigrationError.self) { try await grant(role, connection) }

    #expect(error?.description.hasPrefix(words) == true)
    #expect(try await connection.query("SELECT FROM runner.roles").isEmpty)
  }
}
