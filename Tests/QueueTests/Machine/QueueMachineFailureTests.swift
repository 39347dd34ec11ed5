import Testing
import Workers

@testable import Queue

/// Answers that do not come, and the end.
struct QueueMachineFailureTests {
  @Test func anAnswerThatIsLostIsSettledOnceMore() {
    var scene = MachineScene()
    scene.poll(.new(1))
    scene.end(1)
    scene.untilPoll()

    scene.fail(.database("lost", isOfNetwork: true))
    #expect(scene.toSettle == [1])
    guard case .wait(.milliseconds(100), hearsWakeUps: false) = scene.next() else {
      return #expect(Bool(false), "it does not wait")
    }
    scene.untilPoll()

    #expect(scene.request?.ended.map(\.place.id) == [1])
    #expect(scene.request?.cursors[0]?.last == 1, "what was read is known")
  }

  @Test func whatEndsMeanwhileIsSettledAfterIt() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2))
    scene.end(1)
    scene.untilPoll()
    scene.end(2)

    scene.fail(.database("lost", isOfNetwork: true))

    #expect(scene.toSettle == [1, 2])
  }

  @Test func failuresAreWaitedOutLongerAndLongerAndSaidOnce() {
    var scene = MachineScene()
    var said: [QueueNotice] = []
    for _ in 0..<8 {
      scene.untilPoll()
      scene.fail(.database("away", isOfNetwork: true))
      said += scene.effects(where: { if case .databaseAway = $0 { true } else { false } })
      #expect(scene.machine.isAway(at: scene.now + .seconds(1)))
    }
    scene.untilPoll()

    #expect(scene.waits == [.milliseconds(2_000)])
    #expect(said.count == 1)
    scene.answer()
    scene.untilPoll()
    scene.fail(.database("away again", isOfNetwork: true))
    let notices = scene.effects(where: { if case .databaseAway = $0 { true } else { false } })
    #expect(notices.count == 1)
  }

  @Test func aWakeUpDoesNotShortenTheWaitAfterAFailure() {
    var scene = MachineScene()
    scene.untilPoll()
    scene.fail(.database("away", isOfNetwork: true))

    scene.machine.heard()

    guard case .wait(_, hearsWakeUps: false) = scene.next() else { return #expect(Bool(false), "it hears") }
  }

  @Test func afterALostSessionEverythingIsReadAgainAndNothingStartsTwice() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2))
    scene.end(1)
    scene.untilPoll()

    scene.fail(.otherSession)
    scene.untilPoll()
    #expect(scene.request?.cursors == [0: PartitionCursor()])
    #expect(scene.request?.session == nil)
    #expect(scene.request?.ended.map(\.session) == [1], "it was read in another session")
    scene.answer([.new(2), .new(3)], session: 2)

    #expect(scene.starts == [1, 2, 3], "the first is settled by the same request, the second still runs")
  }

  /// Failures that make a runner read everything again.
  enum StartingOver: CaseIterable {
    case sessionLostWithTheFailure, sessionLostBeforeIt, moreFunctions
  }

  /// The database does not know of the failure when it is asked which keys are held: the answer must not free the key.
  @Test(arguments: StartingOver.allCases, [1, 65] as [Int32])
  func aFailureThatIsNotSettledHoldsItsKeyWhenEverythingIsReadAgain(_ reason: StartingOver, _ exit: Int32) {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "a"), .new(2, key: "a"))
    if reason == .sessionLostBeforeIt { scene.untilPoll() }
    scene.end(1, .exited(exit, output: nil))
    if reason == .sessionLostWithTheFailure { scene.untilPoll() }
    if reason == .moreFunctions {
      scene.machine.use(.init([.of("f", blocks: true), .of("g")]), now: scene.now)
    } else {
      scene.fail(.otherSession)
    }

    scene.untilPoll()
    #expect(scene.request?.ended.map(\.place.id) == [1])
    scene.answer([.new(2, key: "a")], session: reason == .moreFunctions ? 1 : 2)
    #expect(scene.starts == [1])
    scene.blockers = [.init(function: "f", key: "a", partition: 0, id: 1)]
    scene.poll()
    #expect(scene.starts == [1], "now the tables say so")
    scene.blockers = []
    scene.machine.unblock()
    scene.untilPoll()

    #expect(scene.request?.backlog.map(\.key) == ["a"])
  }

  @Test func aFailureOfAnEventThatTheServerHasForgottenHoldsNoKey() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "a"))
    scene.end(1, .exited(65, output: nil))
    scene.untilPoll()
    scene.fail(.otherSession)
    scene.untilPoll()

    // It came back from an older state: there was nothing to settle, and no dead letter is there.
    scene.answer([.new(2, key: "a")], session: 2)
    #expect(scene.starts == [1])
    scene.untilPoll()

    #expect(scene.request?.backlog.map(\.key) == ["a"])
  }

  @Test func aFencedRequestAsksAtOnceWhichPartitionsAreItsOwn() {
    var scene = MachineScene()
    scene.poll()
    scene.untilPoll()

    scene.fail(.fenced)
    _ = scene.next()

    guard case .hold = scene.next() else { return #expect(Bool(false), "it does not ask") }
    let notices = scene.effects(where: { if case .databaseAway = $0 { true } else { false } })
    #expect(notices.isEmpty)
  }

  @Test func aLeaseThatWasNotProlongedIsAskedForAgain() {
    var scene = MachineScene()
    let hold = scene.next()
    scene.machine.failed(hold, .database("away", isOfNetwork: true), now: scene.now)
    _ = scene.next()

    guard case .hold = scene.next() else { return #expect(Bool(false), "it does not ask") }
  }

  @Test func anotherGroupWithTheSameFunctionIsNamedAndTheDatabaseIsNotAway() {
    var scene = MachineScene()
    scene.poll()
    scene.machine.lookForPartitions()
    scene.untilStep { if case .hold = $0 { true } else { false } }
    scene.machine.failed(.hold(["f"], asksOthers: true), .conflict("it has f"), now: scene.now)

    let notices = scene.effects(where: { if case .conflict = $0 { true } else { false } })
    #expect(notices.count == 1)
    #expect(!scene.machine.isAway(at: scene.now))
  }

  @Test func heldKeysThatCouldNotBeReadAreAskedForAgain() {
    var scene = MachineScene([.of("f", blocks: true)])
    let step = scene.untilStep { if case .readBlockers = $0 { true } else { false } }
    scene.machine.failed(step, .database("away", isOfNetwork: true), now: scene.now)

    let again = scene.untilStep { if case .readBlockers = $0 { true } else { false } }

    if case .readBlockers = again {} else { #expect(Bool(false), "it polls before it knows") }
  }

  @Test func anAuditInALostSessionSaysNothingAndStopsNothing() {
    var scene = MachineScene()
    scene.fallAsleep()
    scene.pass(EventAudit.interval)
    let step = scene.untilStep { if case .audit = $0 { true } else { false } }

    scene.machine.failed(step, .otherSession, now: scene.now)

    guard case .poll = scene.next() else { return #expect(Bool(false), "it does not poll") }
    #expect(scene.machine.suspects.isEmpty)
  }

  @Test func aStoppedMachineStartsAndReadsNothingAndEndsWhenAllIsSettled() {
    var scene = MachineScene()
    scene.poll(.new(1, key: "k"), .new(2, key: "k"))

    scene.machine.stop()
    scene.untilPoll(steps: 30)
    #expect(scene.request.map(\.lease) == nil, "an event still runs")
    scene.end(1)
    #expect(scene.starts == [1])
    scene.untilPoll()
    #expect(scene.request?.ended.map(\.place.id) == [1] && scene.request?.cursors.isEmpty == true)
    scene.answer()

    let end = scene.untilStep { if case .end = $0 { true } else { false } }
    if case .end(leaves: true) = end {} else { #expect(Bool(false), "it does not end") }
  }

  @Test func aStoppedMachineGivesUpWhenTheDatabaseStaysAway() {
    var scene = MachineScene()
    scene.poll(.new(1))
    scene.end(1)
    scene.machine.stop()
    for _ in 0..<4 {
      scene.untilPoll()
      scene.fail(.database("away", isOfNetwork: true))
    }

    guard case .end(leaves: false) = scene.next() else { return #expect(Bool(false), "it goes on") }
  }

  /// The function pauses while the event is read again, and stands in line when the event comes.
  @Test func whatIsPutBackAfterStartingOverRunsOnceMoreOnly() {
    var scene = MachineScene()
    scene.poll(.new(1))
    scene.machine.startOver(scene.now)
    scene.poll(.new(1))
    scene.end(1, .exited(78, output: nil))
    scene.poll(.new(1, isLate: true))

    scene.machine.resume("f")
    scene.start(["f"])
    scene.end(1)
    scene.poll()
    scene.poll()

    #expect(scene.starts == [1, 1])
  }

  /// Held keys are asked for before anything is read, also where everything is read again between two steps.
  @Test func nothingIsReadBeforeItIsKnownWhatHoldsKeys() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "k"))
    scene.end(1, .exited(1, output: nil))
    scene.poll()
    scene.blockers = [.init(function: "f", key: "k", partition: 0, id: 1)]
    for _ in 0..<20 {
      if case .readBlockers(let request) = scene.next() {
        _ = scene.machine.take(scene.blockers, of: request)
        break
      }
      scene.machine.unblock()
    }

    scene.machine.startOver(scene.now)
    scene.poll(.new(2, key: "k"))

    #expect(!scene.starts.contains(2))
  }
}
