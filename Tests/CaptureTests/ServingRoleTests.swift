import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// A role that owns nothing, which `runner migrate --grant` lets in.
@Suite(.heavy)
struct ServingRoleTests {
  /// A database and a role that owns nothing in it.
  private struct Site {
    let connection: Connection
    let role: String

    /// An empty database, and a role that may do nothing in it.
    init() async throws { try await self.init(TemporaryPostgres.database()) }

    /// A database with the bundle's tables and triggers, and a role that may do nothing in it.
    static func migrated() async throws -> Site {
      try await Site(TemporaryPostgres.database(migrated: { try await prepare($0) }, named: "bundle"))
    }

    /// The same, where a role has been let in: that of all such databases, which no test may drop.
    static func letIn() async throws -> Site {
      let role = "serving_bundle"
      let url = try await TemporaryPostgres.database(
        migrated: { try await prepare($0, lettingIn: role) }, named: "bundle with a role")
      return Site(connection: connect(url), role: role)
    }

    private init(connection: Connection, role: String) { (self.connection, self.role) = (connection, role) }

    private init(_ url: String) async throws {
      connection = Self.connect(url)
      let name: String = try await connection.query("SELECT current_database() AS name").only().decode("name")
      // Roles belong to the server: one for each database.
      role = "serving_\(name)"
      try await connection.script("CREATE ROLE \(role) LOGIN")
    }

    private static func connect(_ url: String) -> Connection {
      Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    }

    private static func prepare(_ url: String, lettingIn role: String? = nil) async throws {
      let connection = connect(url)
      if let role { try await connection.script("CREATE ROLE \(role) LOGIN") }
      _ = try await Migrator(database: connection).migrate(ServingRoleTests.manifest(), granting: role)
      await connection.close()
    }

    @discardableResult func migrate(granting role: String? = nil) async throws -> [String] {
      try await Migrator(database: connection).migrate(ServingRoleTests.manifest(), granting: role).rights
    }

    func lacking() async throws -> [String] {
      try await NeededRights(of: ServingRoleTests.manifest(), in: connection).all(role)
    }

    /// The server's answer to a statement of the role's: 42501 where it may not.
    func sqlState(of statement: String) async throws -> String? {
      try await connection.script("SET ROLE \(role)")
      var state: String?
      do { try await connection.script("BEGIN; \(statement); ROLLBACK") } catch {
        state = error.sqlState
        try await connection.script("ROLLBACK")
      }
      try await connection.script("RESET ROLE")
      return state
    }
  }

  private static func manifest() throws -> Manifest { try Manifest(directory: Schema.project) }

  @Test func itGetsEverythingAtOnce() async throws {
    let site = try await Site()

    let statements = try await site.migrate(granting: site.role)

    #expect(!statements.isEmpty && statements.allSatisfy { $0.hasSuffix(" TO \(site.role)") })
    #expect(try await site.lacking() == [])
    #expect(try await site.migrate(granting: site.role) == [])
    let plan = try await Migrator(database: site.connection)
      .plan(Self.manifest(), prunes: false, granting: site.role)
    #expect(plan.isEmpty)
  }

  @Test(arguments: [
    "SELECT u.id FROM projects p CROSS JOIN users u FOR KEY SHARE", "SELECT FROM groups FOR KEY SHARE",
    "SELECT FROM group_members FOR SHARE", "SELECT FROM event_proposals p FOR SHARE OF p",
    "SELECT FROM friend_requests FOR NO KEY UPDATE", "SELECT FROM group_invites FOR NO KEY UPDATE",
    "UPDATE users SET push_notify_votes = false, notify_new_comments = false, updated_at = now()",
    "INSERT INTO group_members (group_id, user_id, created_at) SELECT id, id, now() FROM users WHERE false",
    "SELECT push_hold_people(ARRAY[]::uuid[])", "SELECT push_hold_answered(ARRAY[]::uuid[])",
    "SELECT push_make_log_days(now()), push_drop_log_days('-infinity'), push_delete_logs('-infinity', 1)",
    "SELECT runner.rotate(7, 24), runner.now()", "SELECT FROM push_provider_tokens FOR UPDATE",
    "SELECT FROM push_oldest_due_seconds", "INSERT INTO runner.wakeups SELECT * FROM runner.wakeups",
  ])
  func itMayDoWhatIsNeeded(_ statement: String) async throws {
    let site = try await Site.letIn()

    #expect(try await site.sqlState(of: statement) == nil)
  }

  @Test(arguments: [
    "UPDATE users SET password_hash = ''", "DELETE FROM users", "UPDATE projects SET api_key = ''",
    "INSERT INTO feedbacks DEFAULT VALUES", "UPDATE group_members SET role = 'owner'", "TRUNCATE notifications",
    "INSERT INTO runner.roles VALUES ('anybody')", "INSERT INTO runner.migrations (name) VALUES ('runner/9999_later')",
    "SELECT runner.set_partitions(4)", "SELECT push_admit_app()", "CREATE TABLE runner.another (id int)",
  ])
  func itMayDoNoMore(_ statement: String) async throws {
    let site = try await Site.letIn()

    #expect(try await site.sqlState(of: statement) == "42501")
  }

  @Test(arguments: [
    ("REVOKE USAGE ON SCHEMA runner FROM $R", "GRANT USAGE ON SCHEMA runner TO $R"),
    ("REVOKE DELETE ON runner.events FROM $R", "GRANT DELETE ON TABLE runner.events TO $R"),
    ("REVOKE USAGE ON SEQUENCE runner.holders FROM $R", "GRANT USAGE ON SEQUENCE runner.holders TO $R"),
    (
      "REVOKE EXECUTE ON FUNCTION runner.rotate FROM $R",
      "GRANT EXECUTE ON FUNCTION runner.rotate(history_days integer, payload_hours integer) TO $R"
    ),
    ("REVOKE EXECUTE ON FUNCTION runner.now FROM PUBLIC", "GRANT EXECUTE ON FUNCTION runner.now() TO $R"),
    ("REVOKE SELECT ON push_held_deliveries FROM $R", "GRANT SELECT ON TABLE public.push_held_deliveries TO $R"),
    ("REVOKE SELECT ON push_outages FROM $R", "GRANT SELECT ON TABLE public.push_outages TO $R"),
    ("REVOKE SELECT ON votes, comments FROM $R", "GRANT SELECT ON TABLE public.comments, public.votes TO $R"),
    ("REVOKE INSERT, DELETE ON decisions FROM $R", "GRANT INSERT, DELETE ON TABLE public.decisions TO $R"),
    ("REVOKE UPDATE (id) ON projects FROM $R", "GRANT UPDATE (id) ON TABLE public.projects TO $R"),
    (
      "REVOKE UPDATE (push_notify_votes) ON users FROM $R",
      "GRANT UPDATE (push_notify_votes) ON TABLE public.users TO $R"
    ),
    (
      "REVOKE UPDATE ON push_provider_tokens FROM $R", "GRANT UPDATE ON TABLE public.push_provider_tokens TO $R"
    ),
    (
      "REVOKE EXECUTE ON FUNCTION push_hold_people FROM $R",
      "GRANT EXECUTE ON FUNCTION public.push_hold_people(ids uuid[]) TO $R"
    ),
    (
      "REVOKE EXECUTE ON FUNCTION push_drop_log_days FROM $R",
      "GRANT EXECUTE ON FUNCTION public.push_drop_log_days(moment timestamp with time zone) TO $R"
    ),
    (
      """
      CREATE SEQUENCE numbers; ALTER TABLE decisions ADD COLUMN "no" bigint DEFAULT nextval('numbers')
      """, "GRANT USAGE ON SEQUENCE public.numbers TO $R"
    ),
    ("REVOKE USAGE ON SCHEMA public FROM PUBLIC", "GRANT USAGE ON SCHEMA public TO $R"),
    (
      "DROP POLICY push_servers ON notifications; CREATE POLICY own ON notifications USING (user_id = push_person())",
      "CREATE POLICY runner_$R ON public.notifications TO $R USING (true)"
    ),
    (
      "DROP POLICY push_servers ON votes", "CREATE POLICY runner_$R ON public.votes TO $R USING (true)"
    ),
  ])
  func eachRightIsNamedAndMended(change: String, statement: String) async throws {
    let site = try await Site.letIn()
    try await site.connection.script(change.replacing("$R", with: site.role))

    let wanted = statement.replacing("$R", with: site.role)
    #expect(try await site.lacking() == [wanted])
    #expect(try await site.migrate(granting: site.role) == [wanted])
    #expect(try await site.lacking() == [])
  }

  /// Which gives it no function: `push_hold_people` asks for the rights of who calls it, and is for who was let in.
  @Test func whatItMayAsAWriterOfAllDataIsSeen() async throws {
    let site = try await Site.migrated()
    try await site.connection.script("GRANT pg_read_all_data, pg_write_all_data TO \(site.role)")
    let call = "SELECT push_hold_people(ARRAY[]::uuid[])"
    #expect(try await site.sqlState(of: call) == "42501")

    let lacking = try await site.lacking()

    #expect(lacking.allSatisfy { $0.hasPrefix("GRANT EXECUTE ON FUNCTION ") }, "\(lacking)")
    #expect(lacking.contains { $0.contains("push_hold_people(ids uuid[])") })
    #expect(try await site.migrate(granting: site.role) == lacking)
    #expect(try await site.sqlState(of: call) == nil)
  }

  /// A function with its owner's rights is for nobody but who was let in; the rest does no more than its caller may.
  @Test func whatEverybodyMayCallIsStated() async throws {
    let site = try await Site.migrated()

    let open = try await site.connection.query(
      """
      SELECT p.proname::text || CASE WHEN p.prosecdef THEN ' as its owner' ELSE '' END AS name
      FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND (p.prosecdef OR p.prorettype <> 'trigger'::regtype)
        AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a WHERE a.grantee = 0)
        AND EXISTS (SELECT FROM aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a WHERE a.grantee = 0)
      ORDER BY 1
      """
    ).decode("name", as: String.self)

    // Policies, defaults, views and triggers call these, and functions as the role that they connect as.
    #expect(
      open == [
        "push_account", "push_are_quiet_days", "push_asked", "push_badge", "push_badges", "push_badges",
        "push_comments", "push_counts", "push_eligibilities", "push_eligibility", "push_friend_requests",
        "push_hold_answered", "push_is_server", "push_is_verified", "push_journal", "push_log_days_until",
        "push_now", "push_opted_out", "push_owns_log", "push_parts", "push_person", "push_teller", "push_uuid",
      ])
  }

  /// Tables that a later version makes are granted by its own `migrate`.
  @Test func whatComesLaterIsGrantedToo() async throws {
    let site = try await Site.letIn()
    try await site.connection.script("CREATE TABLE runner.later (id int)")

    #expect(
      try await site.migrate() == [
        "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE runner.later TO \(site.role)"
      ])
  }

  /// Who was thrown out, or has been made again under the same name, is not let in by `migrate`.
  @Test(arguments: [
    "REVOKE USAGE ON SCHEMA runner FROM $R", "DROP OWNED BY $R", "DROP OWNED BY $R; DROP ROLE $R; CREATE ROLE $R",
  ])
  func whoIsThrownOutStaysOut(_ change: String) async throws {
    let site = try await Site.migrated()
    try await site.migrate(granting: site.role)
    try await site.connection.script(change.replacing("$R", with: site.role))

    #expect(try await site.migrate() == [])
    #expect(try await site.lacking().first == "GRANT USAGE ON SCHEMA runner TO \(site.role)")
  }

  /// `serve --migrate` as such a role finds nothing to do, also where another role lacks something.
  @Test func theRoleItselfMigratesNothing() async throws {
    let site = try await Site.migrated()
    try await site.migrate(granting: site.role)
    try await site.connection.script(
      """
      CREATE ROLE \(site.role)_2; GRANT USAGE ON SCHEMA runner TO \(site.role)_2;
      INSERT INTO runner.roles VALUES ('\(site.role)_2'); SET ROLE \(site.role)
      """)

    #expect(try await site.migrate() == [])
    try await site.connection.script("RESET ROLE; DROP OWNED BY \(site.role)_2; DROP ROLE \(site.role)_2")
  }

  @Test func aRoleThatMayNotGrantIsTold() async throws {
    let site = try await Site.migrated()
    try await site.connection.script("CREATE ROLE \(site.role)_2; SET ROLE \(site.role)_2")

    await #expect(throws: (any Error).self) { try await site.migrate(granting: site.role) }

    try await site.connection.script("RESET ROLE; DROP ROLE \(site.role)_2")
    #expect(try await site.lacking().first == "GRANT USAGE ON SCHEMA runner TO \(site.role)")
  }
}
