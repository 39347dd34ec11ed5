import Notifications
import Testing

struct RetryTimingTests {
  @Test(arguments: [(0.0, 900.0), (0.5, 990), (1, 1_080), (-1, 900), (7, 1_080)])
  func waitsFifteenMinutesAndSomeMoreAfterAServerError(jitter: Double, seconds: Double) {
    #expect(RetryTiming.server(jitter: jitter) == .seconds(seconds))
  }

  @Test(arguments: [(0, 60), (1, 120), (2, 240), (5, 1_920), (6, 3_600), (1_000, 3_600), (-1, 60)])
  func doublesAMinuteForAThrottledDevice(times: Int, seconds: Int) {
    #expect(RetryTiming.throttled(earlierTimes: times) == .seconds(seconds))
  }

  @Test(arguments: [(0, 1), (1, 2), (5, 32), (6, 60), (.max, 60)])
  func doublesASecondWithoutAnAnswer(attempts: Int, seconds: Int) {
    #expect(RetryTiming.unanswered(earlierAttempts: attempts) == .seconds(seconds))
  }

  @Test(arguments: [(1, 1), (2, 2), (7, 60), (100, 60)])
  func doublesASecondBetweenConnections(failures: Int, seconds: Int) {
    #expect(RetryTiming.reconnect(failures: failures) == .seconds(seconds))
  }
}
