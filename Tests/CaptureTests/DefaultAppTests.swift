import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The app of rows that name none.
@Suite(.heavy)
struct DefaultAppTests {
  private func manifest(_ app: String) throws -> Manifest {
    try CapturingDatabase.manifest("", #""defaultApp": "\#(app)","#)
  }

  private func app(of table: String, _ row: String, _ connection: Connection) async throws -> String? {
    try await connection.query("INSERT INTO \(unescaped: table) \(unescaped: row) RETURNING app").only()["app"]
  }

  @Test func rowsFromBeforeAndRowsOfTheAppAreOfIt() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      """
      CREATE TABLE users (id uuid PRIMARY KEY, email text);
      CREATE TABLE notifications (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id), type text NOT NULL);
      INSERT INTO users VALUES ('a0000000-0000-4000-8000-000000000001');
      INSERT INTO notifications (user_id, type) SELECT id, 'like' FROM users;
      """)
    let migrator = Migrator(database: connection)

    let report = try await migrator.migrate(manifest("mugshot"))

    #expect(report.defaults == ["notifications", "device_tokens", "decisions"])
    #expect(try await connection.query("SELECT app FROM notifications").decode("app") == ["mugshot"])
    let person = "SELECT id, 'like', 'x' FROM users"
    #expect(try await app(of: "notifications", "(user_id, type, title) \(person)", connection) == "mugshot")
    let device = "SELECT id, 'token', 'iOS' FROM users"
    #expect(try await app(of: "device_tokens", "(user_id, token, platform) \(device)", connection) == "mugshot")
    #expect(try await migrator.migrate(manifest("mugshot")).defaults.isEmpty)
    #expect(try await !migrator.check(manifest("mugshot")).isBehind)
  }

  @Test func anotherOneIsSetByMigratingAgainAndNotByServing() async throws {
    let connection = try await TemporaryPostgres.connection()
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(CapturingDatabase.manifest(""))

    let error = await #expect(throws: MigrationError.self) { _ = try await migrator.check(manifest("lockitin")) }
    #expect(error?.description.contains("are not of lockitin") == true)

    #expect(
      try await migrator.migrate(manifest("lockitin")).defaults == ["notifications", "device_tokens", "decisions"])
    _ = try await migrator.check(manifest("lockitin"))
    // A `functions.json` that names no app leaves it.
    #expect(try await migrator.migrate(CapturingDatabase.manifest("")).defaults.isEmpty)
  }
}
