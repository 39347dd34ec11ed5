import Testing

@testable import PushLive

struct RouteGrowthTests {
  let start = ContinuousClock.now

  @Test func moreThanIsAnsweredMeanwhileWaitsTooLong() {
    #expect(isNeeded(waiting: 50, answered: 49))
  }

  @Test func aFastServerNeedsNoSecondConnectionHoweverMuchWaits() {
    #expect(!isNeeded(waiting: 3_000, answered: 3_000))
  }

  @Test func whatWaitedAndNoLongerDoesIsForgotten() {
    var growth = RouteGrowth()
    _ = growth.isNeeded(waiting: 50, watching: .milliseconds(250), at: start)
    _ = growth.isNeeded(waiting: 0, watching: .milliseconds(250), at: start + .milliseconds(100))

    let isNeeded = growth.isNeeded(waiting: 50, watching: .milliseconds(250), at: start + .milliseconds(300))
    #expect(!isNeeded)
  }

  @Test func nothingIsSaidBeforeItWasWatchedForLong() {
    #expect(!isNeeded(waiting: 50, answered: 0, after: .milliseconds(249)))
  }

  private func isNeeded(waiting: Int, answered: Int, after time: Duration = .milliseconds(250)) -> Bool {
    var growth = RouteGrowth()
    _ = growth.isNeeded(waiting: waiting, watching: .milliseconds(250), at: start)
    for _ in 0..<answered { growth.noteAnswer() }
    return growth.isNeeded(waiting: waiting, watching: .milliseconds(250), at: start + time)
  }
}
