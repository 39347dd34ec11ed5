import Postgres
import TestSupport
import Testing

/// A database with Supabase's roles and default privileges, which give everything to everybody.
@Suite(.heavy)
struct SupabaseRolesTests {
  private func migrated() async throws -> (cluster: PrivateCluster, connection: Connection) {
    let cluster = try await PrivateCluster()
    let connection = Connection(url: cluster.url(), applicationName: "test")
    try await connection.script(
      """
      CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role BYPASSRLS;
      GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
      """)
    for migration in [Schema.preparation] + Schema.migrations { try await connection.script(migration.sql) }
    return (cluster, connection)
  }

  @Test func clientsHaveNoRightsOnSequencesTablesAndFunctionsOfTheOwner() async throws {
    let (cluster, connection) = try await migrated()
    defer { withExtendedLifetime(cluster) {} }
    let rights = try await connection.query(
      """
      SELECT r.rolname || ' ' || x.name AS may FROM pg_roles r CROSS JOIN LATERAL (
        SELECT c.relname::text AS name FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
        WHERE p.polname = 'push_servers' AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE')
        UNION ALL
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace
          AND CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(r.oid, c.oid, 'USAGE, SELECT, UPDATE') END
        UNION ALL
        SELECT p.oid::regprocedure::text FROM pg_proc p
        WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
      ) x WHERE r.rolname IN ('anon', 'authenticated')
      """
    ).decode("may", as: String.self)

    #expect(rights.isEmpty)
    let server = try await connection.query(
      """
      SELECT has_function_privilege('service_role', 'push_hold_people(uuid[])', 'EXECUTE') AS may
      """)
    #expect(try server.only().decode("may", as: Bool.self))
  }

  @Test func whoIsLetInStillGetsIn() async throws {
    let (cluster, connection) = try await migrated()
    defer { withExtendedLifetime(cluster) {} }
    let ada = "a0000000-0000-4000-8000-000000000001"
    try await connection.script(
      """
      INSERT INTO users (id, email, name) VALUES ('\(ada)', 'ada@example.com', 'Ada');
      INSERT INTO notifications (user_id, type, title) VALUES ('\(ada)', 'x', 'Hello');
      GRANT push_app TO authenticated; SET request.jwt.claims = '{"sub":"\(ada)"}'; SET ROLE authenticated
      """)

    #expect(try await connection.query("SELECT FROM notifications").count == 1)
  }
}
