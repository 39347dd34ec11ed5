import FoundationEssentials
import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import Queue
@testable import System

/// Which failed events are too old to be tried again, and by whose clock.
@Suite(.heavy)
@RunnerLoop
struct EventAgeTests {
  /// The clocks of a runner, and an event that fails.
  struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// How many days the machine's clock is ahead of the database's.
    var machine = 0.0
    /// How many days the events' clock was set ahead.
    var virtual = 0.0
    /// How many days old the event is by the database's clock.
    var age = 0
    let isTriedAgain: Bool
  }

  @Test(arguments: [
    Course(testDescription: "a new event", isTriedAgain: true),
    Course(testDescription: "an old event", age: 2, isTriedAgain: false),
    Course(testDescription: "a new event of a machine that is ahead", machine: 2, isTriedAgain: true),
    Course(testDescription: "an old event of a machine that is ahead", machine: 2, age: 2, isTriedAgain: false),
    Course(testDescription: "an old event of a machine that is behind", machine: -2, age: 2, isTriedAgain: true),
    Course(testDescription: "an event from before the clock was set ahead", virtual: 2, isTriedAgain: false),
    Course(testDescription: "the same on a machine that is ahead", machine: 2, virtual: 2, isTriedAgain: false),
  ])
  func theEarlierClockDecides(_ course: Course) async throws {
    let captured = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let function = try ScriptedPool("cat >/dev/null; exit 75", mode: .oneshot)
    let store = EventStore(
      database: EventStore.connection(captured.url), owner: "00000000-0000-4000-8000-000000000001", holder: 1,
      name: "test", leaseSeconds: 60, history: History())
    let engine = EventEngine(
      store: store, pools: ["f": function.pool], log: Log(write: { _ in }),
      clock: { .now.addingTimeInterval(course.machine * 86_400) }, offset: { course.virtual * 86_400 })
    _ = try await captured.connection.query(
      """
      INSERT INTO runner.events (partition, id, function, key, type, data, at)
      VALUES (0, 20, 'f', 'k', 't', '1', now() - make_interval(days => \(course.age)::int))
      """)
    try await engine.perform(.hold(["f"], asksOthers: false))

    try await poll(engine)
    try #require(try await Polling.wait(until: .now + .seconds(120)) { !engine.machine.ended.isEmpty })
    try await poll(engine)

    let rows = try await captured.connection.query(
      "SELECT (SELECT count(*) FROM runner.retries) AS waiting, (SELECT count(*) FROM runner.dead_letters) AS dead"
    ).only()
    #expect(try rows.decode("waiting", as: Int.self) == (course.isTriedAgain ? 1 : 0))
    #expect(try rows.decode("dead", as: Int.self) == (course.isTriedAgain ? 0 : 1))
    await function.close()
  }

  /// Lets the machine ask, up to its next poll and with it.
  private func poll(_ engine: EventEngine) async throws {
    while true {
      let step = engine.machine.next(now: .now)
      try await engine.perform(step)
      if case .poll = step { return }
    }
  }
}
