import FunctionKit
import Postgres
import TestSupport
import Testing

/// The second net: an event that a runner has passed by is found, run and counted.
@Suite(.heavy)
struct OvertakenTests {
  @Test func anEventBelowTheCursorThatNobodyHasInHandIsRunAndReported() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")])
    runner.expectsOvertaken = true
    let served = try await runner.start()
    _ = try await runner.database.query("INSERT INTO entries VALUES (1, 'k')")
    try await runner.waitUntilEmpty()

    // A row that no writer can make: its id has been seen, and no transaction that is still open can have drawn it.
    _ = try await runner.database.query(
      """
      INSERT INTO runner.events (partition, id, event_id, function, key, op, table_schema, table_name, record)
      SELECT partition, id, 'late', 'ledger', 'k', 'INSERT', 'public', 'entries', '{"number": 2, "key": "k"}'
      FROM runner.history WHERE function = 'ledger'
      """)
    try await served.program.line { $0.contains("An event was overtaken") }
    try await runner.waitUntilEmpty()

    #expect(try Ledger("ledger", of: runner).entries.map(\.n) == [1, 2])
    let metrics = try await served.request("/metrics").text
    #expect(metrics.contains("\npush_runner_events_overtaken_total 1\n"))
    #expect(metrics.contains("\npush_runner_order_broken_total 0\n"))
    #expect(try await served.request("/_/state").json?["overtaken"]?.intValue == 1)
    #expect(try await runner.run(["doctor"]).stdout.contains("the runner had passed by 1 events"))
  }

  @Test func eventsThatWaitOnPurposeAreNone() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger", #","key":"key","concurrency":1"#)),
      scripts: ["ledger": Ledger.script("ledger", before: "while [ ! -e go ]; do sleep 0.05; done")])
    let served = try await runner.start()

    _ = try await runner.database.query(
      "INSERT INTO entries SELECT i, 'k' || i % 3 FROM generate_series(1, 12000) AS i")
    // The partitions are looked at five seconds after the start, and again when somebody asks.
    try await eventually("two looks") {
      try await runner.database.query(
        """
        SELECT clock_timestamp() - backend_start > interval '9 s' AS yes FROM pg_stat_activity
        WHERE application_name = 'runner listener' AND datname = current_database()
        """
      ).only().decode("yes", as: Bool.self)
    }
    let state = try await served.request("/_/state").json
    try runner.project.write("", to: "go")

    #expect(state?["suspects"]?.bytes.elementsEqual("[]".utf8) == true)
    #expect(state?["overtaken"]?.intValue == 0)
  }
}
