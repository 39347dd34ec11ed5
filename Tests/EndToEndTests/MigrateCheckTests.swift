import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner migrate --check`, which a deployment runs before anything else.
@Suite(.heavy)
struct MigrateCheckTests {
  @Test func saysWhatIsToBeDoneAndWhetherRunnersMayGoOn() async throws {
    let runner = try await RunningRunner(#"{"migrations": ["shop"], "functions": {}}"#)
    func write(_ name: String, _ text: String) async throws {
      _ = try await BuiltExecutables.run("/bin/mkdir", ["-p", "\(runner.project.path)/shop"])
      try runner.project.write(text, to: "shop/\(name).sql")
    }
    try await write("0001_orders", "CREATE TABLE orders (id int, old int)")
    let new = try await runner.run(["migrate", "--check"])
    #expect(new.exit == 75)
    #expect(new.stdout == "The database was never migrated, so no runner uses it: run \"runner migrate\".\n")
    #expect(try await runner.database.query("SELECT FROM pg_namespace WHERE nspname = 'runner'").isEmpty)
    #expect(try await runner.run(["migrate"]).exit == 0)
    let nothing = try await runner.run(["migrate", "--check"])
    #expect(nothing.exit == 0)
    #expect(nothing.stdout.contains("Nothing to do"))

    try await write("0002_wider", "-- Compatible\nALTER TABLE orders ADD COLUMN new int")
    let wider = try await runner.run(["migrate", "--check"])
    #expect(wider.exit == 75)
    #expect(wider.stdout.contains("shop/0002_wider: runners of earlier versions may go on"))

    try await write("0003_narrower", "-- Compatible since 0002_wider\nALTER TABLE orders DROP COLUMN old")
    let narrower = try await runner.run(["migrate", "--check", "--json"])
    #expect(narrower.exit == 75)
    let steps = try RawJSON(validating: Array(narrower.stdout.utf8)[...]).elements ?? []
    #expect(steps.map { $0["olderRunners"]?.stringValue } == ["go on", "some go on"])
    #expect(steps.last?["since"]?.stringValue == "shop/0002_wider")

    try await write("0004_other", "ALTER TABLE orders RENAME TO sales")
    let breaking = try await runner.run(["migrate", "--check"])
    #expect(breaking.exit == 78)
    #expect(breaking.stdout.contains("shop/0004_other: runners of earlier versions have to end first"))
    #expect(try await runner.database.query("SELECT to_regclass('sales') AS t").only()["t"] == nil)
    #expect(try await runner.run(["migrate", "--check", "--plan"]).exit == 64)
  }
}
