import Manifest
import System
import Testing
import Workers

/// A pool whose events go elsewhere.
struct EventTargetTests {
  /// Holds what it is sent until the test ends it.
  @RunnerLoop
  private final class HeldTarget: EventTarget {
    var outage: WorkerOutcome.Elsewhere?
    var sent: [(id: String, done: @RunnerLoop (WorkerOutcome) -> Void)] = []

    func send(_ jobs: [Job], then done: @escaping @RunnerLoop (Job, WorkerOutcome) -> Void) {
      for job in jobs { sent.append((job.id, { done(job, $0) })) }
    }
    func forgive() {}

    func breakOff() {
      while !sent.isEmpty { end(.init(.away, "broken off", .pause)) }
    }

    func end(_ end: WorkerOutcome.Elsewhere? = nil) {
      sent.removeFirst().done(WorkerOutcome(ending: end.map { .elsewhere($0) } ?? .exited(0, output: nil)))
    }
  }

  @RunnerLoop
  private final class Setting {
    let (pool, target): (FunctionPool, HeldTarget)
    var ended: [String] = []

    init(concurrency: Int) {
      var entry = FunctionEntry("function", optional: [])
      entry.concurrency = concurrency
      (pool, target) = (
        FunctionPool(entry, launch: Launch(executable: "/nonexistent", directory: "/"), log: { _ in }), HeldTarget()
      )
      pool.use(target)
    }

    func submit(_ id: String, chain: String? = nil, isAlone: Bool = false) {
      pool.submit(Job(id: id, line: [], chain: chain, isAlone: isAlone) { [self] in ended.append("\(id) \($0.code)") })
    }

    var sent: [String] { target.sent.map(\.id) }
  }

  @RunnerLoop
  @Test func asManyAreOnTheirWayAsMayBeAndTheOthersFollow() {
    let setting = Setting(concurrency: 2)
    for number in 1...4 { setting.submit("\(number)") }

    #expect(setting.sent == ["1", "2"])
    #expect((setting.pool.load, setting.pool.waiting, setting.pool.processes) == (4, 2, 0))
    #expect(Set(setting.pool.handled) == ["1", "2"])
    setting.target.end()
    #expect(setting.sent == ["2", "3"] && setting.ended == ["1 OK"])
  }

  @RunnerLoop
  @Test func eventsOfOneChainGoOneAfterTheOther() {
    let setting = Setting(concurrency: 8)
    setting.submit("a.1", chain: "a", isAlone: true)
    setting.submit("a.2", chain: "a")
    setting.submit("a.3", chain: "a", isAlone: true)
    setting.submit("b.1", chain: "b")

    #expect(setting.sent == ["a.1", "b.1"])
    setting.target.end()
    #expect(setting.sent == ["b.1", "a.2"])
    setting.target.end()
    setting.target.end()
    #expect(setting.sent == ["a.3"])
  }

  @RunnerLoop
  @Test func duringAnOutageOneEventMayTry() {
    let setting = Setting(concurrency: 8)
    #expect(setting.pool.capacity == 8)
    setting.target.outage = .init(.away, "away", .pause)
    #expect(setting.pool.capacity == 1)
  }

  @RunnerLoop
  @Test func itClosesWhenEverythingHasEnded() {
    let setting = Setting(concurrency: 1)
    var isClosed = false
    setting.submit("1")
    setting.submit("2")

    setting.pool.close(grace: nil) { isClosed = true }
    setting.target.end()
    #expect(!isClosed)
    setting.target.end()

    #expect(isClosed && setting.ended == ["1 OK", "2 OK"])
  }
}
