import Testing

@testable import Manifest
@testable import Queue

/// The cycle: what is asked, when, and what is taken of the answers.
struct QueueMachineTests {
  @Test func itHoldsPartitionsThenLearnsOfHeldKeysThenPolls() {
    var scene = MachineScene([.of("f", blocks: true)])

    guard case .hold(["f"], asksOthers: true) = scene.next() else { return #expect(Bool(false), "no hold") }
    scene.machine.take(scene.holding, since: scene.now)
    guard case .readBlockers(let request) = scene.next() else { return #expect(Bool(false), "no keys") }
    #expect(request.functions == ["f"] && request.partitions == [0])
    _ = scene.machine.take([], of: request)

    guard case .poll(let poll) = scene.next() else { return #expect(Bool(false), "no poll") }
    #expect(poll.lease == [0: 1] && poll.cursors == [0: PartitionCursor()] && poll.ended.isEmpty)
    #expect(poll.session == nil, "any session may be the first")
  }

  @Test func oneRequestSettlesWhatHasEndedAndReadsFromWhereTheLastEnded() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2))
    #expect(scene.starts == [1, 2])
    scene.end(1)
    scene.end(2)

    let request = scene.untilPoll()

    #expect(request?.ended.map(\.place.id) == [1, 2])
    #expect(request?.cursors[0]?.last == 2)
    #expect(request?.session == 1, "the session that has read is the one that settles")
    #expect(scene.toSettle.isEmpty, "each end is asked for once")
  }

  @Test func whatEndsWhileARequestIsOnItsWayIsSettledByTheNext() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2))
    scene.end(1)
    let first = scene.untilPoll()
    scene.end(2)
    scene.answer()

    #expect(first?.ended.map(\.place.id) == [1])
    scene.untilPoll()
    #expect(scene.request?.ended.map(\.place.id) == [2])
  }

  @Test func aWakeUpWhileARequestIsOnItsWayIsNotLost() {
    var scene = MachineScene()
    scene.fallAsleep()
    scene.untilPoll()

    scene.machine.heard()
    scene.answer()

    #expect(!scene.machine.isIdle)
    let wakeUps = scene.effects().wakeUps
    #expect(wakeUps.contains(.zero), "the wait after it ends at once")
    scene.poll()
    #expect(scene.machine.isIdle)
  }

  @Test func itIsIdleOnlyWhenNothingIsOnItsWayOrRunsOrWaitsToBeSettled() {
    var scene = MachineScene()
    #expect(!scene.machine.isIdle, "nothing has been read yet")
    scene.untilPoll()
    #expect(!scene.machine.isIdle, "a request is on its way")
    scene.answer([.new(1)])
    #expect(!scene.machine.isIdle, "an event runs")
    scene.end(1)
    #expect(!scene.machine.isIdle, "its end is not settled")
    scene.untilPoll()
    #expect(!scene.machine.isIdle, "it is being settled")
    scene.answer()
    #expect(scene.machine.isIdle)
    scene.machine.wakeUp()
    #expect(!scene.machine.isIdle)
  }

  @Test func withNothingToDoItSleepsAndIsNoBusyLoop() {
    var scene = MachineScene()
    scene.fallAsleep()

    scene.untilPoll()

    #expect(scene.waits.count == 1 && scene.waits.allSatisfy { $0 > Reading.interval / 3 }, "\(scene.waits)")
  }

  @Test func asleepItAsksNothingWhileAnEventRuns() {
    var scene = MachineScene()
    scene.fallAsleep()
    scene.poll(.new(1))

    scene.untilPoll()
    #expect(scene.waits == [Reading.interval], "writers notify, and the end of the event wakes it up")
    scene.answer()
    scene.end(1)

    #expect(scene.effects().wakeUps == [.milliseconds(3)], "it waits for other ends, but not for long")
    #expect(scene.untilPoll()?.ended.map(\.place.id) == [1])
  }

  @Test func withoutPartitionsItAsksNothingButForPartitions() {
    var scene = MachineScene(partitions: [])
    scene.holding.share = 1

    scene.untilPoll(steps: 40)
    #expect(scene.request.map(\.lease) == nil)

    #expect(scene.waits.reduce(.zero, +) >= .milliseconds(300) * scene.waits.count)
    #expect(scene.machine.isIdle)
  }

  @Test func whatEndsIsSettledSoonAndInBatches() {
    var scene = MachineScene()
    scene.fallAsleep()
    scene.poll(contentsOf: (1...Int64(QueueMachine.settledAtOnce)).map { .new($0) }, limit: 1_000)
    _ = scene.effects()

    scene.end(1)
    var wakeUps = scene.effects().wakeUps
    #expect(wakeUps == [.milliseconds(3)])
    for id in 2..<Int64(QueueMachine.settledAtOnce) { scene.end(id) }
    wakeUps = scene.effects().wakeUps
    #expect(wakeUps == [])
    scene.end(Int64(QueueMachine.settledAtOnce))

    wakeUps = scene.effects().wakeUps
    #expect(wakeUps == [.zero])
  }

  @Test func underLoadEventsDoNotInterruptItsWait() {
    var scene = MachineScene()
    scene.fallAsleep()
    for batch in 0..<4 {
      let first = Int64(batch * NotifyGate.load)
      scene.poll(contentsOf: (1...Int64(NotifyGate.load)).map { .new(first + $0) })
      scene.pass(NotifyGate.window)
    }
    _ = scene.effects()

    scene.machine.heard()

    let wakeUps = scene.effects().wakeUps
    #expect(wakeUps == [])
    #expect(!scene.machine.isIdle)
  }

  @Test func anEventThatStandsInAHoleIsReadLateAndTheHoleClosesByANumber() {
    var scene = MachineScene()
    scene.allHaveEnded = false
    scene.poll(.new(1), .new(3))
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes.map(\.ids) == [2...2])
    #expect(scene.request?.needsNumber == true)
    scene.answer()
    #expect(scene.waits == [] || scene.waits.allSatisfy { $0 <= Reading.holeInterval.upperBound })

    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes.map(\.ids) == [2...2], "its writer may still commit")
    scene.answer([.new(2, isLate: true)])
    #expect(scene.starts == [1, 3, 2])
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes == [])
  }

  @Test func aHoleThatNobodyCanFillIsForgotten() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(3))
    scene.poll()

    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes == [])
  }

  @Test func whatHasNoRoomStaysInTheDatabaseAndIsReadWhenThereIs() {
    var scene = MachineScene(room: 2)
    scene.poll(.new(1), .new(2), .new(3), .new(4))
    #expect(scene.starts == [1, 2])
    scene.untilPoll()
    #expect(scene.request?.full == ["f"])
    #expect(scene.request?.backlog.isEmpty == true)
    scene.answer()
    scene.end(1)
    scene.end(2)

    scene.untilPoll()
    #expect(scene.request?.backlog.map(\.backlog) == [Backlog(after: 2, through: 4)])
    #expect(scene.request?.readsNew == false, "the backlog comes before what is new")
    var answer = scene.seen()
    answer.backlog[0].events = [.of(3), .of(4)]
    scene.answer(answer)

    #expect(scene.starts == [1, 2, 3, 4])
    #expect(scene.machine.queues["f"]?.backlog.isEmpty == true)
  }

  @Test func eventsOfAFunctionThatNobodyHasWaitAndAreNamedOnce() {
    var scene = MachineScene()
    scene.poll(.new(1, "gone"))
    scene.poll(.new(2, "gone"))

    let names = scene.effects().notices.compactMap { if case .unknownFunction(let name) = $0 { name } else { nil } }
    #expect(names == ["gone"])
    #expect(scene.starts.isEmpty)
  }

  @Test func anEventThatWasPassedByIsFoundByTheAuditAndRead() throws {
    var scene = MachineScene()
    scene.poll(.new(1), .new(3))
    // Its hole is given up, and yet it comes.
    scene.poll()
    for _ in 0..<2 {
      scene.pass(EventAudit.interval)
      let request = scene.machine.auditRequest(scene.now)
      let audit = try #require(request)
      let passed = EventAudit.Seen(place: QueuedEvent.of(2).place, function: "f", key: nil)
      scene.machine.take([[passed]] + audit.ranges.dropFirst().map { _ in [] }, of: audit, now: scene.now)
    }

    #expect(scene.machine.overtaken == 1)
    scene.untilPoll()
    #expect(scene.request?.cursors[0]?.holes.map(\.ids) == [2...2])
  }

  @Test func nothingIsAuditedWhileARequestIsOnItsWayOrBeforeAnythingWasRead() {
    var scene = MachineScene()
    scene.machine.take(scene.holding, since: scene.now)
    scene.pass(EventAudit.interval)
    var audit = scene.machine.auditRequest(scene.now)
    #expect(audit.map(\.ranges) == nil, "no session has read")
    scene.poll()
    scene.untilPoll()
    scene.pass(EventAudit.interval)

    audit = scene.machine.auditRequest(scene.now)
    #expect(audit.map(\.ranges) == nil)
  }
}
