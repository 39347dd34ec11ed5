import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Triggers on a table of another role's, as Supabase's `auth.users` is: who migrates may make them, and may not drop them.
@Suite(.heavy)
struct StrangersTableTests {
  private static let functions = """
    "f": {"key": "id", "triggers": [{"table": "auth.people", "events": ["INSERT"]}]},
    "g": {"triggers": [{"notify": "auth.people"}]}
    """

  private func site() async throws -> (cluster: PrivateCluster, connection: Connection) {
    let cluster = try await PrivateCluster()
    let connection = Connection(url: cluster.url(), applicationName: "test")
    try await connection.script(
      """
      CREATE ROLE keeper; CREATE ROLE migrator CREATEROLE; ALTER SCHEMA public OWNER TO migrator;
      GRANT CREATE ON DATABASE postgres TO migrator;
      CREATE SCHEMA auth; CREATE TABLE auth.people (id int PRIMARY KEY, v text); ALTER TABLE auth.people OWNER TO keeper;
      GRANT USAGE ON SCHEMA auth TO migrator; GRANT ALL ON auth.people TO migrator; SET ROLE migrator
      """)
    return (cluster, connection)
  }

  @Test func whatCanBeTakenAwayIsAndTheRestIsNamed() async throws {
    let (cluster, connection) = try await site()
    defer { withExtendedLifetime(cluster) {} }
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(CapturingDatabase.manifest(Self.functions))
    let none = try CapturingDatabase.manifest("")

    let plan = try await migrator.plan(none, prunes: true)
    let report = try await migrator.migrate(none, prunes: true)

    #expect(plan.map(\.sql) == ["DROP FUNCTION runner.\"auth.people.runner_insert\"() CASCADE;"])
    #expect(report.triggers == ["removed trigger runner_insert from auth.people"])
    #expect(
      report.notes == [
        """
        The trigger runner_notify_g on auth.people, which functions.json does not ask for, stays: only keeper, who owns the \
        table, may DROP TRIGGER "runner_notify_g" ON "auth"."people".
        """
      ])
    #expect(try await migrator.migrate(none, prunes: true).triggers == [])
  }

  @Test func whatIsChangedOrDisabledIsMadeAgain() async throws {
    let (cluster, connection) = try await site()
    defer { withExtendedLifetime(cluster) {} }
    let migrator = Migrator(database: connection)
    let manifest = try CapturingDatabase.manifest(Self.functions)
    _ = try await migrator.migrate(manifest)
    try await connection.script("RESET ROLE; ALTER TABLE auth.people DISABLE TRIGGER USER; SET ROLE migrator")

    #expect(try await migrator.migrate(manifest).triggers.count == 2)

    let enabled = try await connection.query(
      "SELECT tgenabled::text AS is FROM pg_trigger WHERE tgrelid = 'auth.people'::regclass AND NOT tgisinternal")
    #expect(try enabled.decode("is") == ["O", "O"])
    try await connection.script("INSERT INTO auth.people VALUES (1, 'a')")
    #expect(try await connection.query("SELECT FROM runner.events WHERE function = 'f'").count == 1)
    #expect(try await migrator.migrate(manifest).triggers == [])
  }
}
