import Postgres
import RunnerTestSupport
import System
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// The folders of migrations that `functions.json` names.
@Suite(.heavy)
struct MigrationFolderTests {
  private let project: TemporaryDirectory

  init() throws { project = try TemporaryDirectory() }

  private func write(_ files: [String: String], to folder: String = "shop") throws {
    try Folder.make("\(project.path)/\(folder)", mode: 0o700)
    for (name, text) in files { try project.write(text, to: "\(folder)/\(name)") }
  }

  private func manifest(_ folders: String = #""shop""#) throws -> Manifest {
    let text = #"{"migrations": [\#(folders)], "functions": {}}"#
    return try Manifest(text: Array(text.utf8), file: "functions.json", directory: project.path)
  }

  @Test func runOnceEachInTheOrderOfTheirNumbers() async throws {
    try write([
      "0002_rows.sql": "INSERT INTO orders VALUES (1)", "0001_orders.sql": "CREATE TABLE orders (id int)",
      "README.md": "No migration.",
    ])
    let connection = try await TemporaryPostgres.connection()
    let migrator = Migrator(database: connection)

    let first = try await migrator.migrate(manifest())
    try write(["0003_more.sql": "INSERT INTO orders VALUES (2)"])
    let second = try await migrator.migrate(manifest())

    #expect(first.migrations.suffix(2) == ["shop/0001_orders", "shop/0002_rows"])
    #expect(second.migrations == ["shop/0003_more"])
    #expect(try await connection.query("SELECT count(*) AS n FROM orders").only().decode("n", as: Int.self) == 2)
  }

  @Test func linesMayEndByTwoBytes() async throws {
    let text = "-- Compatible\n-- Keeps: bills\nCREATE TABLE IF NOT EXISTS orders (\n  id int,\n  at date\n);\n"
    try write(["0001_orders.sql": text.replacing("\n", with: "\r\n")])

    let migration = try #require(try await SchemaMigration.all(of: manifest()).last)

    #expect(migration.sql == text && migration.compatibility == .all && migration.kept == ["bills"])
    #expect(SchemaShape(of: [migration]).tables["orders"]?.map(\.type) == ["int", "date"])
  }

  @Test func whichVersionsMayGoOnIsRecorded() async throws {
    try write([
      "0001_orders.sql": "CREATE TABLE orders (id int, old int)",
      "0002_wider.sql": "-- Compatible\nALTER TABLE orders ADD COLUMN new int",
      "0003_narrower.sql": "-- Compatible since 0002_wider\nALTER TABLE orders DROP COLUMN old",
    ])
    let connection = try await TemporaryPostgres.connection()

    _ = try await Migrator(database: connection).migrate(manifest())

    let rows = try await connection.query(
      """
      SELECT concat_ws(' ', name, breaks_older, compatible_since) AS line FROM runner.migrations
      WHERE name LIKE 'shop/%' ORDER BY name
      """)
    #expect(
      rows.map { $0["line"] } == ["shop/0001_orders t", "shop/0002_wider f", "shop/0003_narrower t shop/0002_wider"])
  }

  @Test(arguments: ["0003_narrower", "0002_gone", "0004_later"])
  func aMigrationIsCompatibleSinceAnEarlierOneOnly(_ name: String) async throws {
    try write([
      "0001_orders.sql": "CREATE TABLE orders (id int)", "0003_narrower.sql": "-- Compatible since \(name)\nSELECT 1",
      "0004_later.sql": "SELECT 1",
    ])
    let connection = try await TemporaryPostgres.connection()

    let error = await #expect(throws: MigrationError.self) {
      try await Migrator(database: connection).migrate(manifest())
    }

    #expect(error?.description.contains("shop/\(name), which is no migration before it") == true)
  }

  @Test func anIndexOfALargeTableWaitsForTheColumnThatItsMigrationMakes() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script(
      "CREATE TABLE orders (id int, body text); INSERT INTO orders SELECT n, repeat('x', 200) FROM generate_series(1, 10000) AS n"
    )
    try write([
      "0001_orders.sql": """
      CREATE TABLE IF NOT EXISTS orders (
        id int
      );
      ALTER TABLE orders ADD COLUMN note text;
      CREATE INDEX IF NOT EXISTS orders_note ON orders (note);
      CREATE INDEX IF NOT EXISTS orders_id ON orders (id, upper(note)); -- for lists
      CREATE INDEX IF NOT EXISTS orders_both ON orders (id, upper(note));
      """
    ])

    let report = try await Migrator(database: connection).migrate(manifest())

    #expect(report.migrations.last == "shop/0001_orders")
    let indexes = try await connection.query(
      "SELECT relname FROM pg_class WHERE relkind = 'i' AND starts_with(relname, 'orders_') ORDER BY 1")
    #expect(try indexes.decode("relname") == ["orders_both", "orders_id", "orders_note"])
  }

  @Test func ordinaryTablesAreLookedAtAndNothingIsAskedOfThem() async throws {
    try write([
      "0001_orders.sql": """
      CREATE TABLE IF NOT EXISTS orders (
        id bigserial PRIMARY KEY,
        total numeric(10, 2) NOT NULL,
        at timestamp with time zone NOT NULL DEFAULT now()
      );
      """
    ])
    let connection = try await TemporaryPostgres.connection()
    _ = try await Migrator(database: connection).migrate(manifest())

    #expect(try await ShapeDifferences(from: manifest(), in: connection).lines() == [])
    try await connection.script("ALTER TABLE orders DROP COLUMN total")
    #expect(
      try await ShapeDifferences(from: manifest(), in: connection).lines() == ["orders has no column total (numeric)"])
  }

  @Test func thoseOfAnotherBundleAreNotOfALaterVersion() async throws {
    try write(["0001_orders.sql": "CREATE TABLE orders (id int)"])
    try write(["0001_bills.sql": "CREATE TABLE bills (id int)"], to: "accounts")
    let connection = try await TemporaryPostgres.connection()
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(manifest())

    let report = try await migrator.migrate(manifest(#""accounts""#))

    #expect(report.migrations == ["accounts/0001_bills"])
    #expect(report.notes.isEmpty)
    #expect(try await !migrator.check(manifest(#""shop", "accounts""#)).isBehind)
  }

  @Test func oneOfTheSameFolderThatIsUnknownIsOfALaterVersion() async throws {
    try write(["0001_orders.sql": "CREATE TABLE orders (id int)"])
    let connection = try await TemporaryPostgres.connection()
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(manifest())
    try await connection.script("INSERT INTO runner.migrations (name) VALUES ('shop/0002_later')")

    let error = await #expect(throws: MigrationError.self) { try await migrator.migrate(manifest()) }

    #expect(error?.description.contains("shop/0002_later") == true)
  }

  @Test(arguments: [
    ([:], "has no .sql files, or cannot be read"), (["orders.sql": ""], "orders.sql is not named like a migration"),
    (["0001_a.sql": "", "0001_b.sql": ""], "have the number 0001"),
    (["0001_a.sql": String(repeating: " ", count: 1 << 20)], "1 MiB or more"),
  ])
  func whatIsNoMigrationIsNamed(files: [String: String], sentence: String) async throws {
    try write(files)

    let error = await #expect(throws: MigrationError.self) { try await SchemaMigration.all(of: manifest()) }

    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
  }
}
