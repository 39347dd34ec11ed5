import Postgres
import TestSupport
import Testing

/// The rows that are closed to `push_app`, and the roles that row-level security leaves alone.
@Suite(.heavy)
struct RowSecurityRolesTests {
  private static let open: Set = [
    "device_tokens", "notifications", "project_member_preferences", "notification_settings",
    "user_notification_preferences", "group_notification_preferences", "user_activity", "notification_state",
    "event_attendees", "friend_requests", "group_invites", "proposal_votes",
  ]

  private func names(_ catalog: String, _ scene: RowSecurityScene) async throws -> [String] {
    try await scene.connection.query(
      SQL(unescaped: "SELECT \(catalog)name AS name FROM pg_\(catalog)s WHERE schemaname = 'public'")
    ).decode("name")
  }

  private func expectClosed(_ statement: String, _ scene: RowSecurityScene) async {
    let error = await #expect(throws: PostgresError.self, "\(statement)") {
      try await scene.connection.transaction { transaction in
        try await transaction.script("SET LOCAL ROLE push_app")
        _ = try await transaction.query(SQL(unescaped: statement))
      }
    }
    #expect(error?.code == .sqlState("42501"), "\(statement)")
  }

  @Test func everythingElseIsClosed() async throws {
    let scene = try await RowSecurityScene()
    let tables = try await names("table", scene).filter { !Self.open.contains($0) }
    let views = try await names("view", scene)

    #expect(tables.count > 20 && views.count > 5)
    for view in views { await expectClosed("SELECT FROM \(view)", scene) }
    for table in tables {
      let column = try await scene.connection.query(
        "SELECT attname FROM pg_attribute WHERE attrelid = \(table)::regclass AND attnum > 0 AND attidentity = '' ORDER BY attnum LIMIT 1"
      ).only()["attname"]
      await expectClosed("SELECT FROM \(table)", scene)
      await expectClosed("DELETE FROM \(table)", scene)
      await expectClosed("UPDATE \(table) SET \(column ?? "") = NULL", scene)
      await expectClosed("INSERT INTO \(table) DEFAULT VALUES", scene)
    }
  }

  @Test func everyTableHasRowSecurity() async throws {
    let scene = try await RowSecurityScene()

    let without = try await scene.connection.query(
      "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relrowsecurity AND relnamespace = 'public'::regnamespace"
    ).decode("name", as: String.self)

    #expect(without == [])
  }

  @Test func nobodySeesTheBadgeOfAnother() async throws {
    let scene = try await RowSecurityScene()
    let badge = "SELECT FROM push_badge('\(RowSecurityScene.ben)', 'feedbackkit') AS b WHERE b > 0"

    #expect(try await scene.rows(badge) == 0)
    #expect(try await scene.rows(badge, role: "postgres") == 1)
    #expect(try await scene.rows("SELECT push_badge('\(RowSecurityScene.ben)', 'lockitin')") == 0)
  }

  /// Roles belong to the server, which tests share: each makes its own in a transaction that it undoes.
  private func rows(_ statement: String, as making: String, _ scene: RowSecurityScene) async throws -> Int {
    struct Undo: Error { let rows: Int }
    do {
      return try await scene.connection.transaction { transaction in
        try await transaction.script("\(making); SET LOCAL ROLE row_security_test;")
        try await transaction.script("SET LOCAL app.user_id = '\(RowSecurityScene.ada)'")
        throw Undo(rows: try await transaction.query(SQL(unescaped: statement)).affectedRows)
      }
    } catch let undo as Undo {
      return undo.rows
    }
  }

  @Test func aServersRoleThatDoesNotOwnTheTablesGoesOnAsBefore() async throws {
    let scene = try await RowSecurityScene()
    let server = "CREATE ROLE row_security_test; GRANT ALL ON ALL TABLES IN SCHEMA public TO row_security_test"

    for table in Self.open {
      let all = try await scene.connection.query(SQL(unescaped: "SELECT FROM \(table)")).affectedRows
      #expect(try await rows("SELECT FROM \(table)", as: server, scene) == all && all > 1, "\(table)")
    }
    #expect(try await rows("UPDATE notifications SET title = 'x'", as: server, scene) == 2)
    #expect(try await rows("DELETE FROM device_tokens", as: server, scene) == 2)
    let insert = "INSERT INTO notifications (user_id, type) VALUES ('\(RowSecurityScene.ben)', 'x')"
    #expect(try await rows(insert, as: server, scene) == 1)
  }

  /// The people whose badges fall are noted with the rights of the tables' owner.
  @Test(arguments: ["group_members", "event_proposals", "friend_requests", "group_invites", "notifications"])
  func whoMayDeleteARowNeedsNoFurtherRights(table: String) async throws {
    let scene = try await RowSecurityScene()
    let server = "CREATE ROLE row_security_test; GRANT SELECT, DELETE ON \(table) TO row_security_test"
    let all = try await scene.connection.query(SQL(unescaped: "SELECT FROM \(table)")).affectedRows

    #expect(try await rows("DELETE FROM \(table)", as: server, scene) == all && all > 0)
  }

  @Test(arguments: ["push_app", "anon", "authenticated"])
  func aRoleThatWorksForOnePersonIsNoServerWhateverItIsGranted(_ role: String) async throws {
    let scene = try await RowSecurityScene()
    let making = """
      DO $$ BEGIN IF to_regrole('\(role)') IS NULL THEN CREATE ROLE \(role); END IF; END $$;
      CREATE ROLE row_security_test IN ROLE \(role);
      GRANT ALL ON ALL TABLES IN SCHEMA public TO row_security_test
      """

    #expect(try await rows("SELECT FROM deliveries", as: making, scene) == 0)
    #expect(try await rows("SELECT FROM notifications", as: making, scene) == (role == "push_app" ? 1 : 0))
  }

  @Test func aTableThatWasClosedBeforeKeepsItsOwnPoliciesAlone() async throws {
    let connection = try await TemporaryPostgres.connection()
    for migration in Schema.migrations.prefix(while: { $0.name != "1020_row_security" }) {
      try await connection.script(migration.sql)
    }
    try await connection.script("ALTER TABLE notifications ENABLE ROW LEVEL SECURITY")

    let migration = try #require(Schema.migrations.first { $0.name == "1020_row_security" })
    try await connection.script(migration.sql)

    let policies = try await connection.query(
      "SELECT polname AS name FROM pg_policy WHERE polrelid = 'notifications'::regclass ORDER BY 1")
    #expect(policies.isEmpty)
    #expect(
      try await connection.query("SELECT has_table_privilege('push_app', 'notifications', 'SELECT') AS may")
        .only().decode("may", as: Bool.self) == false)
  }

  @Test func whoeverMayNotMakeRolesMigratesAndIsToldWhatIsLeft() async throws {
    let cluster = try await PrivateCluster()
    try await Connection(url: cluster.url(), applicationName: "test").script(
      "CREATE ROLE plain LOGIN; GRANT ALL ON SCHEMA public TO plain")
    let url = cluster.url().replacingUser("plain")
    let connection = Connection(url: url, applicationName: "test")

    for _ in 1...2 { for migration in Schema.migrations { try await connection.script(migration.sql) } }

    let roles: SQL = "SELECT FROM pg_roles WHERE rolname = 'push_app'"
    #expect(try await connection.query(roles).isEmpty)
    try await Connection(url: cluster.url(), applicationName: "test").script("CREATE ROLE push_app")
    for _ in 1...2 { _ = try await connection.query("SELECT push_admit_app()") }
    #expect(try await connection.query("SELECT FROM pg_policies WHERE roles = '{push_app}'").count == 18)
    let may: SQL = "SELECT has_column_privilege('push_app', 'device_tokens', 'locale', 'INSERT') AS may"
    #expect(try await connection.query(may).only().decode("may", as: Bool.self))
  }
}

extension String {
  fileprivate func replacingUser(_ user: String) -> String {
    split(separator: "&").map { $0.hasPrefix("user=") ? "user=\(user)" : String($0) }.joined(separator: "&")
  }
}
