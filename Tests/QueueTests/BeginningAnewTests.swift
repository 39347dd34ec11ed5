import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import Queue
@testable import System

/// A runner that has lost its session and reads everything again, and the events that run then.
@Suite(.startsProcesses)
@RunnerLoop
struct BeginningAnewTests {
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
    try await engine.keepLanes()
  }

  private func insert(_ ids: [Int64]) async throws {
    _ = try await database.query(
      "INSERT INTO runner.events (lane, id, function, key, type, data) SELECT 0, id, 'f', 'k', 't', '1' FROM unnest(\(ids)) AS id"
    )
  }

  private func ordered() async throws -> (EventStore.Order, EventStore.Reading) {
    let order = engine.nextOrder()
    engine.ended = []
    let answer = try await engine.store.turn(order)
    engine.session = answer.session
    return (order, try EventStore.reading(answer))
  }

  private func turn() async throws {
    let (order, reading) = try await ordered()
    _ = engine.take(reading, order, isMoved: false)
  }

  /// Lets one event run.
  private func start(_ id: Int64) async throws {
    try await insert([id])
    try await turn()
    try #require(try await Patience.wait(until: .now + .seconds(120)) { function.file("starts") == "started\n" })
  }

  @Test func anEventThatEndsWhileItIsReadAgainRunsOnce() async throws {
    try await start(20)
    engine.beginAnew()
    let (order, reading) = try await ordered()
    #expect(reading.arrivals.map(\.place.id) == [20])

    try function.directory.write("", to: "go")
    try #require(try await Patience.wait(until: .now + .seconds(120)) { !engine.ended.isEmpty })
    _ = engine.take(reading, order, isMoved: false)

    #expect(engine.load(of: "f") == (waiting: 0, running: 0))
    try await turn()
    #expect(try await database.query("SELECT FROM runner.events").isEmpty)
    await function.close()
  }

  @Test func anEventThatRunsIsNotLoadedAgainAmongThoseThatHadBeenLeft() async throws {
    try await start(20)
    try await insert([10, 30])
    engine.lines["f"]?.most = 1
    engine.beginAnew()
    try await turn()
    #expect(engine.lines["f"]?.unread[0] == Unread(after: 9, through: 30))

    engine.lines["f"]?.most = 100
    try await turn()

    let load = engine.load(of: "f")
    #expect(load.waiting + load.running == 3)
    try function.directory.write("", to: "go")
    await function.close()
  }

  @Test func anEventThatIsCommittedBetweenTheReadingsOfATurnIsTakenOnce() async throws {
    try await start(10)
    engine.lines["f"]?.most = 1
    let before = try await ordered()
    try await insert([15, 30])
    _ = engine.take(try await ordered().1, before.0, isMoved: false)
    #expect(engine.lines["f"]?.unread[0] == Unread(after: 14, through: 30))
    engine.lines["f"]?.most = 100

    // Two statements of one turn, each with a snapshot of its own: the first does not see the event, the second does.
    let order: EventStore.Order
    var reading: EventStore.Reading
    (order, reading) = try await database.transaction { writer in
      _ = try await writer.query(
        "INSERT INTO runner.events (lane, id, function, key, type, data) VALUES (0, 20, 'f', 'k', 't', '1')")
      return try await ordered()
    }
    reading.loaded = try EventStore.reading(try await engine.store.turn(order)).loaded
    #expect(reading.loaded.flatMap(\.events).map(\.place.id) == [15, 20, 30])
    _ = engine.take(reading, order, isMoved: false)
    try await turn()

    let load = engine.load(of: "f")
    #expect(load.waiting + load.running == 4)
    try function.directory.write("", to: "go")
    await function.close()
  }

  @Test func whatTheServerForgotIsNoEventThatWasPassedBy() async throws {
    try await start(20)
    try function.directory.write("", to: "go")
    try #require(try await Patience.wait(until: .now + .seconds(120)) { !engine.ended.isEmpty })
    try await turn()
    #expect(try await database.query("SELECT FROM runner.events").isEmpty)

    // As after a crash that took back a settlement: the row is there again, and the session is another one.
    try await insert([20])
    _ = try await database.query(
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE application_name = 'runner events' AND datname = current_database()
      """)
    for seconds in [10, 20] {
      engine.audit = EventAudit(now: .now - .seconds(seconds))
      try await engine.auditWhenDue()
      #expect(engine.audit.nextLook > .now, "it has looked")
      #expect(engine.suspects.isEmpty)
    }
    await function.close()
  }
}
