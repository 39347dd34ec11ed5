import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The plan of a migration, and the steps that it takes before it keeps anybody from writing.
@Suite(.heavy)
struct MigrationPlanTests {
  private func manifest() throws -> Manifest {
    try CapturingDatabase.manifest(
      #""vote-cast": {"triggers": [{"table": "votes", "events": ["INSERT"]}]}"#, #""defaultApp": "feedbackkit","#)
  }

  /// FeedbackKit's tables before pushes, with more people than fit in a megabyte.
  private func database(people: Int) async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      \(Schema.feedbackKitTables)
      INSERT INTO users (email, name) SELECT n || '@example.com', repeat('x', 200) FROM generate_series(1, \(people)) AS n;
      """)
    return connection
  }

  private func isValid(_ index: String, _ connection: Connection) async throws -> Bool {
    try await connection.query(
      "SELECT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(\(index))), false) AS yes"
    ).only().decode("yes")
  }

  @Test(arguments: [10, 10_000]) func whatItPrintsIsWhatHasToBeRun(people: Int) async throws {
    let connection = try await database(people: people)
    let migrator = Migrator(database: connection)

    let plan = try await migrator.plan(manifest(), prunes: false)

    #expect(try await connection.query("SELECT to_regnamespace('runner') AS runner").only()["runner"] == nil)
    #expect((plan.first?.name == "the index idx_users_email_lower, before the transaction") == (people > 10))
    #expect(plan.map(\.name).contains("apps/1004_devices"))
    #expect(plan.last?.name == "the triggers on public.votes: they are shown when the tables are there")
    for part in plan { try await connection.script(part.sql) }
    let rest = try await migrator.plan(manifest(), prunes: false)
    #expect(!rest.isEmpty && rest.allSatisfy { $0.name.hasPrefix("trigger ") })
    let report = try await migrator.migrate(manifest())
    #expect(report.migrations.isEmpty && report.defaults.isEmpty && report.triggers.count == rest.count)
    #expect(try await migrator.plan(manifest(), prunes: false).isEmpty)
  }

  @Test func anIndexOfALargeTableIsMadeWhileItIsWrittenTo() async throws {
    let connection = try await database(people: 10_000)
    // This leaves the index as a session does that was stopped on the way.
    await #expect(throws: PostgresError.self) {
      try await connection.script("CREATE UNIQUE INDEX CONCURRENTLY idx_users_email_lower ON users (left(email, 1))")
    }
    #expect(try await !isValid("idx_users_email_lower", connection))

    let migrator = Migrator(database: connection)
    _ = try await migrator.makeLargeIndexes(await SchemaMigration.all(of: manifest()))

    let index = "runner_early_idx_users_email_lower"
    #expect(try await isValid(index, connection))
    #expect(try await migrator.largeIndexes(await SchemaMigration.all(of: manifest())).isEmpty)
    let definition = try await connection.query("SELECT pg_get_indexdef(\(index)::regclass) AS said").only()
    #expect(definition["said"]?.hasSuffix("(lower(email))") == true)
  }

  @Test(arguments: [" ON votes (at)", "\n  ON votes (at)", " ON votes (at)\n  WHERE at > 0"])
  func anIndexIsMadeEarlyWhereverItsLinesEnd(rest: String) throws {
    let migration = SchemaMigration(
      name: "shop/0002_index", sql: "-- Compatible\nCREATE INDEX IF NOT EXISTS idx_votes_at\(rest);\n")

    let index = try #require(LargeIndex.all(of: migration).first)

    #expect(index.name == "idx_votes_at" && index.table == "votes")
    #expect(index.sql == "CREATE INDEX CONCURRENTLY IF NOT EXISTS runner_early_idx_votes_at\(rest);")
  }

  @Test func eachIndexThatIsMadeEarlyIsMadeWhileItsTableIsWrittenTo() async throws {
    let indexes = try await SchemaMigration.all(of: manifest()).flatMap(LargeIndex.all)

    #expect(indexes.count > 20)
    for index in indexes {
      #expect(index.sql.contains("INDEX CONCURRENTLY IF NOT EXISTS \(index.earlyName)"), "\(index.name)")
    }
  }
}
