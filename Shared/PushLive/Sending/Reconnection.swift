import Notifications

/// When to connect to a provider again.
///
/// APNs may see frequent connections as an attack.
struct Reconnection: Sendable {
  /// Why there is no connection.
  private var problem = "not connected"
  private var failures = 0
  private var retryAt: ContinuousClock.Instant?

  /// How long to wait until the next connection; `nil` if it may be tried now.
  func pause(at now: ContinuousClock.Instant) -> Duration? {
    retryAt.flatMap { $0 > now ? now.duration(to: $0) : nil }
  }

  /// Why there can be no connection yet; `nil` if it may be tried now.
  func outage(at now: ContinuousClock.Instant) -> Outage? {
    pause(at: now).map { Outage(reason: problem, words: problem, pause: $0) }
  }

  /// A push was answered.
  mutating func proved() {
    (failures, retryAt) = (0, nil)
  }

  /// A connection has ended.
  ///
  /// The next may follow at once after a proven connection, and once after an unproven one.
  mutating func ended(_ problem: String, isProven: Bool, at now: ContinuousClock.Instant) {
    if !isProven, failures > 0 {
      failed(problem, at: now)
    } else {
      failures += isProven ? 0 : 1
      self.problem = problem
    }
  }

  /// The server does not answer.
  ///
  /// The next connection waits a second, doubled with every failure in a row, at most a minute.
  @discardableResult
  mutating func failed(_ problem: String, at now: ContinuousClock.Instant) -> Outage {
    failures += 1
    let pause = RetryTiming.reconnect(failures: failures)
    (retryAt, self.problem) = (now + pause, problem)
    return Outage(reason: problem, words: problem, pause: pause)
  }
}
