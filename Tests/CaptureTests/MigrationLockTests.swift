import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The effect of a migration on an app that is in use.
@Suite(.heavy)
struct MigrationLockTests {
  /// FeedbackKit's tables before pushes, so that a migration has to change `users`.
  private func database() async throws -> String {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test")
    try await connection.script(Schema.feedbackKitTables)
    await connection.close()
    return url
  }

  private func migrator(_ url: String, timeLimit: Duration = .seconds(120)) -> Migrator {
    Migrator(database: Connection(url: url, applicationName: "migrate"), timeLimit: timeLimit)
  }

  private static var nothing: Manifest {
    get throws { try CapturingDatabase.manifest("") }
  }

  @Test func readersDoNotWaitForAMigrationThatWaitsForAnotherReader() async throws {
    let url = try await database()
    let (reader, app) = (
      Connection(url: url, applicationName: "reader"),
      Connection(url: url, applicationName: "app", statementTimeout: .seconds(10))
    )
    let migrator = migrator(url)
    let waiting: SQL = """
      EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'migrate' AND wait_event_type = 'Lock') AS yes
      """

    let migrating = try await reader.transaction { transaction in
      _ = try await transaction.query("SELECT FROM users")
      let migrating = Task { try await migrator.migrate(try Self.nothing) }
      for _ in 1...3 {
        while try await !app.query("SELECT \(waiting)").only().decode("yes", as: Bool.self) {
          _ = try await app.query("SELECT pg_sleep(0.01)")
        }
        // Without a limit it would wait for the reader, which waits for this.
        _ = try await app.query("SELECT FROM users")
      }
      return migrating
    }

    let report = try await migrating.value
    #expect(report.migrations.contains("apps/1004_devices"))
  }

  @Test func aTableThatStaysInUseIsGivenUpWithAReason() async throws {
    let url = try await database()
    let migrator = migrator(url, timeLimit: .seconds(1))
    let reader = Connection(url: url, applicationName: "reader")

    let error = try await reader.transaction { transaction in
      _ = try await transaction.query("SELECT FROM users")
      return await #expect(throws: MigrationError.self) { try await migrator.migrate(try Self.nothing) }
    }

    #expect(error?.description.contains("A table is in use") == true)
    #expect(try await reader.query("SELECT to_regclass('device_tokens') IS NULL AS yes").only()["yes"] == "t")
  }

  @Test func aMigrationThatFailsIsNamed() async throws {
    let url = try await database()
    let connection = Connection(url: url, applicationName: "test")
    try await connection.script("CREATE FUNCTION push_now() RETURNS integer LANGUAGE sql RETURN 1")

    let error = await #expect(throws: MigrationError.self) { try await migrator(url).migrate(try Self.nothing) }

    #expect(error?.description.contains("The migration apps/1001_feedbackkit failed") == true)
  }
}
