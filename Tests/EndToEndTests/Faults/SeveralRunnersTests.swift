import Foundation
import Postgres
import TestSupport
import Testing

/// Two runners on one database.
@Suite(.heavy)
struct SeveralRunnersTests {
  private func runner(_ script: String, _ settings: String = #","key":"key""#) async throws -> RunningRunner {
    try await .withLedgers(
      Ledger.manifest(Ledger.function("ledger", settings)), scripts: ["ledger": script],
      environment: [:])
  }

  /// Which partitions each owner holds.
  private func shares(_ runner: RunningRunner) async throws -> [Int] {
    try await runner.database.query(
      "SELECT count(*)::int AS n FROM runner.leases WHERE owner IS NOT NULL GROUP BY owner ORDER BY 1"
    ).decode("n", as: Int.self)
  }

  @Test func partitionsAreSharedAndNothingIsStartedTwice() async throws {
    let runner = try await runner(Ledger.script("ledger"))
    let first = try await runner.start()
    let writers = (0..<4).map { Writer($0, url: runner.databaseURL) }

    try await writing(writers, pausing: .milliseconds(5)) {
      try await runner.wait(for: "ledger") { $0.numbers.count > 100 }
      let second = try await runner.start()
      try await eventually("each has its half") { try await shares(runner) == [8, 8] }
      let known = try Ledger("ledger", of: runner).numbers.count
      try await runner.wait(for: "ledger") { $0.numbers.count > known + 200 }
      second.program.send(SIGTERM)
      try await second.program.exit()
      try await eventually("the first has all again") { try await shares(runner) == [16] }
    }
    try await runner.waitUntilEmpty()

    let ledger = try await runner.expectAllInOrder()
    #expect(ledger.entries.count == ledger.numbers.count)
    #expect(first.program.lines.allSatisfy { !$0.contains("gone to another runner") })
  }

  /// A runner that sleeps without a partition's lock would not be rung for it.
  @Test func sleepingRunnersHoldTheLocksOfTheirPartitionsAndTakeThemAgain() async throws {
    let runner = try await runner(Ledger.script("ledger"))
    func locks(except session: Int = 0) async throws -> [Int] {
      try await runner.database.query(
        """
        SELECT count(*)::int AS n FROM pg_locks
        WHERE locktype = 'advisory' AND classid = \(RunnerLock.sleep) AND mode = 'ExclusiveLock' AND granted
          AND pid <> \(session)
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        GROUP BY pid ORDER BY 1
        """
      ).decode("n", as: Int.self)
    }
    _ = try await runner.start()
    try await eventually("it holds all") { try await locks() == [16] }

    let second = try await runner.start()
    try await eventually("each holds its own") { try await locks() == [8, 8] }
    second.program.send(SIGKILL)
    try await eventually("the first holds all again") { try await locks() == [16] }
    let session = try await runner.database.query(
      """
      SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'runner events' AND datname = current_database()
      """
    ).only().decode("pid", as: Int.self)
    try await eventually("its new session holds all") { try await locks(except: session) == [16] }
  }

  @Test func oneThatSleptPastItsLeaseAloneForgetsNothing() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"mode":"discard","triggers":[{"table":"entries","events":["INSERT"]}]}}}"#)
    try await runner.database.script("CREATE TABLE entries (number int)")
    let served = try await runner.start(options: ["--lease", "2"])
    try await served.program.line { $0.contains("Partitions taken") }

    for round in 1...3 {
      try await runner.database.script("INSERT INTO entries SELECT generate_series(1, 40000)")
      try await runner.wait(until: "(SELECT count(*) > \((round - 1) * 40000 + 3000) FROM runner.history)")
      served.program.send(SIGSTOP)
      try await runner.wait(
        until: "(SELECT bool_and(expires_at < clock_timestamp()) FROM runner.leases)", "the lease has run out")
      served.program.send(SIGCONT)
      try await runner.wait(until: "NOT EXISTS (SELECT FROM runner.events)", "what was read is handled")
    }

    let counting: SQL = "SELECT count(DISTINCT (partition, id))::int AS n FROM runner.history"
    let ends = try await runner.database.query(counting).only()
    #expect(try ends.decode("n", as: Int.self) == 120_000)
  }

  @Test func whenOneIsKilledTheOtherFinishesItsWork() async throws {
    let runner = try await runner(Ledger.script("ledger"))
    var runners = [try await runner.start(), try await runner.start()]
    try await eventually("both have partitions") { try await shares(runner).count == 2 }
    let writers = (0..<4).map { Writer($0, url: runner.databaseURL) }

    try await writing(writers, pausing: .milliseconds(5)) {
      for _ in 0..<3 {
        let known = try Ledger("ledger", of: runner).numbers.count
        try await runner.wait(for: "ledger") { $0.numbers.count > known + 100 }
        let victim = runners.removeFirst()
        victim.program.send(SIGKILL)
        try await victim.program.exit()
        try await eventually("the other has all partitions") { try await shares(runner) == [16] }
        runners.append(try await runner.start())
      }
    }
    try await runner.waitUntilEmpty()

    try await runner.expectAllInOrder()
  }

  @Test func whoWasPausedBeyondItsLeaseSettlesNothingMore() async throws {
    // The first runner's function succeeds, late; the second one's refuses the same events.
    let script = Ledger.script(
      "ledger", before: #"[ "$PLACE" = second ] && exit 65; while [ ! -e go ]; do sleep 0.05; done"#)
    let runner = try await runner(script, #","key":"key","mode":"oneshot","environment":["PLACE"]"#)
    let first = try await runner.start(environment: ["PLACE": "first"])
    try await eventually("the first has all partitions") { try await shares(runner) == [16] }
    try await runner.database.script("INSERT INTO entries VALUES (1, 'a'), (2, 'b')")
    try await eventually("both events are with it") {
      let running = try await BuiltExecutables.run(
        "/bin/sh", ["-c", "pgrep -c -P \(first.program.processID) ledger"])
      return Int(running.stdout.trimmingCharacters(in: .newlines)) ?? 0 >= 2
    }

    first.program.send(SIGSTOP)
    try await runner.database.script(
      "UPDATE runner.leases SET expires_at = '-infinity'; UPDATE runner.runners SET expires_at = '-infinity'")
    let second = try await runner.start(environment: ["PLACE": "second"])
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 2")
    try runner.project.write("", to: "go")
    try await runner.wait(for: "ledger") { $0.entries.count == 2 }
    first.program.send(SIGCONT)
    try await eventually("the first takes part again") { try await shares(runner) == [8, 8] }
    try await runner.database.script("INSERT INTO entries VALUES (3, 'c')")
    try await runner.wait(until: RunningRunner.isEmpty)

    // Only what the second one wrote stands.
    let letters = try await runner.database.query(
      "SELECT record ->> 'number' AS number, attempts FROM runner.dead_letters ORDER BY 1")
    #expect(letters.map { $0["number"] }.prefix(2) == ["1", "2"])
    #expect(letters.allSatisfy { $0["attempts"] == "1" })
    let history = try await runner.database.query(
      "SELECT code FROM runner.history WHERE key IN ('a', 'b')"
    ).decode("code", as: String.self)
    #expect(history == ["INVALID_EVENT", "INVALID_EVENT"])
    withExtendedLifetime(second) {}
  }

  @Test func whatAPausedRunnerHadReadIsFinishedByTheOther() async throws {
    let runner = try await runner(Ledger.script("ledger", before: "sleep 0.002"))
    let first = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 20 FROM generate_series(1, 2000) AS i")
    try await runner.wait(for: "ledger") { $0.numbers.count > 100 }

    first.program.send(SIGSTOP)
    try await runner.database.script(
      "UPDATE runner.leases SET expires_at = '-infinity'; UPDATE runner.runners SET expires_at = '-infinity'")
    _ = try await runner.start()
    try await runner.wait(for: "ledger", within: .seconds(240)) { $0.numbers.count == 2_000 }
    first.program.send(SIGCONT)
    try await runner.database.script(
      "INSERT INTO entries SELECT i, 'k' || i % 20 FROM generate_series(2001, 2100) AS i")
    try await runner.waitUntilEmpty(within: .seconds(240))

    #expect(try Ledger("ledger", of: runner).numbers == Set(1...2_100))
  }
}
