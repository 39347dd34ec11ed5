import FunctionKit
import Testing
import Workers

@testable import Manifest
@testable import Queue

/// The fate of events whose runs end.
struct QueueMachineEndingTests {
  private func isDead(_ attempt: EndedAttempt?) -> Bool {
    if case .deadLetter? = attempt?.settlement { true } else { false }
  }

  private func delay(_ attempt: EndedAttempt?) -> Double? {
    if case .retry(let delay)? = attempt?.settlement { delay } else { nil }
  }

  /// A machine in which one event runs that failed before.
  private func retried(attempt: Int = 1, crashes: Int = 0) -> MachineScene {
    var scene = MachineScene()
    scene.untilPoll()
    var answer = scene.seen()
    answer.retries = [.retry(1, attempt: attempt, crashes: crashes)]
    scene.answer(answer)
    return scene
  }

  @Test func aFailureIsTriedAgainLater() {
    var scene = MachineScene()
    scene.poll(.new(1))

    scene.end(1, .exited(1, output: nil))

    #expect(delay(scene.machine.ended.first) == Backoff.base)
    #expect(scene.machine.ended.first?.nextAttempt == 1)
  }

  @Test func aRetryIsStartedOnceHoweverOftenItIsReadAndAgainWhenItIsSettled() {
    var scene = retried()
    scene.untilPoll()
    #expect(scene.request?.retrying == [QueuedEvent.retry(1).place])
    var answer = scene.seen()
    answer.retries = [.retry(1)]
    scene.answer(answer)
    #expect(scene.starts == [1])

    scene.end(1, .exited(1, output: nil))
    scene.poll()
    scene.untilPoll()
    #expect(scene.request?.retrying == [])
    answer = scene.seen()
    answer.retries = [.retry(1, attempt: 2)]
    scene.answer(answer)

    #expect(scene.starts == [1, 1])
  }

  @Test func itWaitsNoLongerThanToTheNextRetry() {
    var scene = MachineScene()
    scene.fallAsleep()
    scene.untilPoll()
    var answer = scene.seen()
    answer.nextRetry = 0.25
    scene.answer(answer)

    scene.untilPoll()

    #expect(scene.waits == [.milliseconds(250)])
  }

  @Test func theLastAttemptIsADeadLetter() {
    var scene = retried(attempt: FunctionEntry.of("f").attempts - 1)

    scene.end(1, .exited(1, output: nil))

    #expect(isDead(scene.machine.ended.first))
    let notices = scene.effects(where: { if case .deadLetter = $0 { true } else { false } })
    #expect(notices.count == 1)
  }

  @Test func theThirdCrashIsADeadLetterAndTheSecondIsNot() {
    var scene = retried(crashes: 1)
    scene.end(1, .crashed(signal: 9))
    #expect(delay(scene.machine.ended.first) != nil)

    scene = retried(attempt: 2, crashes: 2)
    scene.end(1, .crashed(signal: 9))

    #expect(isDead(scene.machine.ended.first))
  }

  @Test func anEventThatCannotBeReadIsADeadLetterAtOnce() {
    var scene = MachineScene()
    scene.poll(.new(1))

    scene.end(1, .exited(65, output: nil))

    #expect(isDead(scene.machine.ended.first))
  }

  @Test func anEventThatIsTooLargeIsADeadLetterWithoutARun() {
    var scene = MachineScene()
    var large = NewEvent.new(1)
    large.event?.line = []
    scene.poll(large, .new(2))

    #expect(scene.starts == [2])
    #expect(scene.machine.ended.map(\.code) == ["TOO_LARGE"])
    #expect(scene.machine.runs == 1)
  }

  @Test func whatRanOutOfTimeWhileTheDatabaseWasAwayUsesUpNoAttempt() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2))
    scene.untilPoll()
    scene.fail(.database("away", isOfNetwork: true))

    scene.end(1, .timedOut(seconds: 30), after: .seconds(30))
    scene.pass(.seconds(60))
    scene.end(2, .timedOut(seconds: 30), after: .seconds(30))

    #expect(scene.machine.ended.map(\.isCounted) == [false, true], "the second began after it")
  }

  @Test func aPausedFunctionStartsNothingUntilItIsResumedAndUsesUpNoAttempt() {
    var scene = MachineScene()
    scene.poll(.new(1), .new(2))
    scene.end(1, .exited(78, output: nil))
    scene.end(2, .exited(78, output: nil))
    scene.poll(.new(3))
    #expect(scene.starts == [1, 2])
    #expect(scene.toSettle.isEmpty)
    let effects = scene.effects()
    #expect(effects.notices.count { if case .paused = $0 { true } else { false } } == 1)
    #expect(effects.pauses == 1, "the task that looks whether it is mended is woken once")
    scene.untilPoll()
    #expect(scene.request?.retried == [], "its failed events wait, too")
    scene.answer()
    #expect(scene.machine.isIdle)

    scene.machine.resume("f")
    scene.start(["f"])

    #expect(scene.starts.sorted() == [1, 1, 2, 2, 3])
  }

  @Test func eventsOfOneKeyRunOneAfterTheOtherAndTheNextStartsWithoutARequest() {
    var scene = MachineScene()
    scene.poll(.new(1, key: "a"), .new(2, key: "a"), .new(3, key: "b"))
    #expect(scene.starts == [1, 3])

    scene.end(1)

    #expect(scene.starts == [1, 3, 2])
  }

  @Test func aFailedEventHoldsItsKeyAndTheNextIsReadWhenItIsGone() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "a"), .new(2, key: "a"))
    scene.end(1, .exited(65, output: nil))
    #expect(scene.starts == [1])
    scene.poll()
    scene.blockers = [.init(function: "f", key: "a", partition: 0, id: 1)]
    scene.machine.unblock()
    scene.untilPoll()
    #expect(scene.request?.backlog.isEmpty == true, "the dead letter is still there")
    scene.answer()

    scene.blockers = []
    scene.machine.unblock()
    scene.untilPoll()

    #expect(scene.request?.backlog.map(\.key) == ["a"])
  }

  @Test func aHeldKeyGoesOnWhenFailuresHoldNoKeysAnyMore() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "a"), .new(2, key: "a"))
    scene.end(1, .exited(65, output: nil))
    scene.poll()

    scene.machine.use(.init([.of("f")]), now: scene.now)
    scene.untilPoll()

    #expect(scene.request?.backlog.map(\.key) == ["a"])
  }

  @Test func aHeldKeyOfAFunctionThatIsGoneWaitsForItsReturn() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "a"), .new(2, key: "a"))
    scene.end(1, .exited(65, output: nil))
    scene.blockers = [.init(function: "f", key: "a", partition: 0, id: 1)]
    scene.poll()

    for functions in [[], [FunctionEntry.of("f", blocks: true)]] {
      scene.machine.use(.init(functions), now: scene.now)
      scene.untilPoll()
      #expect(scene.request?.backlog.isEmpty == true)
      scene.answer()
    }

    #expect(scene.starts == [1])
  }

  @Test func aFailureWhoseEndIsOnItsWayGoesOnHoldingItsKey() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.poll(.new(1, key: "a"), .new(2, key: "a"))
    scene.end(1, .exited(65, output: nil))
    scene.untilPoll()

    // The database does not know of it yet.
    let request = QueueMachine.BlockerRequest(functions: ["f"], partitions: [0])
    scene.start(scene.machine.take([], of: request))
    scene.answer()
    scene.untilPoll()

    #expect(scene.starts == [1])
    #expect(scene.request?.backlog.isEmpty == true)
  }

  @Test func aKeyIsFreeWhenTheSuccessThatFreesItIsOnItsWay() {
    var scene = MachineScene([.of("f", blocks: true)])
    scene.blockers = [.init(function: "f", key: "a", partition: 0, id: 1)]
    scene.poll()
    scene.untilPoll()
    var answer = scene.seen()
    answer.retries = [.retry(1, key: "a")]
    scene.answer(answer)
    scene.end(1)

    // The database still has it among the failed ones.
    let request = QueueMachine.BlockerRequest(functions: ["f"], partitions: [0])
    scene.start(scene.machine.take(scene.blockers, of: request))
    scene.poll(.new(2, key: "a"))

    #expect(scene.starts == [1, 2])
  }
}
