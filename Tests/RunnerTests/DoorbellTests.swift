import Testing

@testable import Runner

struct DoorbellTests {
  private let start = ContinuousClock.now

  private func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  /// Under load, with the locks of lanes 0 and 1 held.
  private func awake() -> Doorbell {
    var bell = Doorbell()
    _ = bell.order(lanes: [0, 1], now: moment(100))
    bell.saw(events: Doorbell.load, taken: [], xmin: 1, xmax: 1, now: moment(110))
    _ = bell.order(lanes: [0, 1], now: moment(200))
    bell.saw(events: 100, taken: [0, 1], xmin: 1, xmax: 1, now: moment(201))
    return bell
  }

  @Test func fewEventsAreRungFor() {
    var bell = Doorbell()
    _ = bell.order(lanes: [0, 1], now: moment(100))
    bell.saw(events: Doorbell.load - 1, taken: [], xmin: 1, xmax: 1, now: moment(110))

    let order = bell.order(lanes: [0, 1], now: moment(200))

    #expect(order.takes.isEmpty)
    #expect(bell.poll == nil)
  }

  @Test func underLoadTheLocksAreTakenAndTheRunnerLooksByItself() {
    var bell = Doorbell()
    _ = bell.order(lanes: [0, 1], now: moment(100))
    bell.saw(events: Doorbell.load, taken: [], xmin: 1, xmax: 1, now: moment(110))

    let order = bell.order(lanes: [0, 1], now: moment(200))
    bell.saw(events: 1, taken: [1], xmin: 1, xmax: 1, now: moment(201))

    #expect(order.takes == [0, 1])
    #expect(bell.poll == Doorbell.awakePoll)
    #expect(bell.order(lanes: [0, 1], now: moment(300)).takes == [0], "a writer had the other one")
  }

  @Test func afterTheLoadItLooksUntilEverybodyOfThatTimeHasCommitted() {
    var bell = awake()
    _ = bell.order(lanes: [0, 1], now: moment(260))

    let order = bell.order(lanes: [0, 1], now: moment(320))
    #expect(order.releases)
    bell.saw(events: 0, taken: [], xmin: 5, xmax: 9, now: moment(321))
    #expect(bell.poll == Doorbell.settlingPoll)
    bell.saw(events: 0, taken: [], xmin: 8, xmax: 12, now: moment(330))
    #expect(bell.poll == Doorbell.settlingPoll)
    bell.saw(events: 0, taken: [], xmin: 9, xmax: 12, now: moment(340))

    #expect(bell.poll == nil)
  }

  @Test func itDoesNotLookForEverForATransactionThatGoesOn() {
    var bell = awake()
    _ = bell.order(lanes: [0, 1], now: moment(260))
    _ = bell.order(lanes: [0, 1], now: moment(320))

    bell.saw(events: 0, taken: [], xmin: 5, xmax: 9, now: moment(330))
    bell.saw(events: 0, taken: [], xmin: 5, xmax: 9, now: moment(1_400))

    #expect(bell.poll == nil)
  }

  @Test func afterATurnThatFailedTheLocksAreReleasedBeforeItSleeps() {
    var bell = awake()

    bell.failed(now: moment(210))

    #expect(bell.poll == Doorbell.settlingPoll)
    #expect(bell.order(lanes: [0, 1], now: moment(211)).releases)
    #expect(!bell.order(lanes: [0, 1], now: moment(212)).releases)
  }
}
