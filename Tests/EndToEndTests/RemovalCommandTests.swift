import Postgres
import TestSupport
import Testing

/// `runner migrate --remove` as a person and a script give it.
@Suite(.heavy)
struct RemovalCommandTests {
  @Test func asksNamesAndRemoves() async throws {
    let runner = try await RunningRunner(#"{"migrations": ["shop"], "functions": {}}"#)
    _ = try await BuiltExecutables.run("/bin/mkdir", ["-p", "\(runner.project.path)/shop"])
    try runner.project.write("CREATE TABLE orders (id int)", to: "shop/0001_orders.sql")
    #expect(try await runner.run(["migrate", "--remove"]).stdout.contains("Nothing to remove"))
    #expect(try await runner.run(["migrate"]).exit == 0)
    try await runner.database.script("INSERT INTO orders VALUES (1)")

    let plan = try await runner.run(["migrate", "--remove", "--plan"])
    #expect(plan.exit == 0)
    #expect(plan.stdout.contains("-- lost: public.orders: 1 row") && plan.stdout.contains("DROP SCHEMA runner;"))
    let unasked = try await runner.run(["migrate", "--remove"])
    #expect(unasked.exit == 64)
    #expect(unasked.stderr.contains("public.orders: 1 row: say --yes"))
    for words in [["--yes"], ["--force"], ["--remove", "--prune"], ["--remove", "--check"]] {
      #expect(try await runner.run(["migrate"] + words).exit == 64, "\(words)")
    }
    #expect(try await runner.database.query("SELECT FROM orders").count == 1)

    let removed = try await runner.run(["migrate", "--remove", "--yes"])
    #expect(removed.exit == 0, "\(removed.stderr)")
    #expect(removed.stdout.contains("lost: public.orders: 1 row"))
    #expect(try await runner.database.query("SELECT to_regclass('orders') AS t").only()["t"] == nil)
    let again = try await runner.run(["migrate", "--remove", "--yes"])
    #expect(again.exit == 0 && again.stdout.contains("Nothing to remove"))
    #expect(try await runner.run(["migrate"]).exit == 0)
  }
}
