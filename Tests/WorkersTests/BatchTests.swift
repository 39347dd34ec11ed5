import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

/// Processes that get several events at once.
@Suite(.heavy)
@RunnerLoop
struct BatchTests {
  /// Ids of chains, one event of each chain after the other.
  private func ids(_ count: Int, chains: Int) -> [String] {
    (0..<count).map { "c\($0 % chains).\($0 / chains)" }
  }

  /// Each chain's numbers in the order in which the function noted them.
  private func order(_ function: ScriptedPool) -> [String: [Int]] {
    function.noted.reduce(into: [:]) { order, entry in
      let words = entry.id.split(separator: ".")
      if words.count == 2, let number = Int(words[1]) { order[String(words[0]), default: []].append(number) }
    }
  }

  @Test func aBurstFillsOneBatchAfterTheOther() async throws {
    let function = try ScriptedPool(ScriptedPool.takesBatches(), concurrency: 4, batch: 64)

    let outcomes = await function.outcomes(150)

    #expect(outcomes.allSatisfy { $0.code == "OK" })
    #expect(function.batches == [64, 64, 22])
    #expect(Set(function.noted.map(\.batch)) == [64, 22], "each was read as one")
    #expect(Set(outcomes.compactMap(\.number)).count == 3)
    await function.close()
  }

  @Test func aBatchThatALargePipeHoldsIsReadAsOne() async throws {
    let function = try ScriptedPool(ScriptedPool.takesBatches(), batch: 64)
    var codes: [String] = []

    for number in 0..<64 { function.submit(id: "\(number)", size: 3_000) { codes.append($0.code) } }
    _ = try await Polling.wait(until: .now + .seconds(120)) { codes.count == 64 }

    #expect(Set(codes) == ["OK"])
    #expect(function.batches == [64])
    #expect(function.noted.map(\.batch) == Array(repeating: 64, count: 64))
    await function.close()
  }

  @Test func oneEventWaitsForNoOther() async throws {
    let function = try ScriptedPool(ScriptedPool.takesBatches(), concurrency: 2, batch: 64)

    for id in ["1", "2", "3"] { #expect(await function.outcome(id: id).code == "OK") }

    #expect(function.batches == [1, 1, 1])
    #expect(function.pool.processes == 1, "the process that is idle takes it")
    await function.close()
  }

  @Test func whatComesMeanwhileIsTheNextBatch() async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches("while not os.path.exists('go'): time.sleep(0.01)"), batch: 8)
    var codes: [String] = []
    function.submit(id: "first") { codes.append($0.code) }
    _ = try await Polling.wait(until: .now + .seconds(120)) { function.batches == [1] }
    for number in 0..<12 { function.submit(id: "\(number)") { codes.append($0.code) } }
    #expect(function.pool.waiting == 12)

    try function.directory.write("", to: "go")
    _ = try await Polling.wait(until: .now + .seconds(120)) { codes.count == 13 }

    #expect(Set(codes) == ["OK"])
    #expect(function.batches == [1, 8, 4])
    await function.close()
  }

  @Test func itMayBeReadLineByLine() async throws {
    let function = try ScriptedPool(ScriptedPool.answers, concurrency: 2, batch: 64)

    let outcomes = await function.outcomes(200)

    #expect(outcomes.count { $0.code == "OK" } == 200)
    await function.close()
  }

  @Test func manyBytesAreMoreThanOneBatch() async throws {
    let deaf = try ScriptedPool("sleep 1000", concurrency: 2, batch: 64)
    for number in 0..<8 { deaf.submit(id: "\(number)", size: 600_000) { _ in } }
    _ = try await Polling.wait(until: .now + .seconds(120)) { deaf.batches.count == 2 }

    #expect(deaf.batches == [2, 2])
    #expect(deaf.pool.waiting == 4)
    await deaf.close(grace: .zero)
  }

  @Test func eventsOfAChainStayInOrderAndInOneProcess() async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches(
        """
        for chain in {id.split('.')[0] for id in ids}: os.mkdir(chain)
            time.sleep(0.002)
            for chain in {id.split('.')[0] for id in ids}: os.rmdir(chain)
        """), concurrency: 4, batch: 16)
    let ids = ids(400, chains: 7)

    let outcomes = await function.outcomes(ids)

    // A folder that is there already would end the process.
    #expect(function.brokenBatches == [])
    #expect(outcomes.values.allSatisfy { $0.code == "OK" })
    #expect(order(function).values.allSatisfy { $0 == Array(0..<$0.count) })
    #expect(Set(function.noted.map(\.process)).count > 1)
    await function.close()
  }

  /// The harm that one event of a batch does to its process, and how it ends when it does that alone.
  nonisolated static let poisons = [
    ("os.kill(os.getpid(), 11)", "WORKER_CRASH"), ("time.sleep(1000)", "WORKER_TIMEOUT"),
    ("os.write(1, b'garbage\\n'); time.sleep(1000)", "INVALID_OUTPUT"), ("os._exit(3)", "WORKER_ERROR"),
    ("os.write(1, b'garbage\\n'); os._exit(0)", "INVALID_OUTPUT"),
  ]

  @Test(arguments: poisons) func onePoisonousEventHarmsNoOther(_ poison: String, _ code: String) async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches("if 'c1.5' in ids: \(poison)"), concurrency: 2, timeout: 2, batch: 64)
    let ids = ids(64, chains: 4)

    let outcomes = await function.outcomes(ids)

    #expect(outcomes["c1.5"]?.code == code)
    #expect(outcomes.filter { $0.key != "c1.5" && $0.value.code != "OK" }.map(\.key) == [])
    #expect(function.brokenBatches.first == 64)
    #expect(function.noted.map(\.id).sorted() == ids.filter { $0 != "c1.5" }.sorted(), "each has run once")
    #expect(order(function).values.allSatisfy { $0 == $0.sorted() })
    #expect(function.pool.waiting == 0 && function.pool.interrupted == [])
    await function.close()
  }

  @Test func afterTheCauseIsKnownTheOthersShareBatchesAgain() async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches("if '0' in ids: os.kill(os.getpid(), 9)"), batch: 64)

    let outcomes = await function.outcomes(64)

    #expect(outcomes.count { $0.code == "WORKER_CRASH" } == 1 && outcomes.count { $0.code == "OK" } == 63)
    #expect(function.batches == [64, 63])
    await function.close()
  }

  @Test func aKilledProcessCostsNobodyAnAttempt() async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches(
        """
        if len(ids) > 1: open('started', 'w').write(f'{os.getpid()}\\n'); time.sleep(1000)
        """), concurrency: 2, batch: 16)
    async let outcomes = function.outcomes(ids(16, chains: 3))
    let process = try await function.number(in: "started")

    kill(process, SIGKILL)

    #expect(await outcomes.values.allSatisfy { $0.code == "OK" })
    #expect(function.brokenBatches == [16])
    #expect(function.noted.allSatisfy { $0.batch == 1 }, "nobody is found out, so each ran alone")
    #expect(Set(function.noted.map(\.process)).count == 16)
    #expect(order(function).values.allSatisfy { $0 == Array(0..<$0.count) })
    await function.close()
  }

  @Test func aCrashWithOneUnansweredEventIsItsOwn() async throws {
    let function = try ScriptedPool(
      #"while read -r line; do case $line in *'"id":"9"'*) kill -KILL $$ ;; esac; \#(ScriptedPool.answer); done"#,
      batch: 64)

    let outcomes = await function.outcomes(10)

    #expect(outcomes.map(\.code) == Array(repeating: "OK", count: 9) + ["WORKER_CRASH"])
    #expect(function.brokenBatches == [])
    await function.close()
  }

  @Test(arguments: [1, 2]) func unsuspectedEventsGoOnMeanwhile(_ concurrency: Int) async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches(
        """
        if len(ids) > 1 and 'c0.0' in ids: os.kill(os.getpid(), 9)
            if ids == ['c0.1']:
                while not os.path.exists('go'): time.sleep(0.01)
        """), concurrency: concurrency, timeout: 120, batch: 64)
    async let suspects = function.outcomes(ids(8, chains: 1))
    _ = try await Polling.wait(until: .now + .seconds(120)) { function.brokenBatches == [8] }

    // While an event of the first chain runs alone, or in turn with it where there is one process only.
    var others: [String] = []
    for number in 0..<20 {
      function.submit(id: "x.\(number)", chain: "x") { others.append($0.code) }
    }
    if concurrency > 1 {
      #expect(try await Polling.wait(until: .now + .seconds(120)) { others.count == 20 })
      #expect(function.noted.count { $0.id.hasPrefix("c0") } < 8)
    }
    try function.directory.write("", to: "go")

    #expect(await suspects.values.allSatisfy { $0.code == "OK" })
    #expect(try await Polling.wait(until: .now + .seconds(120)) { others.count == 20 })
    #expect(Set(others) == ["OK"])
    #expect(function.noted.firstIndex { $0.id == "x.19" } ?? 0 < function.noted.firstIndex { $0.id == "c0.7" } ?? 0)
    await function.close()
  }

  @Test func anotherSizeIsUsedWithoutHarmToWhatRuns() async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches(
        """
        for chain in {id.split('.')[0] for id in ids}: os.mkdir(chain)
            while not os.path.exists('all go'):
                try: os.remove('one goes'); break
                except FileNotFoundError: time.sleep(0.01)
            for chain in {id.split('.')[0] for id in ids}: os.rmdir(chain)
        """), concurrency: 3, timeout: 120, batch: 32)
    let ids = ids(300, chains: 5)
    async let outcomes = function.outcomes(ids)
    var begun = 0
    for size in [4, 64, 1] {
      try #require(try await Polling.wait(until: .now + .seconds(120)) { function.batches.count > begun })
      begun = function.batches.count
      var entry = function.pool.entry
      entry.batch = size
      function.pool.use(entry, launch: ScriptedPool.launch(in: function.directory))
      try function.directory.write("", to: "one goes")
    }
    try function.directory.write("", to: "all go")

    #expect(await outcomes.values.allSatisfy { $0.code == "OK" })
    #expect(function.batches.first == 32 && function.batches.last == 1)
    #expect(function.brokenBatches == [])
    #expect(function.noted.map(\.id).sorted() == ids.sorted())
    #expect(order(function).values.allSatisfy { $0 == Array(0..<$0.count) })
    await function.close()
  }

  @Test func aPoolThatClosesFinishesItsBatches() async throws {
    let function = try ScriptedPool(ScriptedPool.takesBatches("time.sleep(0.2)"), batch: 16)
    async let outcomes = function.outcomes(ids(40, chains: 3))
    _ = try await Polling.wait(until: .now + .seconds(120)) { function.batches.count == 1 }

    await function.close()

    #expect(await outcomes.values.allSatisfy { $0.code == "OK" })
    #expect(function.pool.processes == 0)
  }

  @Test func whatIsLateWhenItClosesIsEndedAndBlamedOnNobody() async throws {
    let function = try ScriptedPool(ScriptedPool.takesBatches("time.sleep(1000)"), batch: 16)
    async let outcomes = function.outcomes(ids(40, chains: 3))
    _ = try await Polling.wait(until: .now + .seconds(120)) { function.batches.count == 1 }

    await function.close(grace: .zero)

    #expect(Set(await outcomes.values.map(\.code)) == ["RUNNER_STOPPING"])
    #expect(function.brokenBatches == [])
  }

  @Test func progressIsOfTheEventThatALineNames() async throws {
    let function = try ScriptedPool(
      ScriptedPool.takesBatches(
        """
        for id in ids: print(json.dumps({'progress': 10 + int(id), 'event.id': id}), file=sys.stderr, flush=True)
            time.sleep(0.2)
        """), batch: 4)

    var progress: [Int64] = []
    for id in 0..<4 { function.submit(id: "\(id)") { progress.append($0.progress) } }
    _ = try await Polling.wait(until: .now + .seconds(120)) { progress.count == 4 }

    #expect(progress == [10, 11, 12, 13])
    await function.close()
  }
}
