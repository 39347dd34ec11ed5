import Foundation
import FunctionKit
import Postgres
import RunnerTestSupport
import Synchronization
import System
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The promise from 1.0 on: every later version brings its database over, also beside its runner and its app.
@Suite(.heavy)
struct ReleasedDatabaseTests {
  @Test(.enabled(if: Environment.current()["DATABASE"] == "write")) func isWritten() async throws {
    try await ReleasedDatabase.write()
  }

  @Test func everyTableHasRows() async throws {
    let database = try await ReleasedDatabase()

    var empty: [String] = []
    for table in try await database.tables()
    where try await database.connection.query("SELECT FROM \(unescaped: table) LIMIT 1").isEmpty { empty.append(table) }

    #expect(try await database.tables().count > 50)
    // Those of later versions are not there before these migrate.
    #expect(empty.isEmpty)
  }

  @Test func whatWasThereStaysAndGoesOn() async throws {
    let database = try await ReleasedDatabase()
    try await database.copyRows()
    let (manifest, before) = (try ReleasedDatabase.manifest(), try await database.figures())
    let migrator = Migrator(database: database.connection)

    _ = try await migrator.migrate(manifest)

    #expect(try await database.changedTables().isEmpty)
    #expect(try await database.figures() == before && before.count > 40)
    #expect(try await !migrator.check(manifest).isBehind)
    #expect(try await migrator.plan(manifest, prunes: false).isEmpty)
    #expect(try await ShapeDifferences(from: manifest, in: database.connection).lines().isEmpty)
    try await database.connection.script(
      "TRUNCATE runner.events; INSERT INTO votes (user_id, feedback_id) SELECT 'somebody', id FROM feedbacks LIMIT 1")
    let told = try await database.connection.query("SELECT function, record ->> 'user_id' AS who FROM runner.events")
      .only()
    #expect(told["function"] == "vote-cast" && told["who"] == "somebody")
  }

  @Test(
    arguments: [
      "notification_mutes", "unread_checks", "unread_settings", "live_activities", "activity_settings",
      "activity_channels", "activity_facts",
    ])
  func aTableOfTheAppsOwnIsNotTakenOver(_ name: String) async throws {
    let database = try await ReleasedDatabase()
    try await database.connection.script("CREATE TABLE \(name) (person text, muted_until timestamptz)")

    var refusal = ""
    do {
      _ = try await Migrator(database: database.connection).migrate(ReleasedDatabase.manifest())
    } catch { refusal = String(describing: error) }

    #expect(refusal.contains("\(name) is the app's own table"), "\(refusal)")
    let table = try await database.connection.query(
      """
      SELECT relrowsecurity OR relhastriggers AS is_changed FROM pg_class WHERE oid = \(name)::regclass
      """)
    #expect(try table.only().decode("is_changed") == false)
  }

  /// A migration that a version after this one may have beside runners of 1.0: `-- Compatible`.
  private static let later = """
    -- Compatible
    ALTER TABLE votes ADD COLUMN later integer;
    ALTER TABLE notifications ADD COLUMN later text NOT NULL DEFAULT '';
    CREATE INDEX IF NOT EXISTS idx_votes_later ON votes (later);
    UPDATE votes SET later = 1;
    """

  /// The migrations of today and one more.
  private func laterManifest(_ project: TemporaryDirectory) throws -> Manifest {
    try FileManager.default.copyItem(atPath: Schema.folder, toPath: "\(project.path)/apps")
    try project.write(Self.later, to: "apps/9000_later.sql")
    return try ReleasedDatabase.manifest("\(project.path)/apps")
  }

  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  /// As the app does.
  private func write(_ number: Int, into database: ReleasedDatabase) async throws {
    let app = database.connection.another(statementTimeout: .seconds(60))
    for n in 0..<number {
      let written = try await app.query(
        "INSERT INTO votes (user_id, feedback_id) SELECT \("load-\(n)"), id FROM feedbacks LIMIT 1 RETURNING id")
      #expect(written.count == 1)
    }
    await app.close()
  }

  @Test func itIsBroughtOverUnderLoadBesideItsRunner() async throws {
    let (database, project) = (try await ReleasedDatabase(), try TemporaryDirectory())
    let manifest = try laterManifest(project)
    let runner = try await ReleasedRunner(database.url)
    let first = try await runner.turn()
    let number = 400
    async let writing: Void = write(number, into: database)
    let migrating = Task { try await Migrator(database: database.connection).migrate(manifest) }
    let isOver = Flag()
    let turning = Task {
      var leases: [[Int: Int64]] = []
      while !isOver.value.withLock({ $0 }) { leases.append(try await runner.turn().lease) }
      while try await runner.turn().settled > 0 {}
      return leases
    }

    let report = try await migrating.value
    try await writing
    isOver.value.withLock { $0 = true }
    let turns = try await turning.value

    #expect(report.migrations.contains("apps/9000_later"))
    // It lost no partition, and none changed hands.
    #expect(turns.allSatisfy { $0 == first.lease } && !turns.isEmpty)
    let row = try await database.connection.query(
      """
      SELECT count(*) AS ended, count(DISTINCT (h.partition, h.id)) AS events, (
          SELECT count(*) FROM runner.events) AS waiting, (
          SELECT count(*) FROM votes AS v WHERE starts_with(v.user_id, 'load-')) AS votes, (
          SELECT count(DISTINCT p.record ->> 'user_id') FROM (
            SELECT record FROM runner.payloads UNION ALL SELECT record FROM runner.retries) AS p
          WHERE starts_with(p.record ->> 'user_id', 'load-')) AS told
      FROM runner.history AS h JOIN (
        SELECT partition, id, record FROM runner.payloads UNION ALL SELECT partition, id, record FROM runner.retries
      ) AS e USING (partition, id)
      WHERE h.function = 'vote-cast' AND starts_with(e.record ->> 'user_id', 'load-')
      """
    ).only()
    let figures = ["ended", "events", "votes", "told"].map { row[$0] }
    #expect(figures == Array(repeating: "\(number)", count: 4) && row["waiting"] == "0")
    try await runner.leave()
  }
}
