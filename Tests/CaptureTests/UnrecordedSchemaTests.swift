import Postgres
import RunnerTestSupport
import System
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Databases that have the tables and not the record of their migrations, as after a dump without rows.
@Suite(.heavy)
struct UnrecordedSchemaTests {
  /// The remains of a migrated database after `pg_dump --schema-only`.
  private static let emptied = """
    DO $$ BEGIN EXECUTE (SELECT 'TRUNCATE ' || string_agg(c.oid::regclass::text, ', ') FROM pg_class AS c
      WHERE relnamespace = 'runner'::regnamespace AND relkind IN ('r', 'p')); END $$;
    """

  private func error(_ act: () async throws -> some Any) async -> String {
    do { _ = try await act() } catch let error as MigrationError { return error.description } catch {
      return "\(error)"
    }
    return ""
  }

  @Test(arguments: ["", "DROP TABLE runner.migrations"])
  func whatWasFoundAndTheWayOutAreSaid(_ more: String) async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v text)")
    let manifest = try CapturingDatabase.manifest(CapturingDatabase.everything)
    try await database.connection.script(Self.emptied + more)
    let migrator = Migrator(database: database.connection)

    let said = [
      await error { try await migrator.migrate(manifest) }, await error { try await migrator.check(manifest) },
      await error { try await migrator.plan(manifest, prunes: false) },
    ]

    for sentence in said {
      #expect(sentence.contains("no record of the migrations") && sentence.contains("All of them are empty"))
      #expect(sentence.contains("DROP SCHEMA runner CASCADE"))
    }
    try await database.connection.script("DROP SCHEMA runner CASCADE")
    try await database.migrate()
    try await database.connection.script("INSERT INTO t VALUES (1, 'a')")
    #expect(try await database.events() == ["INSERT ->a"])
  }

  @Test func rowsThatAreThereAreNotGivenUp() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    try await database.connection.script(
      Self.emptied
        + "INSERT INTO runner.events (partition, id, function, type, data, at) VALUES (0, 1, 'f', 't', '1', now())")

    let said = await error { try await database.migrate() }

    #expect(said.contains("There are rows in runner.events") && !said.contains("empty"), "\(said)")
    #expect(try await database.connection.query("SELECT FROM runner.events").count == 1)
  }

  @Test(arguments: [
    "CREATE TABLE orders (id int)", "CREATE SCHEMA orders", "CREATE FUNCTION orders() RETURNS int RETURN 1",
    "CREATE TYPE orders AS ENUM ()",
  ])
  func aFolderWithoutItsRecordsIsNamed(_ migration: String) async throws {
    let project = try TemporaryDirectory()
    try Folder.make("\(project.path)/shop", mode: 0o700)
    try project.write(migration, to: "shop/0001_orders.sql")
    let manifest = try Manifest(
      text: Array(#"{"migrations": ["shop"], "functions": {}}"#.utf8), file: "functions.json", directory: project.path)
    let connection = try await TemporaryPostgres.connection()
    _ = try await Migrator(database: connection).migrate(manifest)
    try await connection.script("DELETE FROM runner.migrations WHERE starts_with(name, 'shop/')")

    let said = await error { try await Migrator(database: connection).migrate(manifest) }

    #expect(said.contains("shop/0001_orders failed") && said.contains("runner.migrations does not say so"), "\(said)")
  }
}
