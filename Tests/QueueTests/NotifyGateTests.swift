import Testing

@testable import Queue

struct NotifyGateTests {
  private let start = ContinuousClock.now

  private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  /// A runner that holds the locks of partitions 0 and 1 and may sleep.
  private func asleep() -> NotifyGate {
    var gate = NotifyGate(now: start)
    _ = gate.request(partitions: [0, 1], now: moment(10))
    gate.saw(events: 0, taken: [0, 1], own: nil, xmin: 1, now: moment(11))
    _ = gate.request(partitions: [0, 1], now: moment(12))
    gate.saw(events: 0, taken: [], own: 1, xmin: 1, now: moment(13))
    return gate
  }

  /// One under load.
  private func awake() -> NotifyGate {
    var gate = asleep()
    gate.saw(events: NotifyGate.load, taken: [], own: 1, xmin: 1, now: moment(80))
    _ = gate.request(partitions: [0, 1], now: moment(100))
    return gate
  }

  @Test func itSleepsOnlyWithTheLocksOfAllItsPartitions() {
    var gate = NotifyGate(now: start)
    #expect(gate.request(partitions: [0, 1], now: moment(1)).takes == [0, 1])
    #expect(gate.poll == NotifyGate.settlingPoll)

    gate.saw(events: 0, taken: [1], own: 1, xmin: 1, now: moment(2))
    #expect(gate.poll == NotifyGate.settlingPoll, "a writer had the other one")
    #expect(gate.request(partitions: [0, 1], now: moment(7)).takes == [0])
    gate.saw(events: 0, taken: [0], own: 1, xmin: 1, now: moment(8))
    #expect(gate.poll == NotifyGate.settlingPoll, "the number is older than the lock")
    #expect(gate.request(partitions: [0, 1], now: moment(13)).needsNumber)
    gate.saw(events: 0, taken: [], own: 2, xmin: 2, now: moment(14))

    #expect(gate.poll == nil)
    #expect(gate.request(partitions: [0, 1], now: moment(200)).statements.isEmpty)
  }

  @Test func whoFoundALockFreeIsLookedForUntilEverybodyOfThatTimeHasCommitted() {
    var gate = NotifyGate(now: start)
    _ = gate.request(partitions: [0, 1], now: moment(1))
    gate.saw(events: 0, taken: [0], own: 3, xmin: 9, now: moment(2))
    #expect(!gate.request(partitions: [0, 1], now: moment(7)).needsNumber, "it would be older than the second lock")
    gate.saw(events: 0, taken: [1], own: 5, xmin: 9, now: moment(8))
    #expect(gate.poll == NotifyGate.settlingPoll, "the second was free until now")
    #expect(gate.request(partitions: [0, 1], now: moment(9)).needsNumber)
    gate.saw(events: 0, taken: [], own: 10, xmin: 9, now: moment(13))
    #expect(gate.poll == NotifyGate.settlingPoll)
    #expect(!gate.request(partitions: [0, 1], now: moment(14)).needsNumber)
    gate.saw(events: 0, taken: [], own: 12, xmin: 9, now: moment(15))
    #expect(gate.poll == NotifyGate.settlingPoll)
    gate.saw(events: 0, taken: [], own: nil, xmin: 10, now: moment(18))

    #expect(gate.poll == nil)
  }

  /// Where transactions may be prepared, writers notify no runner.
  @Test func whereNobodyRingsItTakesNoLockAndPolls() {
    var gate = NotifyGate(now: start)
    _ = gate.request(partitions: [0, 1], now: moment(1))

    gate.saw(events: 0, taken: [], own: nil, xmin: 1, isNotified: false, now: moment(2))

    #expect(gate.poll == NotifyGate.silentPoll)
    #expect(gate.request(partitions: [0, 1], now: moment(60)).statements.isEmpty)
  }

  @Test func itDoesNotLookForEverForATransactionThatGoesOn() {
    var gate = NotifyGate(now: start)
    _ = gate.request(partitions: [0, 1], now: moment(1))
    gate.saw(events: 0, taken: [0, 1], own: 9, xmin: 5, now: moment(2))

    gate.saw(events: 0, taken: [], own: 9, xmin: 5, now: moment(1_000))
    #expect(gate.poll == NotifyGate.settlingPoll)
    gate.saw(events: 0, taken: [], own: 9, xmin: 5, now: moment(1_010))

    #expect(gate.poll == nil)
  }

  /// While another runner holds it, writers notify that one, and this one hears it as well.
  @Test func aLockThatAnotherRunnerHasIsTriedAgainAndNotAwaitedForEver() {
    var gate = NotifyGate(now: start)
    _ = gate.request(partitions: [0, 1], now: moment(1))
    gate.saw(events: 0, taken: [0], own: 1, xmin: 1, now: moment(2))
    gate.saw(events: 0, taken: [], own: 1, xmin: 1, now: moment(1_010))
    #expect(gate.poll == nil)

    #expect(gate.request(partitions: [0, 1], now: moment(2_000)).takes == [1])
    gate.saw(events: 0, taken: [1], own: 9, xmin: 5, now: moment(2_001))

    #expect(gate.poll == NotifyGate.settlingPoll, "it was free before")
  }

  @Test func fewEventsAreRungFor() {
    var gate = asleep()
    gate.saw(events: NotifyGate.load - 1, taken: [], own: 1, xmin: 1, now: moment(60))

    #expect(gate.request(partitions: [0, 1], now: moment(100)).statements.isEmpty)
    #expect(gate.poll == nil)
  }

  @Test func underLoadTheLocksAreReleasedAndTheRunnerLooksByItself() {
    var gate = asleep()
    gate.saw(events: NotifyGate.load, taken: [], own: 1, xmin: 1, now: moment(60))

    let request = gate.request(partitions: [0, 1], now: moment(100))

    #expect(request.releases && request.takes.isEmpty)
    #expect(gate.poll == NotifyGate.awakePoll)
    #expect(gate.isAwake)
    #expect(gate.request(partitions: [0, 1], now: moment(110)).statements.isEmpty)
  }

  @Test func afterTheLoadItTakesTheLocksAgain() {
    var gate = awake()
    gate.saw(events: 1, taken: [], own: 1, xmin: 1, now: moment(110))
    #expect(gate.request(partitions: [0, 1], now: moment(160)).statements.isEmpty)
    gate.saw(events: 0, taken: [], own: 1, xmin: 1, now: moment(161))

    #expect(gate.request(partitions: [0, 1], now: moment(220)).takes == [0, 1])
    gate.saw(events: 0, taken: [0, 1], own: 9, xmin: 9, now: moment(221))
    gate.saw(events: 0, taken: [], own: 10, xmin: 10, now: moment(226))

    #expect(gate.poll == nil)
  }

  @Test func theLockOfAPartitionThatIsGivenAwayIsReleased() {
    var gate = asleep()

    let request = gate.request(partitions: [1], now: moment(20))

    #expect(request.releases && request.takes == [1])
    #expect(gate.poll == NotifyGate.settlingPoll)
  }

  @Test func theLockOfANewPartitionIsTakenBeforeItSleepsOn() {
    var gate = asleep()

    #expect(gate.request(partitions: [0, 1, 2], now: moment(20)).takes == [2])
    gate.saw(events: 0, taken: [2], own: 9, xmin: 5, now: moment(21))

    #expect(gate.poll == NotifyGate.settlingPoll)
  }

  @Test func aNewPartitionWhoseLockAWriterHasForAnInstantIsLookedAfter() {
    var gate = asleep()
    _ = gate.request(partitions: [0, 1, 2], now: moment(20))

    gate.saw(events: 0, taken: [], own: 9, xmin: 9, now: moment(21))

    #expect(gate.poll == NotifyGate.settlingPoll, "who has it notifies nobody")
    #expect(gate.request(partitions: [0, 1, 2], now: moment(25)).takes == [2])
  }

  @Test func afterAPollThatFailedNothingIsKnownOfTheLocks() {
    var gate = asleep()

    gate.failed(now: moment(50))

    #expect(gate.poll == NotifyGate.settlingPoll)
    let request = gate.request(partitions: [0, 1], now: moment(51))
    #expect(request.releases && request.takes == [0, 1])
    #expect(!gate.request(partitions: [0, 1], now: moment(52)).releases)
  }
}
