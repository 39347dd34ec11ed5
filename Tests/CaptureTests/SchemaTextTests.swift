import Capture
import FoundationEssentials
import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// The generated text of the schema.
@Suite(.heavy)
struct SchemaTextTests {
  private static let file = "\(Schema.project)/Shared/Schema/schema.sql"

  /// The text for a new database, and the server's version.
  private func generate() async throws -> (text: String, version: Int) {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    _ = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(""))
    let version: Int = try await connection.query("SELECT current_setting('server_version_num')::int / 10000 AS v")
      .only().decode("v")
    // The days of the log have other names each day.
    let dump = try await BuiltExecutables.run(
      TemporaryPostgres.program("pg_dump"),
      ["--schema-only", "--no-owner", "--exclude-table", "public.push_notification_logs_2*", "--dbname", url])
    #expect(dump.exit == 0, "\(dump.stderr)")
    return (SchemaText(dump: dump.stdout, version: version).text, version)
  }

  /// Each version of PostgreSQL writes it in another way: only the one that wrote the file is compared with it.
  @Test func theFileIsWhatTheMigrationsMake() async throws {
    let (text, version) = try await generate()
    if Environment.current()["SCHEMA"] == "write" { try Data(text.utf8).write(to: URL(filePath: Self.file)) }

    let present = String(decoding: FileManager.default.contents(atPath: Self.file) ?? Data(), as: UTF8.self)

    #expect(present.hasPrefix("-- The tables, views and functions"))
    guard present.hasPrefix(SchemaText.heading(version)) else { return }
    #expect(SchemaText.comparable(present) == SchemaText.comparable(text), "Run \"make schema\".")
  }

  @Test func eachTableHasItsPartsWithIt() async throws {
    let text = try await generate().text

    for table in ["runner.events", "public.notifications"] {
      let start = try #require(text.firstRange(of: "CREATE TABLE \(table) ("))
      let end = try #require(text[start.upperBound...].firstRange(of: "\n\n"))
      #expect(text[start.lowerBound..<end.lowerBound].contains("PRIMARY KEY"), "\(table)")
    }
  }
}
