import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import Queue
@testable import System

/// A runner that has lost its session and reads everything again, and the events that run then.
@Suite(.heavy)
@RunnerLoop
struct StartingOverTests {
  private let function: ScriptedPool
  private let engine: EventEngine
  private let database: Connection

  init() async throws {
    let captured = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    database = captured.connection
    function = try ScriptedPool(
      """
      while read -r line; do
        echo started >> starts
        while [ ! -e go ]; do sleep 0.01; done
        \(ScriptedPool.answer)
      done
      """)
    let store = EventStore(
      database: EventStore.connection(captured.url), owner: "00000000-0000-4000-8000-000000000001", holder: 1,
      name: "test", leaseSeconds: 60, history: History())
    engine = EventEngine(store: store, pools: ["f": function.pool], log: Log(write: { _ in }))
    try await engine.perform(.hold(["f"], asksOthers: false))
  }

  private func insert(_ ids: [Int64]) async throws {
    _ = try await database.query(
      "INSERT INTO runner.events (partition, id, function, key, type, data) SELECT 0, id, 'f', 'k', 't', '1' FROM unnest(\(ids)) AS id"
    )
  }

  /// Lets the machine ask, up to its next poll.
  private func request() async throws -> PollRequest {
    while true {
      switch engine.machine.next(now: .now) {
      case .poll(let request): return request
      case let step: try await engine.perform(step)
      }
    }
  }

  private func poll() async throws { try await engine.perform(.poll(try await request())) }

  /// Lets one event run.
  private func start(_ id: Int64) async throws {
    try await insert([id])
    try await poll()
    try #require(try await Polling.wait(until: .now + .seconds(120)) { function.file("starts") == "started\n" })
  }

  @Test func anEventThatEndsWhileItIsReadAgainRunsOnce() async throws {
    try await start(20)
    engine.machine.startOver(.now)
    let reply = try await engine.store.poll(try await request())
    #expect(try reply.answer().newEvents.map(\.place.id) == [20])

    try function.directory.write("", to: "go")
    try #require(try await Polling.wait(until: .now + .seconds(120)) { !engine.machine.ended.isEmpty })
    try engine.take(reply)

    #expect(engine.load == (waiting: 0, running: 0))
    try await poll()
    #expect(try await database.query("SELECT FROM runner.events").isEmpty)
    await function.close()
  }

  @Test func anEventThatRunsIsNotLoadedAgainWithTheBacklog() async throws {
    try await start(20)
    try await insert([10, 30])
    engine.machine.mostInMemory = 1
    engine.machine.startOver(.now)
    try await poll()
    #expect(engine.machine.queues["f"]?.backlog[0] == Backlog(after: 9, through: 30))

    engine.machine.mostInMemory = 100
    try await poll()

    let load = engine.load
    #expect(load.waiting + load.running == 3)
    try function.directory.write("", to: "go")
    await function.close()
  }

  @Test func anEventThatIsCommittedBetweenTheReadingsOfAPollIsTakenOnce() async throws {
    try await start(10)
    engine.machine.mostInMemory = 1
    let full = try await request()
    try await insert([15, 30])
    try engine.take(try await engine.store.poll(full))
    #expect(engine.machine.queues["f"]?.backlog[0] == Backlog(after: 14, through: 30))
    engine.machine.mostInMemory = 100

    // Two statements of one poll, each with a snapshot of its own: the first does not see the event, the second does.
    let request = try await request()
    var answer = try await database.transaction { writer in
      _ = try await writer.query(
        "INSERT INTO runner.events (partition, id, function, key, type, data) VALUES (0, 20, 'f', 'k', 't', '1')")
      return try await engine.store.poll(request).answer()
    }
    let later = try await engine.store.poll(request)
    answer.backlog = try later.answer().backlog
    #expect(answer.backlog.flatMap(\.events).map(\.place.id) == [15, 20, 30])
    _ = engine.machine.polled(in: later.session)
    engine.begin(engine.machine.take(answer, now: .now))
    try await poll()

    let load = engine.load
    #expect(load.waiting + load.running == 4)
    try function.directory.write("", to: "go")
    await function.close()
  }

  @Test func whatTheServerForgotIsNoEventThatWasPassedBy() async throws {
    try await start(20)
    try function.directory.write("", to: "go")
    try #require(try await Polling.wait(until: .now + .seconds(120)) { !engine.machine.ended.isEmpty })
    try await poll()
    #expect(try await database.query("SELECT FROM runner.events").isEmpty)

    // As after a crash that took back a settlement: the row is there again, and the session is another one.
    try await insert([20])
    try await database.endSessions(where: "application_name = 'runner events'")
    for seconds in [10, 20] {
      let now = ContinuousClock.now + .seconds(seconds)
      let due = engine.machine.auditRequest(now)
      let look = try #require(due)
      let error = await #expect(throws: PostgresError.self) { try await engine.perform(.audit(look)) }
      #expect(error?.code == .otherSession)
      engine.machine.failed(.audit(look), .otherSession, now: now)
      let next = engine.machine.auditRequest(now)
      #expect(next.map(\.ranges) == nil, "it has looked")
      #expect(engine.machine.suspects.isEmpty)
    }
    await function.close()
  }
}

extension EventEngine {
  /// How many events of `f` are in memory and have not started, and how many run.
  fileprivate var load: (waiting: Int, running: Int) {
    machine.queues["f"].map { ($0.count - $0.running, $0.running) } ?? (0, 0)
  }
}
