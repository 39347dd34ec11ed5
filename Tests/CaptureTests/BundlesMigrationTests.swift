import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// A database that was migrated before there were bundles.
@Suite(.makesDatabases)
struct BundlesMigrationTests {
  /// The triggers as the runner made them then, as far as it matters here.
  private static let earlier = #"""
    CREATE TABLE t (id int PRIMARY KEY);
    CREATE FUNCTION runner."public.t.runner_insert"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER runner_insert AFTER INSERT ON t EXECUTE FUNCTION runner."public.t.runner_insert"();
    CREATE TRIGGER "runner_notify_push-it" AFTER INSERT ON t EXECUTE FUNCTION runner.notify_trigger('push-it');
    INSERT INTO runner.triggers VALUES
      ('public', 't', 'runner_insert', $d$CREATE OR REPLACE FUNCTION runner."public.t.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS '
        SELECT n.lane, runner.draw(n.lane), ''vote-cast''::pg_catalog.text, n.key,
          NULL::pg_catalog.text, runner.stamp(), ''INSERT''::pg_catalog.text, ''public''::pg_catalog.text
      UNION ALL
        SELECT n.lane, runner.draw(n.lane), ''audit''::pg_catalog.text, n.key
    ';$d$),
      ('public', 't', 'runner_notify_push-it', $d$CREATE TRIGGER "runner_notify_push-it" AFTER INSERT ON "public"."t"
    FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger('push-it');$d$);
    """#

  private func database() async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE SCHEMA runner;
      CREATE TABLE runner.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
      """)
    for migration in Migrator.all where migration.name < "runner/0006" {
      try await connection.script(migration.sql)
      _ = try await connection.query("INSERT INTO runner.migrations (name) VALUES (\(migration.name))")
    }
    try await connection.script(Self.earlier)
    return connection
  }

  private func migrate(_ connection: Connection, _ functions: String...) async throws -> Migrator.Report {
    let entries = functions.map { #""\#($0)": {"triggers": [{"table": "t", "events": ["INSERT"]}]}"# }
    return try await Migrator(database: connection)
      .migrate(CapturingDatabase.manifest(entries.joined(separator: ",")))
  }

  @Test func itsTriggersAreTheDefaultBundlesAndTheirFunctionsAreKnown() async throws {
    let connection = try await database()

    let error = await #expect(throws: MigrationError.self) { try await migrate(connection, "vote-cast") }
    let report = try await migrate(connection, "vote-cast", "audit")

    #expect(error?.description.contains("makes events for audit, too") == true)
    #expect(report.migrations.first == "runner/0006_bundles")
    #expect(report.triggers == ["renewed trigger runner_insert on public.t"])
    #expect(report.notes.contains { $0.contains("runner_notify_push-it") && $0.contains("for push-it") })
    try await connection.script("INSERT INTO t VALUES (1)")
    let functions = try await connection.query("SELECT function FROM runner.events ORDER BY 1").decode(
      "function", as: String.self)
    #expect(functions == ["audit", "vote-cast"])
  }
}
