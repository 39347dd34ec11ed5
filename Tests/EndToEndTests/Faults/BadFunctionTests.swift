import FunctionKit
import Postgres
import TestSupport
import Testing

/// Functions that crash, hang and are slow, beside others that are well.
@Suite(.heavy)
struct BadFunctionTests {
  private let well = Ledger.function("well")

  private func runner(_ functions: String..., scripts: [String: String]) async throws -> RunningRunner {
    try await .withLedgers(
      #"{"functions":{\#(([well] + functions).joined(separator: ","))}}"#,
      scripts: scripts.merging(["well": Ledger.script("well")]) { given, _ in given })
  }

  /// The times of attempts are the database's clock: this lets all that wait for one begin.
  private func skipTime(_ runner: RunningRunner) async throws {
    try await runner.database.script(
      #"UPDATE runner.clock SET "offset" = "offset" + '1 hour'; NOTIFY runner_control, 'clock'"#)
  }

  @Test func aPoisonEventIsDeadAfterItsThirdCrashAndTheOthersGoOn() async throws {
    let crash = Ledger.script("bad", after: "case $n in 50) kill -KILL $$ ;; esac")
    let runner = try await runner(Ledger.function("bad"), scripts: ["bad": crash])
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 10 FROM generate_series(1, 100) AS i")
    for crashes in 1...2 {
      try await runner.wait(until: "EXISTS (SELECT 1 FROM runner.retries WHERE crashes = \(crashes))")
      try await runner.wait(for: "bad") { $0.numbers.count == 100 }
      try await skipTime(runner)
    }
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")
    try await runner.waitUntilEmpty()

    let letter = try await runner.database.query("SELECT * FROM runner.dead_letters").only()
    #expect(letter["code"] == "WORKER_CRASH")
    #expect(letter["crashes"] == "3")
    #expect(letter["record"]?.contains(#""number": 50}"#) == true)
    let ledger = try Ledger("bad", of: runner)
    #expect(ledger.numbers == Set(1...100))
    #expect(ledger.entries.count { $0.n == 50 } == 3)
    // No other event was in a process that crashed while it was its turn.
    #expect(Set(ledger.entries.filter { $0.n != 50 }.map(\.attempt)) == [0])
    #expect(ledger.misplaced(leavingOutFailed: true).isEmpty)
    #expect(try Ledger("well", of: runner).entries.count == 100)
  }

  @Test func afterTwoCrashesAnEventHasAProcessOfItsOwn() async throws {
    let crash = Ledger.script("bad", after: #"case $n/$attempt in 1/0 | 1/1) kill -KILL $$ ;; esac"#)
    let runner = try await runner(
      Ledger.function("bad", #","key":"key","concurrency":1"#), scripts: ["bad": crash])
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    for crashes in 1...2 {
      try await runner.wait(until: "EXISTS (SELECT 1 FROM runner.retries WHERE crashes = \(crashes))")
      if crashes == 2 {
        try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i FROM generate_series(2, 40) AS i")
        try await runner.wait(for: "bad") { $0.numbers == Set(1...40) }
      }
      try await skipTime(runner)
    }
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("bad", of: runner)
    let last = try #require(ledger.entries.last { $0.n == 1 })
    #expect(ledger.entries.filter { $0.n == 1 }.map(\.attempt) == [0, 1, 2])
    #expect(ledger.entries.filter { $0.process == last.process }.map(\.n) == [1])
    #expect(try await runner.database.query("SELECT 1 FROM runner.dead_letters").isEmpty)
  }

  /// A runner with six events that its function never ends by itself.
  private func hanging(timeout: Int) async throws -> RunningRunner {
    let hung = #""hung":{"executable":"hung.sh","triggers":[{"table":"doomed","events":["INSERT"]}],"#
    let runner = try await runner(
      hung + #""key":"key","timeout":\#(timeout),"attempts":2}"#,
      scripts: ["hung": Ledger.script("hung", after: "sleep 1000")])
    try await runner.database.script("CREATE TABLE doomed (number bigint PRIMARY KEY, key text)")
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO doomed SELECT i, 'k' || i FROM generate_series(1, 6) AS i")
    try await runner.wait(for: "hung") { !$0.entries.isEmpty }
    return runner
  }

  @Test func aFunctionThatHangsHoldsUpNoOther() async throws {
    let runner = try await hanging(timeout: 900)

    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i FROM generate_series(1, 500) AS i")

    try await runner.wait(for: "well") { $0.numbers.count == 500 }
    #expect(try await runner.database.query("SELECT FROM runner.history WHERE function = 'hung'").isEmpty)
  }

  @Test func whatTimesOutLosesItsOwnAttemptsOnly() async throws {
    let runner = try await hanging(timeout: 3)

    try await runner.wait(within: .seconds(240), until: "(SELECT count(*) FROM runner.dead_letters) = 6")

    let letters = try await runner.database.query("SELECT DISTINCT attempts, code FROM runner.dead_letters").only()
    #expect(letters["attempts"] == "2")
    #expect(letters["code"] == "WORKER_TIMEOUT")
    // Only the event whose turn it was has lost an attempt.
    #expect(try Ledger("hung", of: runner).entries.count == 12)
  }

  @Test func aBlockedKeyHoldsItsEventsOnlyUntilItsDeadLetterIsReplayed() async throws {
    let fail = Ledger.script("strict", after: "case $n in 1) [ -e mended ] || { echo broken >&2; exit 65; } ;; esac")
    let runner = try await runner(
      Ledger.function("strict", #","key":"key","onFailure":"block","mode":"oneshot""#), scripts: ["strict": fail])
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 2 FROM generate_series(1, 10) AS i")
    try await runner.wait(for: "strict") { $0.numbers == [1, 2, 4, 6, 8, 10] }
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")

    // A takeover knows it before it reads.
    served.program.send(9)
    try await served.program.exit()
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries VALUES (11, 'k1'), (12, 'k2')")
    try await runner.wait(for: "strict") { $0.numbers.contains(12) }
    #expect(try Ledger("strict", of: runner).numbers == [1, 2, 4, 6, 8, 10, 12])

    try runner.project.write("", to: "mended")
    try await runner.database.script(
      """
      WITH letter AS (DELETE FROM runner.dead_letters RETURNING *)
      INSERT INTO runner.retries (partition, id, function, key, event_id, at, actor, traceparent, source, type, op,
        table_schema, table_name, record, old_record, data, attempt, run_at, code, error, crashes)
      SELECT partition, id, function, key, event_id, at, actor, traceparent, source, type, op,
        table_schema, table_name, record, old_record, data, 0, runner.now(), code, error, 0 FROM letter;
      NOTIFY runner_control, 'unblocked'; NOTIFY runner_events;
      """)
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("strict", of: runner)
    #expect(ledger.numbers == Set(1...12))
    #expect(ledger.misplaced().isEmpty)
    #expect(ledger.entries.filter { $0.key == "k1" }.map(\.n) == [1, 1, 3, 5, 7, 9, 11])
  }

  @Test func aBlockedKeyIsFreedWhenItsDeadLetterIsPurged() async throws {
    let fail = Ledger.script("strict", after: "case $n in 1) exit 65 ;; esac")
    let runner = try await runner(
      Ledger.function("strict", #","key":"key","onFailure":"block","mode":"oneshot""#), scripts: ["strict": fail])
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'same' FROM generate_series(1, 5) AS i")
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")
    #expect(try Ledger("strict", of: runner).entries.map(\.n) == [1])

    try await runner.database.script(
      "DELETE FROM runner.dead_letters; NOTIFY runner_control, 'unblocked'; NOTIFY runner_events")
    try await runner.waitUntilEmpty()

    #expect(try Ledger("strict", of: runner).entries.map(\.n) == [1, 2, 3, 4, 5])
  }

  @Test func aKeyThatIsToBlockWaitsForTheRetryOfAFailedEvent() async throws {
    let fail = Ledger.script("strict", before: "[ $n/$attempt != 1/0 ] || kill -KILL $$")
    let runner = try await runner(
      Ledger.function("strict", #","key":"key","onFailure":"block""#), scripts: ["strict": fail])
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 2 FROM generate_series(1, 10) AS i")
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("strict", of: runner)
    #expect(ledger.numbers == Set(1...10))
    #expect(ledger.misplaced().isEmpty)
  }
}
