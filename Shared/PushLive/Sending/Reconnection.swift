import Notifications

/// When to connect again; APNs takes repeated connecting for an attack.
struct Reconnection: Sendable {
  /// Why there is no connection.
  private(set) var problem = "not connected"
  private var failures = 0
  private var retryAt: ContinuousClock.Instant?

  /// How much longer not to connect; `nil` when it may be tried.
  func pause(at now: ContinuousClock.Instant) -> Duration? {
    retryAt.flatMap { $0 > now ? now.duration(to: $0) : nil }
  }

  /// A push was answered.
  mutating func proved() {
    (failures, retryAt) = (0, nil)
  }

  /// A connection has ended.
  ///
  /// After one that proved itself, or once after one that did not, the next may follow at once.
  mutating func ended(_ problem: String, isProven: Bool, at now: ContinuousClock.Instant) {
    if !isProven, failures > 0 {
      failed(problem, at: now)
    } else {
      failures += isProven ? 0 : 1
      self.problem = problem
    }
  }

  /// Nobody answers: the next connection waits a second, doubling with every failure in a row, at most a minute.
  mutating func failed(_ problem: String, at now: ContinuousClock.Instant) {
    failures += 1
    retryAt = now + RetryTiming.reconnect(failures: failures)
    self.problem = problem
  }
}
