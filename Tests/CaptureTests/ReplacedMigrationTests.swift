import FoundationEssentials
import Postgres
import RunnerTestSupport
import System
import TestSupport
import Testing

@testable import Capture
@testable import Manifest

/// Migrations that were put together into fewer files, and databases that have had the earlier ones.
@Suite(.heavy)
struct ReplacedMigrationTests {
  private let project: TemporaryDirectory
  private let folder: String

  init() throws {
    project = try TemporaryDirectory()
    folder = "\(project.path)/shop"
    try Folder.make(folder, mode: 0o700)
    try project.write("CREATE TABLE orders (id int)", to: "shop/0001_orders.sql")
  }

  private func shop() throws -> Manifest {
    let text = #"{"migrations": ["shop"], "functions": {}}"#
    return try Manifest(text: Array(text.utf8), file: "functions.json", directory: project.path)
  }

  /// A database with the first migrations, as many as are given.
  private func database(_ more: [String]) async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    for (place, sql) in more.enumerated() { try project.write(sql, to: "shop/000\(place + 2)_more.sql") }
    _ = try await Migrator(database: connection).migrate(shop())
    try await connection.script("INSERT INTO orders (id) VALUES (7)")
    return connection
  }

  /// Two files in the place of three; each fails where its table is there already.
  private func putTogether() throws {
    for name in Folder.names(in: folder) { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
    try project.write(
      "-- Replaces: 0001_orders, 0002_more\n-- What is bought.\nCREATE TABLE orders (id int, total int)",
      to: "shop/0001_all_orders.sql")
    try project.write("-- Replaces: 0003_more\nCREATE TABLE bills (id int)", to: "shop/0002_bills.sql")
  }

  private static let later = ["ALTER TABLE orders ADD total int", "CREATE TABLE bills (id int)"]

  private func names(_ connection: Connection) async throws -> [String] {
    try await connection.query("SELECT name FROM runner.migrations WHERE starts_with(name, 'shop/') ORDER BY 1").decode(
      "name")
  }

  @Test func whatHasRunIsRecordedAndNothingIsExecuted() async throws {
    let connection = try await database(Self.later)
    try putTogether()
    try project.write("INSERT INTO bills VALUES (1)", to: "shop/0003_rows.sql")
    let migrator = Migrator(database: connection)

    let plan = try await migrator.plan(shop(), prunes: false)
    let unmigrated = await #expect(throws: MigrationError.self) { try await migrator.check(shop()) }
    let report = try await migrator.migrate(shop())

    #expect(plan.map(\.name) == ["the records of what the version before this one has done", "shop/0003_rows"])
    #expect(unmigrated?.description.contains("shop/0003_rows") == true)
    #expect(report.recorded == ["shop/0001_all_orders", "shop/0002_bills"])
    #expect(report.migrations == ["shop/0003_rows"])
    #expect(try await names(connection) == ["shop/0001_all_orders", "shop/0002_bills", "shop/0003_rows"])
    #expect(try await connection.query("SELECT id FROM orders").decode("id", as: Int.self) == [7])
    let again = try await migrator.migrate(shop())
    #expect(again.recorded.isEmpty && again.migrations.isEmpty)
    #expect(try await !migrator.check(shop()).isBehind)
  }

  @Test func thePlanOfTheRecordsIsWhatHasToBeRun() async throws {
    let connection = try await database(Self.later)
    try putTogether()
    let migrator = Migrator(database: connection)

    let refused = await #expect(throws: MigrationError.self) { try await migrator.check(shop()) }
    for part in try await migrator.plan(shop(), prunes: false) { try await connection.script(part.sql) }

    #expect(refused?.description.contains("names its migrations as the version before this one does") == true)
    #expect(try await names(connection) == ["shop/0001_all_orders", "shop/0002_bills"])
    #expect(try await migrator.plan(shop(), prunes: false).isEmpty)
  }

  @Test(arguments: [0, 1]) func aDatabaseThatHasOnlySomeIsRefusedAndLeftAlone(count: Int) async throws {
    let connection = try await database(Array(Self.later.prefix(count)))
    try putTogether()
    let migrator = Migrator(database: connection)
    let before = try await names(connection)

    for work in [
      { _ = try await migrator.migrate(shop()) }, { _ = try await migrator.check(shop()) },
      { _ = try await migrator.plan(shop(), prunes: false) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: MigrationError.self) { try await work() }
      let rest = ["0001_orders, and lack 2, the first of them shop/0002_more.", "0002_more, and lack shop/0003_more."]
      #expect(error?.description.contains("they have the migrations up to shop/\(rest[count])") == true)
      #expect(error?.description.contains("This version starts after shop/0003_more.") == true)
      #expect(error?.description.contains("\"runner migrate\" of the version before this one") == true)
    }
    #expect(try await names(connection) == before)
  }

  @Test func aNewDatabaseRunsThem() async throws {
    try putTogether()
    let connection = try await TemporaryPostgres.connection()

    let report = try await Migrator(database: connection).migrate(shop())

    #expect(report.migrations.suffix(2) == ["shop/0001_all_orders", "shop/0002_bills"])
    #expect(report.recorded.isEmpty)
  }

  @Test func aFileThatIsReplacedMustBeGone() async throws {
    try project.write("-- Replaces: 0001_orders\n", to: "shop/0002_orders.sql")

    let error = await #expect(throws: MigrationError.self) { try await SchemaMigration.all(of: shop()) }

    #expect(error?.description == "shop/0002_orders replaces shop/0001_orders, which is there still.")
  }

  /// The files of this repository: their tables, their rows and the transactions that wrote these stay as they are.
  @Test func aDatabaseOfThisRepositorysEarlierVersionIsBroughtOver() async throws {
    let connection = try await TemporaryPostgres.connection()
    let manifest = try CapturingDatabase.manifest("")
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(manifest)
    let migrations = try await SchemaMigration.all(of: manifest)
    let (replacing, later) = (migrations.filter { !$0.replaced.isEmpty }, migrations.filter(\.replaced.isEmpty))
    let recorded = migrations.flatMap(\.replaced) + later.map(\.name)
    try await connection.script(
      """
      INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada');
      SELECT runner.enqueue('f', 'k', 'e', '/s', 't', '1');
      DELETE FROM runner.migrations;
      INSERT INTO runner.migrations (name)
      VALUES \(recorded.map { "(\(literal($0)))" }.joined(separator: ", "));
      """)
    let state: SQL = """
      SELECT (SELECT array_agg(c.oid || ' ' || c.xmin || ' ' || relfilenode ORDER BY c.oid) FROM pg_class AS c)::text
        || (SELECT array_agg(p.oid || ' ' || p.xmin ORDER BY p.oid) FROM pg_proc AS p)::text
        || (SELECT xmin || ' ' || id FROM users) || (SELECT xmin || ' ' || id FROM runner.events) AS state
      """
    let before = try await connection.query(state).only()["state"]

    let report = try await migrator.migrate(manifest)

    #expect(Set(report.recorded) == Set(replacing.map(\.name)) && report.migrations.isEmpty && report.triggers.isEmpty)
    #expect(migrations.flatMap(\.replaced).count == 43)
    #expect(try await connection.query(state).only()["state"] == before)
    let names = try await connection.query("SELECT name FROM runner.migrations").decode("name", as: String.self)
    #expect(Set(names) == Set(migrations.map(\.name)))
  }
}
