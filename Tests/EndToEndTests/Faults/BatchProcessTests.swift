import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Functions with batches, and what may go wrong meanwhile.
@Suite(.heavy)
struct BatchProcessTests {
  private static let settings = #","key":"key","batch":64,"concurrency":2"#

  private func runner(_ script: String, _ settings: String = settings) async throws -> RunningRunner {
    try await .withLedgers(Ledger.manifest(Ledger.function("batched", settings)), scripts: ["batched": script])
  }

  private func insert(_ rows: ClosedRange<Int>, keys: Int = 5, _ runner: RunningRunner) async throws {
    _ = try await runner.database.query(
      "INSERT INTO entries SELECT i, 'k' || i % \(keys)::int FROM generate_series(\(rows.lowerBound)::int, \(rows.upperBound)::int) AS i"
    )
  }

  private func skipTime(_ runner: RunningRunner) async throws {
    try await runner.database.script(
      #"UPDATE runner.clock SET "offset" = "offset" + '1 hour'; NOTIFY runner_control, 'clock'"#)
  }

  private func count(_ question: SQL, _ runner: RunningRunner) async throws -> Int {
    try await runner.database.query("SELECT (\(question))::int AS n").only().decode("n")
  }

  @Test func aPoisonEventOfABatchIsFoundAndHarmsNoOther() async throws {
    let runner = try await runner(Ledger.batchScript("batched", behave: "if 50 in ns: os.kill(os.getpid(), 9)"))
    let served = try await runner.start()

    try await insert(1...100, runner)
    for crashes in 1...2 {
      try await runner.wait(until: "EXISTS (SELECT 1 FROM runner.retries WHERE crashes = \(crashes))")
      try await runner.wait(for: "batched") { $0.numbers.count == 99 }
      try await skipTime(runner)
    }
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")
    try await runner.waitUntilEmpty()

    let letter = try await runner.database.query("SELECT * FROM runner.dead_letters").only()
    #expect(letter["code"] == "WORKER_CRASH" && letter["crashes"] == "3" && letter["attempts"] == "3")
    #expect(letter["record"]?.contains(#""number": 50}"#) == true)
    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.entries.map(\.n).sorted() == Array(1...100).filter { $0 != 50 }, "each has run once")
    #expect(Set(ledger.entries.map(\.attempt)) == [0])
    #expect(ledger.misplaced().isEmpty)
    #expect(try await count("SELECT count(*) FROM runner.history WHERE code <> 'OK'", runner) == 3)
    let metrics = try Exposition(await served.request("/metrics").text)
    // After its first crash it is alone in its process.
    #expect(metrics["push_runner_broken_batches_total", ["function": "batched"]] == 1)
  }

  @Test func aHangingEventOfABatchLosesItsOwnAttemptsOnly() async throws {
    let runner = try await runner(
      Ledger.batchScript("batched", behave: "if 7 in ns: time.sleep(1000)"),
      Self.settings + #","timeout":2,"attempts":1"#)
    _ = try await runner.start()

    try await insert(1...40, runner)
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")
    try await runner.waitUntilEmpty()

    let letter = try await runner.database.query("SELECT * FROM runner.dead_letters").only()
    #expect(letter["code"] == "WORKER_TIMEOUT" && letter["record"]?.contains(#""number": 7}"#) == true)
    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.entries.map(\.n).sorted() == Array(1...40).filter { $0 != 7 })
    #expect(ledger.misplaced().isEmpty)
  }

  @Test func aProcessKilledInItsBatchCostsNoAttempt() async throws {
    let runner = try await runner(
      Ledger.batchScript(
        "batched", behave: "if len(ns) > 1 and not os.path.exists('go'): open('on', 'w').close(); time.sleep(1000)"))
    let served = try await runner.start()
    try await insert(1...64, runner)
    try await eventually("a batch has begun") {
      FileManager.default.fileExists(atPath: "\(runner.project.path)/on")
    }
    try runner.project.write("", to: "go")

    _ = try await BuiltExecutables.run("/usr/bin/pkill", ["-KILL", "-P", "\(served.program.processID)", "python3"])
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.numbers == Set(1...64) && ledger.misplaced().isEmpty)
    #expect(try await count("SELECT count(*) FROM runner.history WHERE code = 'OK' AND attempt = 0", runner) == 64)
    #expect(try await count("SELECT count(*) FROM runner.history", runner) == 64)
    let line = try await served.program.line { $0.contains("A process ended with a batch") }
    #expect(line.contains("WORKER_CRASH"))
  }

  @Test func aRunnerThatIsToldToEndFinishesTheBatchesThatItHasHandedOver() async throws {
    let runner = try await runner(Ledger.batchScript("batched", behave: "time.sleep(0.1)"))
    let served = try await runner.start()
    try await insert(1...2_000, keys: 3, runner)
    try await runner.wait(for: "batched") { $0.numbers.count > 100 }

    served.program.send(SIGTERM)
    try await served.program.exit()

    let first = try Ledger("batched", of: runner).entries.count
    #expect(first < 2_000)
    #expect(try await count("SELECT count(*) FROM runner.history WHERE code = 'OK'", runner) == first)
    _ = try await runner.start()
    try await runner.waitUntilEmpty()
    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.entries.count == 2_000 && ledger.numbers.count == 2_000)
    #expect(ledger.misplaced().isEmpty)
  }

  @Test func aRunnerThatDiesInItsBatchesLosesNothing() async throws {
    let runner = try await runner(Ledger.batchScript("batched", behave: "time.sleep(0.02)"))
    let served = try await runner.start()
    try await insert(1...2_000, keys: 7, runner)
    try await runner.wait(for: "batched") { $0.numbers.count > 100 }

    served.program.send(SIGKILL)
    try await served.program.exit()
    _ = try await runner.start()
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.numbers == Set(1...2_000))
    #expect(ledger.misplaced().isEmpty)
    #expect(Set(ledger.entries.map(\.attempt)) == [0])
  }

  @Test func anotherBatchIsFollowedWhileEventsFlow() async throws {
    let runner = try await runner(Ledger.batchScript("batched", behave: "time.sleep(0.02)"))
    let served = try await runner.start(options: ["--watch"])

    for (round, batch) in ["", #","batch":8"#, #","batch":32"#].enumerated() {
      let known = 2_000 * round
      try await insert(known + 1...known + 2_000, keys: 7, runner)
      try await runner.wait(for: "batched") { $0.numbers.count > known }
      let settings = #","key":"key","concurrency":3"# + batch
      let manifest = Schema.manifest(Ledger.manifest(Ledger.function("batched", settings)))
      try runner.project.write(manifest, to: "functions.json")
      try await eventually("it is loaded") {
        served.program.lines.count { $0.contains("The functions were loaded again") } == round + 1
      }
    }
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.entries.count == 6_000 && ledger.numbers.count == 6_000, "each has run once")
    #expect(ledger.misplaced().isEmpty)
  }

  @Test func aKeyThatBlocksIsNotTouchedBehindItsFailedEvent() async throws {
    let fail = Ledger.script(
      "batched", after: #"case $n/$attempt in 3/0) printf '{"id":"%s","exit":75}\n' "$id"; continue ;; esac"#)
    let runner = try await runner(fail, Self.settings + #","onFailure":"block""#)
    _ = try await runner.start()
    try await insert(1...40, keys: 2, runner)

    try await runner.wait(for: "batched") { $0.numbers.isSuperset(of: stride(from: 2, through: 40, by: 2)) }
    #expect(try Ledger("batched", of: runner).entries.filter { $0.key == "k1" && $0.attempt == 0 }.map(\.n) == [1, 3])
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("batched", of: runner)
    #expect(ledger.entries.filter { $0.key == "k1" }.map(\.n) == [1, 3] + Array(stride(from: 3, through: 39, by: 2)))
  }

  @Test func theFunctionIsToldAndTheFiguresShowTheBatches() async throws {
    let runner = try await runner(
      "echo \"$PUSH_FUNCTION_BATCH\" > size\n" + Ledger.batchScript("batched", behave: "time.sleep(0.01)"))
    let served = try await runner.start()
    try await insert(1...1_000, runner)
    try await runner.waitUntilEmpty()

    #expect(try String(contentsOfFile: "\(runner.project.path)/size", encoding: .utf8) == "64\n")
    let metrics = try Exposition(await served.request("/metrics").text)
    #expect(metrics.kinds["push_runner_batch_events"] == "histogram")
    #expect(metrics["push_runner_batch_events_sum", ["function": "batched"]] == 1_000)
    let batches = try #require(metrics["push_runner_batch_events_count", ["function": "batched"]])
    #expect(batches < 200)
    #expect(metrics["push_runner_broken_batches_total", ["function": "batched"]] == 0)
    let list = try await runner.run(["list"])
    #expect(list.stdout.contains("warm, batch 64"))
  }
}
