import Postgres
import TestSupport
import Testing

/// The rights of Supabase's clients to what the migrations make, whenever their roles and default privileges come.
@Suite(.heavy)
struct ClosedToClientsTests {
  private static let roles = """
    CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role BYPASSRLS;
    CREATE ROLE authenticator LOGIN NOINHERIT; GRANT anon, authenticated, service_role TO authenticator;
    """
  private static let ada = "a0000000-0000-4000-8000-000000000001"

  private static func defaults(_ schema: String) -> String {
    """
    GRANT USAGE ON SCHEMA \(schema) TO anon, authenticated, service_role;
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT ALL ON TABLES TO anon, authenticated, service_role;
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
    """
  }

  private static let rows = """
    INSERT INTO users (id, email, name) VALUES ('\(ada)', 'ada@example.com', 'Ada');
    INSERT INTO user_tokens (value, user_id) VALUES ('secret', '\(ada)');
    INSERT INTO projects (id, name, api_key, owner_id) VALUES ('\(ada)', 'Orbit', 'secret', '\(ada)');
    INSERT INTO project_members (project_id, user_id) VALUES ('\(ada)', '\(ada)');
    INSERT INTO feedbacks (id, title, user_id, project_id) VALUES ('\(ada)', 'Dark mode', '\(ada)', '\(ada)');
    INSERT INTO comments (content, user_id, feedback_id) VALUES ('Soon', 'x', '\(ada)');
    INSERT INTO votes (user_id, feedback_id) VALUES ('x', '\(ada)');
    INSERT INTO device_tokens (user_id, token, platform) VALUES ('\(ada)', 'secret', 'iOS');
    INSERT INTO notifications (user_id, type, title) VALUES ('\(ada)', 'x', 'Hello');
    """

  /// When what Supabase has comes, and the schema of the tables.
  enum Order: CaseIterable { case before, after, inAnotherSchema, grantedLater }

  private func database(_ order: Order) async throws -> (cluster: PrivateCluster, schema: String) {
    let cluster = try await PrivateCluster()
    let connection = Connection(url: cluster.url(), applicationName: "test")
    let schema = order == .inAnotherSchema ? "app" : "public"
    try await connection.script("CREATE SCHEMA IF NOT EXISTS \(schema); SET search_path = \(schema)")
    let supabase = Self.roles + Self.defaults(schema)
    if order != .after && order != .grantedLater { try await connection.script(supabase) }
    for migration in [Schema.preparation] + Schema.migrations { try await connection.script(migration.sql) }
    if order == .after || order == .grantedLater { try await connection.script(supabase) }
    try await connection.script(Self.rows)
    if order == .grantedLater {
      try await connection.script("GRANT ALL ON ALL TABLES IN SCHEMA public TO anon, authenticated")
    }
    // Days of the log that are made later get the default privileges of then.
    try await connection.script("SELECT push_make_log_days(now() + interval '30 days')")
    await connection.close()
    return (cluster, schema)
  }

  /// The rows that a client's statement sees or changes, after all is undone; nil where it is not permitted.
  private func rows(_ statement: String, as role: String, _ connection: Connection) async throws -> Int? {
    struct Undo: Error { let rows: Int }
    do {
      return try await connection.transaction { transaction in
        try await transaction.script("SET LOCAL ROLE \(role)")
        try await transaction.script("SET LOCAL request.jwt.claims = '{\"sub\":\"\(Self.ada)\"}'")
        throw Undo(rows: try await transaction.query(SQL(unescaped: statement)).affectedRows)
      }
    } catch let undo as Undo {
      return undo.rows
    } catch let error as PostgresError where error.code == .sqlState("42501") {
      return nil
    }
  }

  @Test(arguments: Order.allCases) func theySeeAndChangeNothing(_ order: Order) async throws {
    let (cluster, schema) = try await database(order)
    defer { withExtendedLifetime(cluster) {} }
    for role in ["anon", "authenticated"] { try await expectNothing(for: role, order, cluster, schema) }
  }

  private func expectNothing(
    for role: String, _ order: Order, _ cluster: PrivateCluster, _ schema: String
  ) async throws {
    let owner = Connection(url: cluster.url(), applicationName: "test")
    let url = cluster.url().replacing("user=postgres", with: "user=authenticator")
    let client = Connection(url: url, applicationName: "test")
    try await client.script("SET search_path = \(schema)")

    let relations = try await owner.query(
      """
      SELECT c.oid::regclass::text AS name, c.relkind::text AS kind, (SELECT quote_ident(a.attname) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.attidentity = '' ORDER BY a.attnum LIMIT 1) AS col
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = \(schema) AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
      """)
    #expect(relations.count > 50)
    for row in relations {
      let (name, column): (String, String) = (try row.decode("name"), row["col"] ?? "")
      let place = name.contains(".") ? name : "\(schema).\(name)"
      switch row["kind"] {
      case "S": #expect(try await rows("SELECT last_value FROM \(place)", as: role, client) == nil, "\(role) \(name)")
      case "v":
        // A view shows what its owner sees: who grants it to everybody is told so by `runner doctor`.
        guard order != .grantedLater else { continue }
        #expect(try await rows("SELECT FROM \(place)", as: role, client) == nil, "\(role) \(name)")
      default:
        #expect(try await rows("SELECT FROM \(place)", as: role, client) ?? 0 == 0, "\(role): SELECT \(name)")
        #expect(try await rows("DELETE FROM \(place)", as: role, client) ?? 0 == 0, "\(role): DELETE \(name)")
        let update = "UPDATE \(place) SET \(column) = \(column)"
        #expect(try await rows(update, as: role, client) ?? 0 == 0, "\(role): UPDATE \(name)")
        let insert = "INSERT INTO \(place) DEFAULT VALUES"
        #expect(try await rows(insert, as: role, client) == nil, "\(role): INSERT \(name)")
      }
    }
    let open = try await owner.query(
      """
      SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = \(schema) AND p.prosecdef AND has_function_privilege(\(role), p.oid, 'EXECUTE')
      """
    ).decode("name", as: String.self)
    #expect(open == [], "\(role)")
  }

  /// Whether row-level security is on, the policies, and the rights of tables and columns.
  private static let access: SQL = """
    SELECT concat_ws(' ', c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relacl) AS line FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
    UNION ALL SELECT concat_ws(' ', c.relname, a.attname, a.attacl) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND a.attacl IS NOT NULL
    UNION ALL SELECT p::text FROM pg_policies p WHERE p.schemaname = 'public'
    """

  /// Tables with names of ours, open and closed, on Supabase and elsewhere.
  @Test(arguments: [roles + defaults("public"), "CREATE ROLE clerk;"])
  func anAppsOwnTablesKeepTheirRightsAndPolicies(_ server: String) async throws {
    let cluster = try await PrivateCluster()
    defer { withExtendedLifetime(cluster) {} }
    let connection = Connection(url: cluster.url(), applicationName: "test")
    try await connection.script(server)
    try await connection.script(
      """
      CREATE TABLE users (id uuid PRIMARY KEY, email text, name text);
      CREATE TABLE device_tokens (
        id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id), token text NOT NULL UNIQUE, platform text);
      CREATE TABLE notifications (id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id), type text NOT NULL);
      CREATE TABLE comments (id uuid PRIMARY KEY, visit_id uuid, no serial);
      CREATE TABLE groups (id uuid PRIMARY KEY, name text);
      ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON notifications FOR SELECT USING (user_id = current_setting('app.user_id')::uuid);
      ALTER TABLE users FORCE ROW LEVEL SECURITY;
      GRANT SELECT ON groups TO PUBLIC; GRANT UPDATE (name) ON groups TO PUBLIC;
      """)
    let before = Set(try await connection.query(Self.access).decode("line", as: String.self))
    #expect(before.count >= 7)

    try await connection.script(
      "BEGIN; \(([Schema.preparation] + Schema.migrations).map(\.sql).joined(separator: "\n")); COMMIT")

    let after = Set(try await connection.query(Self.access).decode("line", as: String.self))
    #expect(before.subtracting(after) == [])
    let added = after.subtracting(before).filter { line in
      ["users", "device_tokens", "notifications", "comments", "groups"].contains { table in
        line.hasPrefix("\(table) ") || line.contains(",\(table),")
      }
    }
    #expect(added == [])
    #expect(try await connection.query("SELECT to_regclass('push_found_tables') AS t").only()["t"] == nil)
  }
}
