import Postgres
import TestSupport
import Testing

/// The output of `runner migrate --plan`, as a person runs it.
@Suite(.heavy)
struct PrintedPlanTests {
  private static func isValid(_ index: String, _ runner: RunningRunner) async throws -> Bool {
    try await runner.database.query(
      "SELECT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(\(index))), false) AS yes"
    ).only().decode("yes")
  }

  /// With a large table, and with what is left of its index where `migrate` was stopped, or `psql` after the plan.
  @Test(
    arguments: [[], ["--single-transaction"]],
    [
      ("", false), ("idx_users_email_lower", false), ("runner_early_idx_users_email_lower", false),
      ("runner_early_idx_users_email_lower", true),
    ])
  func psqlRunsItOnAnAppsDatabase(options: [String], left: (index: String, isLate: Bool)) async throws {
    let runner = try await RunningRunner(
      #"{"apps": {"feedbackkit": {}}, "defaultApp": "feedbackkit", "functions": {}}"#, isMigrated: false)
    try await runner.database.script(
      """
      \(Schema.feedbackKitTables)
      INSERT INTO users (email, name) SELECT n || '@example.com', repeat('x', 200) FROM generate_series(1, 10000) AS n;
      """)
    let leaveIndex = {
      _ = await #expect(throws: PostgresError.self) {
        try await runner.database.script("CREATE UNIQUE INDEX CONCURRENTLY \(left.index) ON users (left(email, 1))")
      }
    }
    if !left.index.isEmpty, !left.isLate { await leaveIndex() }
    let plan = try await runner.run(["migrate", "--plan"])
    #expect(plan.stdout.contains("\n\n-- the index idx_users_email_lower, before the transaction"), "\(plan.stderr)")
    if left.isLate { await leaveIndex() }

    let file = try runner.project.write(plan.stdout, to: "plan.sql")
    let outcome = try await BuiltExecutables.run(
      "/usr/bin/psql", ["-Xqv", "ON_ERROR_STOP=1", runner.databaseURL, "-f", file] + options)

    #expect(outcome.exit == 0 && !outcome.stderr.contains("ERROR"), "\(outcome.stderr)")
    #expect(try await Self.isValid("idx_users_email_lower", runner))
    #expect(try await !Self.isValid("runner_early_idx_users_email_lower", runner))
    #expect(try await runner.run(["migrate", "--plan"]).stdout.hasPrefix("-- Nothing to do"))
  }

  /// In one request, as a library sends it: of migrations that end with no semicolon, and with an index of what they make.
  @Test func itIsOneTransaction() async throws {
    let runner = try await RunningRunner(#"{"migrations": ["shop"], "functions": {}}"#)
    _ = try await BuiltExecutables.run("/bin/mkdir", ["-p", "\(runner.project.path)/shop"])
    try runner.project.write(
      """
      CREATE TABLE IF NOT EXISTS orders (
        word text
      );
      CREATE FUNCTION loud(text) RETURNS text LANGUAGE sql IMMUTABLE RETURN upper($1);
      CREATE INDEX IF NOT EXISTS idx_orders_word ON orders (loud(word));
      """, to: "shop/0001_orders.sql")
    try runner.project.write("CREATE TABLE notes (id int) -- of orders", to: "shop/0002_notes.sql")
    try await runner.database.script(
      "CREATE TABLE orders (word text); INSERT INTO orders SELECT repeat('x', 200) FROM generate_series(1, 10000)")
    let plan = try await runner.run(["migrate", "--plan"]).stdout
    #expect(plan.contains("\n\n-- the index idx_orders_word, before the transaction"))

    try await runner.database.script(plan)

    #expect(try await Self.isValid("idx_orders_word", runner))
    #expect(try await runner.run(["migrate", "--plan"]).stdout.hasPrefix("-- Nothing to do"))
  }
  /// It gives up as `migrate` does, and the app's statements do not wait behind it.
  @Test func itWaitsNoLongTimeForATableInUse() async throws {
    let runner = try await RunningRunner(#"{"apps": {"feedbackkit": {}}, "functions": {}}"#, isMigrated: false)
    try await runner.database.script(Schema.feedbackKitTables)
    let plan = try await runner.run(["migrate", "--plan"]).stdout
    let app = Connection(url: runner.databaseURL, applicationName: "app")

    try await app.transaction { transaction in
      try await transaction.script("LOCK TABLE users IN ROW EXCLUSIVE MODE")
      let error = await #expect(throws: PostgresError.self) { try await runner.database.script(plan) }
      #expect(error?.sqlState == "55P03", "\(String(describing: error))")
    }

    try await runner.database.script("ROLLBACK; \(plan)")
    #expect(try await runner.run(["migrate", "--plan"]).stdout.hasPrefix("-- Nothing to do"))
    await app.close()
  }

  /// Names in the catalog are no statements, whatever an app calls its tables.
  @Test func aNameEndsNoComment() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions": {"thank": {"executable": "x", "triggers": [{"table": "orders", "events": ["INSERT"]}]}}}
      """#, scripts: ["x": "exit 0"])
    try await runner.database.script("CREATE TABLE orders (id int); CREATE TABLE people (id int)")
    #expect(try await runner.run(["migrate"]).exit == 0)
    try await runner.database.script("ALTER TABLE orders RENAME TO \"x\nDROP TABLE people;--\"")
    try runner.project.write(Schema.manifest(#"{"functions": {}}"#), to: "functions.json")

    let plan = try await runner.run(["migrate", "--plan", "--prune"]).stdout
    #expect(plan.contains("x DROP TABLE people;--"), "\(plan)")
    try await runner.database.script(plan)

    #expect(try await runner.database.query("SELECT to_regclass('people') IS NOT NULL AS yes").only().decode("yes"))
  }
}
