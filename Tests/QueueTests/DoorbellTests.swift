import Testing

@testable import Queue

struct DoorbellTests {
  private let start = ContinuousClock.now

  private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  /// A runner that holds the locks of lanes 0 and 1 and may sleep.
  private func asleep() -> Doorbell {
    var bell = Doorbell(now: start)
    _ = bell.order(lanes: [0, 1], now: moment(10))
    bell.saw(events: 0, taken: [0, 1], own: nil, xmin: 1, now: moment(11))
    _ = bell.order(lanes: [0, 1], now: moment(12))
    bell.saw(events: 0, taken: [], own: 1, xmin: 1, now: moment(13))
    return bell
  }

  /// One under load.
  private func awake() -> Doorbell {
    var bell = asleep()
    bell.saw(events: Doorbell.load, taken: [], own: 1, xmin: 1, now: moment(80))
    _ = bell.order(lanes: [0, 1], now: moment(100))
    return bell
  }

  @Test func itSleepsOnlyWithTheLocksOfAllItsLanes() {
    var bell = Doorbell(now: start)
    #expect(bell.order(lanes: [0, 1], now: moment(1)).takes == [0, 1])
    #expect(bell.poll == Doorbell.settlingPoll)

    bell.saw(events: 0, taken: [1], own: 1, xmin: 1, now: moment(2))
    #expect(bell.poll == Doorbell.settlingPoll, "a writer had the other one")
    #expect(bell.order(lanes: [0, 1], now: moment(7)).takes == [0])
    bell.saw(events: 0, taken: [0], own: 1, xmin: 1, now: moment(8))
    #expect(bell.poll == Doorbell.settlingPoll, "the number is older than the lock")
    #expect(bell.order(lanes: [0, 1], now: moment(13)).needsNumber)
    bell.saw(events: 0, taken: [], own: 2, xmin: 2, now: moment(14))

    #expect(bell.poll == nil)
    #expect(bell.order(lanes: [0, 1], now: moment(200)).statements.isEmpty)
  }

  @Test func whoFoundALockFreeIsLookedForUntilEverybodyOfThatTimeHasCommitted() {
    var bell = Doorbell(now: start)
    _ = bell.order(lanes: [0, 1], now: moment(1))
    bell.saw(events: 0, taken: [0], own: 3, xmin: 9, now: moment(2))
    #expect(!bell.order(lanes: [0, 1], now: moment(7)).needsNumber, "it would be older than the second lock")
    bell.saw(events: 0, taken: [1], own: 5, xmin: 9, now: moment(8))
    #expect(bell.poll == Doorbell.settlingPoll, "the second was free until now")
    #expect(bell.order(lanes: [0, 1], now: moment(9)).needsNumber)
    bell.saw(events: 0, taken: [], own: 10, xmin: 9, now: moment(13))
    #expect(bell.poll == Doorbell.settlingPoll)
    #expect(!bell.order(lanes: [0, 1], now: moment(14)).needsNumber)
    bell.saw(events: 0, taken: [], own: 12, xmin: 9, now: moment(15))
    #expect(bell.poll == Doorbell.settlingPoll)
    bell.saw(events: 0, taken: [], own: nil, xmin: 10, now: moment(18))

    #expect(bell.poll == nil)
  }

  /// Where transactions may be prepared, writers ring no runner.
  @Test func whereNobodyRingsItTakesNoLockAndPolls() {
    var bell = Doorbell(now: start)
    _ = bell.order(lanes: [0, 1], now: moment(1))

    bell.saw(events: 0, taken: [], own: nil, xmin: 1, isRung: false, now: moment(2))

    #expect(bell.poll == Doorbell.silentPoll)
    #expect(bell.order(lanes: [0, 1], now: moment(60)).statements.isEmpty)
  }

  @Test func itDoesNotLookForEverForATransactionThatGoesOn() {
    var bell = Doorbell(now: start)
    _ = bell.order(lanes: [0, 1], now: moment(1))
    bell.saw(events: 0, taken: [0, 1], own: 9, xmin: 5, now: moment(2))

    bell.saw(events: 0, taken: [], own: 9, xmin: 5, now: moment(1_000))
    #expect(bell.poll == Doorbell.settlingPoll)
    bell.saw(events: 0, taken: [], own: 9, xmin: 5, now: moment(1_010))

    #expect(bell.poll == nil)
  }

  /// While another runner holds it, writers ring for that one, and this one hears it as well.
  @Test func itDoesNotWaitForEverForALockThatAnotherRunnerHasAndStillTriesToGetIt() {
    var bell = Doorbell(now: start)
    _ = bell.order(lanes: [0, 1], now: moment(1))
    bell.saw(events: 0, taken: [0], own: 1, xmin: 1, now: moment(2))
    bell.saw(events: 0, taken: [], own: 1, xmin: 1, now: moment(1_010))
    #expect(bell.poll == nil)

    #expect(bell.order(lanes: [0, 1], now: moment(2_000)).takes == [1])
    bell.saw(events: 0, taken: [1], own: 9, xmin: 5, now: moment(2_001))

    #expect(bell.poll == Doorbell.settlingPoll, "it was free before")
  }

  @Test func fewEventsAreRungFor() {
    var bell = asleep()
    bell.saw(events: Doorbell.load - 1, taken: [], own: 1, xmin: 1, now: moment(60))

    #expect(bell.order(lanes: [0, 1], now: moment(100)).statements.isEmpty)
    #expect(bell.poll == nil)
  }

  @Test func underLoadTheLocksAreReleasedAndTheRunnerLooksByItself() {
    var bell = asleep()
    bell.saw(events: Doorbell.load, taken: [], own: 1, xmin: 1, now: moment(60))

    let order = bell.order(lanes: [0, 1], now: moment(100))

    #expect(order.releases && order.takes.isEmpty)
    #expect(bell.poll == Doorbell.awakePoll)
    #expect(bell.isAwake)
    #expect(bell.order(lanes: [0, 1], now: moment(110)).statements.isEmpty)
  }

  @Test func afterTheLoadItTakesTheLocksAgain() {
    var bell = awake()
    bell.saw(events: 1, taken: [], own: 1, xmin: 1, now: moment(110))
    #expect(bell.order(lanes: [0, 1], now: moment(160)).statements.isEmpty)
    bell.saw(events: 0, taken: [], own: 1, xmin: 1, now: moment(161))

    #expect(bell.order(lanes: [0, 1], now: moment(220)).takes == [0, 1])
    bell.saw(events: 0, taken: [0, 1], own: 9, xmin: 9, now: moment(221))
    bell.saw(events: 0, taken: [], own: 10, xmin: 10, now: moment(226))

    #expect(bell.poll == nil)
  }

  @Test func theLockOfALaneThatIsGivenAwayIsReleased() {
    var bell = asleep()

    let order = bell.order(lanes: [1], now: moment(20))

    #expect(order.releases && order.takes == [1])
    #expect(bell.poll == Doorbell.settlingPoll)
  }

  @Test func theLockOfANewLaneIsTakenBeforeItSleepsOn() {
    var bell = asleep()

    #expect(bell.order(lanes: [0, 1, 2], now: moment(20)).takes == [2])
    bell.saw(events: 0, taken: [2], own: 9, xmin: 5, now: moment(21))

    #expect(bell.poll == Doorbell.settlingPoll)
  }

  @Test func aNewLaneWhoseLockAWriterHasForAnInstantIsLookedAfter() {
    var bell = asleep()
    _ = bell.order(lanes: [0, 1, 2], now: moment(20))

    bell.saw(events: 0, taken: [], own: 9, xmin: 9, now: moment(21))

    #expect(bell.poll == Doorbell.settlingPoll, "who has it rings nobody")
    #expect(bell.order(lanes: [0, 1, 2], now: moment(25)).takes == [2])
  }

  @Test func afterATurnThatFailedNothingIsKnownOfTheLocks() {
    var bell = asleep()

    bell.failed(now: moment(50))

    #expect(bell.poll == Doorbell.settlingPoll)
    let order = bell.order(lanes: [0, 1], now: moment(51))
    #expect(order.releases && order.takes == [0, 1])
    #expect(!bell.order(lanes: [0, 1], now: moment(52)).releases)
  }
}
