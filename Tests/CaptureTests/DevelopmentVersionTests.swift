import Postgres
import RunnerTestSupport
import System
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Databases of versions from before 1.0, which are refused with a way out.
@Suite(.heavy)
struct DevelopmentVersionTests {
  /// A database with rows, whose migrations have the names of such a version.
  private func database() async throws -> ReleasedDatabase {
    let database = try await ReleasedDatabase.filled()
    try await database.connection.script(
      """
      UPDATE runner.migrations SET name = 'runner/0' || substr(name, 9) WHERE starts_with(name, 'runner/1');
      UPDATE runner.migrations SET name = 'apps/0' || substr(name, 7) WHERE starts_with(name, 'apps/1');
      """)
    return database
  }

  private func refusal(_ database: ReleasedDatabase) async throws -> String {
    let (migrator, manifest) = (Migrator(database: database.connection), try ReleasedDatabase.manifest())
    var said: Set<String> = []
    for work in [
      { _ = try await migrator.migrate(manifest) }, { _ = try await migrator.check(manifest) },
      { _ = try await migrator.plan(manifest, prunes: false) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: MigrationError.self) { try await work() }
      said.insert(error?.description ?? "")
    }
    #expect(said.count == 1)
    return said.first ?? ""
  }

  @Test func whatToDoIsSaidAndNothingIsChanged() async throws {
    let database = try await database()
    try await database.copyRows()

    let sentence = try await refusal(database)

    #expect(sentence.hasPrefix("The database is of a version from before 1.0 (runner/0009_plain)"))
    #expect(!sentence.contains("runner reset"))
    #expect(sentence.contains(" -t device_tokens ") && sentence.contains(" -t notification_settings "))
    #expect(sentence.contains(" -t notification_actions_id_seq ") && !sentence.contains(" -t push_notification_logs "))
    #expect(try await database.changedTables().isEmpty)
  }

  @Test func theRunnersOwnDatabaseIsMadeAfresh() async throws {
    let migrator = Migrator(database: try await database().connection, isOwn: true)

    let error = await #expect(throws: MigrationError.self) {
      _ = try await migrator.migrate(ReleasedDatabase.manifest())
    }

    let sentence = error?.description ?? ""
    #expect(
      sentence.contains(#"does not bring over. It is the runner's own: "runner reset" deletes it"#), "\(sentence)")
    #expect(!sentence.contains("pg_dump"))
  }

  /// The steps of the sentence, one by one.
  @Test func theWayThatIsSaidBringsTheRowsOver() async throws {
    let (database, folder) = (try await database(), try TemporaryDirectory())
    let manifest = try ReleasedDatabase.manifest()
    let sentence = try await refusal(database)
    try await database.copyRows()
    // What only the runner knows is not kept, nor is the log, which has a table for each day.
    try await database.connection.script(
      "DELETE FROM copies.rows WHERE starts_with(place, 'runner.') OR place = 'push_notification_logs'")
    let kept = "\(folder.path)/kept.dump"
    let dump = try await BuiltExecutables.run(
      TemporaryPostgres.program("pg_dump"), ["-Fc", "-f", kept, "--dbname", database.url])
    #expect(dump.exit == 0, "\(dump.stderr)")

    _ = try await Remover(database: database.connection).remove(manifest, evenWaiting: true)
    _ = try await Migrator(database: database.connection).migrate(manifest)
    let words = sentence.split(separator: " ").map(String.init)
    let options = words.indices.filter { ["-n", "-t"].contains(words[$0]) }.flatMap { words[$0...($0 + 1)] }
    let restored = try await BuiltExecutables.run(
      TemporaryPostgres.program("pg_restore"), ["--data-only"] + options + ["-d", database.url, kept],
      environment: ["PGOPTIONS": "-c session_replication_role=replica"])

    #expect(restored.exit == 0, "\(restored.stderr)")
    #expect(try await database.changedTables().isEmpty)
    // Nobody is told again.
    let events: [String] = try await database.connection.query(
      "SELECT e::text AS event FROM runner.events AS e"
    ).decode("event")
    #expect(events.isEmpty, "\(events)")
    #expect(try await Migrator(database: database.connection).plan(manifest, prunes: false).isEmpty)
  }
}
