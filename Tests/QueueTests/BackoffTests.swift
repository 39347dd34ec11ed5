import Testing

@testable import Queue

struct BackoffTests {
  @Test(arguments: [(1, 1.0), (2, 4.0), (3, 16.0), (4, 64.0), (7, 3_600.0), (100, 3_600.0)])
  func waitsFourTimesAsLongEachTimeUpToAnHour(_ failures: Int, _ longest: Double) {
    #expect(Backoff.delay(afterFailures: failures, retryAfter: nil, random: 1) == longest)
    #expect(Backoff.delay(afterFailures: failures, retryAfter: nil, random: 0.5) == longest / 2)
  }

  @Test(arguments: [(nil, 2.0), (1, 2), (40, 5), (100, 8), (1_000_000, 8)])
  func whileTheDatabaseIsAwayNothingWaitsLong(_ age: Double?, _ longest: Double) {
    #expect(Backoff.delay(whileAway: age, random: 1) == longest)
    #expect(Backoff.delay(whileAway: age, random: 0) == longest / 2)
  }

  @Test(arguments: [(0, 0.0), (7, 7.0), (-1, 0.0), (1_000_000, 86_400.0)])
  func obeysWhatTheFunctionAskedForWithinADay(_ asked: Int, _ delay: Double) {
    #expect(Backoff.delay(afterFailures: 3, retryAfter: asked, random: 0.5) == delay)
  }

  @Test(arguments: [(1, 1, 1.0, 2.0), (7, 3, 7.0, 23.0), (nil, 3, 0.0, 16.0)])
  func thoseWhomABusyTargetSentAwayComeBackSpread(
    _ asked: Int?, _ failures: Int, _ earliest: Double, _ latest: Double
  ) {
    func delay(_ random: Double) -> Double {
      Backoff.delay(afterFailures: failures, retryAfter: asked, isBusy: true, random: random)
    }
    #expect(delay(0) == earliest && delay(1) == latest)
  }
}
