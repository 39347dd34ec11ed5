import Postgres
import TestSupport
import Testing

@testable import Capture

/// An index that was made before a migration which then failed.
@Suite(.heavy)
struct EarlyIndexTests {
  private static let index = "runner_early_idx_users_email_lower"

  /// FeedbackKit's database with many people, as it was and as such a migration leaves it.
  private func failed() async throws -> (scene: RemovalScene, before: [String]) {
    let scene = try await RemovalScene(.feedbackKit)
    try await scene.connection.script(
      "INSERT INTO users (email, name) SELECT n || '@example.com', repeat('x', 200) FROM generate_series(1, 10000) AS n"
    )
    let before = try await scene.dump()
    try await scene.connection.script("CREATE FUNCTION push_now() RETURNS integer LANGUAGE sql RETURN 1")
    await #expect(throws: MigrationError.self) { try await scene.migrate() }
    try await scene.connection.script("DROP FUNCTION push_now()")
    #expect(try await scene.isThere(Self.index))
    return (scene, before)
  }

  @Test func removingTakesItAndNothingElse() async throws {
    let (scene, before) = try await failed()
    let plan = try await scene.plan()

    let report = try await scene.remove()

    #expect(plan.statements.contains("DROP INDEX public.\(Self.index);"))
    #expect(plan.statements.count == report.statements + 3)
    #expect(plan.kept.isEmpty && plan.lost.isEmpty, "\(plan)")
    #expect(try await scene.dump() == before)
    #expect(try await scene.plan().statements.isEmpty)
  }

  @Test func theNextMigrationTakesItOverAndItGoesWithIt() async throws {
    let (scene, before) = try await failed()
    let number = "SELECT 'idx_users_email_lower'::regclass::oid::text AS number"
    let made: String = try await scene.connection.query(
      "SELECT \(Self.index)::regclass::oid::text AS number"
    ).only().decode("number")

    try await scene.migrate()

    #expect(try await scene.connection.query(SQL(unescaped: number)).only().decode("number") == made)
    #expect(try await !scene.isThere(Self.index))
    #expect(try await scene.remove().left.isEmpty)
    #expect(try await scene.dump() == before)
  }

  @Test func whereTheAppHasMadeOneOfItsNameMeanwhileThatStays() async throws {
    let (scene, _) = try await failed()
    try await scene.connection.script("CREATE INDEX idx_users_email_lower ON users (lower(email))")
    // Each thing stands in the dump under a comment of three lines.
    let before = try await scene.dump().filter { !$0.contains("runner_early_") && $0 != "--" }

    try await scene.migrate()

    #expect(try await !scene.isThere(Self.index))
    #expect(try await scene.remove().left.isEmpty)
    #expect(try await scene.dump().filter { $0 != "--" } == before)
  }

  /// It would be one of days, which such a time has not by itself: the migration gives it a zone first.
  @Test func onATimeWithoutAZoneItIsLeftToItsMigration() async throws {
    let scene = try await RemovalScene(.lockItIn)
    try await scene.connection.script(
      """
      INSERT INTO notifications (user_id, type, title, body, project)
      SELECT owner_id, 'x', 'x', repeat('x', 200), id FROM projects, generate_series(1, 10000)
      """)
    let before = try await scene.dump()
    let large = try await Migrator(database: scene.connection).largeIndexes(
      SchemaMigration.all(of: RemovalScene.manifest()))
    #expect(large.contains { $0.name == "idx_notifications_day" })

    try await scene.migrate()

    #expect(try await isValid("idx_notifications_day", scene))
    #expect(try await earlyOnes(scene) == [])
    #expect(try await scene.remove().left.isEmpty)
    #expect(try await scene.dump() == before)
  }

  /// Its table may have become small meanwhile, and then the migration makes its own.
  @Test func oneThatIsUnfinishedIsNotTakenOver() async throws {
    let scene = try await RemovalScene(.feedbackKit)
    let before = try await scene.dump()
    // This leaves the index as a session does that was stopped on the way.
    await #expect(throws: PostgresError.self) {
      try await scene.connection.script("CREATE UNIQUE INDEX CONCURRENTLY \(Self.index) ON users (left(email, 0))")
    }
    let plan = try await Migrator(database: scene.connection).plan(RemovalScene.manifest(), prunes: false)
    #expect(plan.first?.sql.hasSuffix("\nDROP INDEX IF EXISTS \(Self.index);") == true, "\(plan.map(\.name))")

    try await scene.migrate()

    #expect(try await isValid("idx_users_email_lower", scene))
    #expect(try await earlyOnes(scene) == [])
    #expect(try await scene.remove().left.isEmpty)
    #expect(try await scene.dump() == before)
  }

  private func isValid(_ index: String, _ scene: RemovalScene) async throws -> Bool {
    try await scene.connection.query(
      "SELECT FROM pg_index WHERE indexrelid = to_regclass(\(index)) AND indisvalid"
    ).count == 1
  }

  private func earlyOnes(_ scene: RemovalScene) async throws -> [String] {
    try await scene.connection.query("SELECT relname::text AS name FROM pg_class WHERE relname LIKE 'runner_early_%'")
      .decode("name")
  }
}
