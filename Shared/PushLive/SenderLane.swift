import HTTP2
import Notifications

/// The way to one environment: its connection, and how it has fared.
struct SenderLane: Sendable {
  /// The open connection.
  var client: HTTP2Client?
  /// Whether APNs has answered on it, so that pushes need no longer go alone.
  var isProven = false
  /// Why there is no connection.
  private(set) var problem = "not connected"
  private var failures = 0
  private var retryAt: ContinuousClock.Instant?

  /// How much longer not to connect; `nil` when it may be tried.
  func pause(at now: ContinuousClock.Instant) -> Duration? {
    retryAt.flatMap { $0 > now ? now.duration(to: $0) : nil }
  }

  mutating func proved() {
    (isProven, failures, retryAt) = (true, 0, nil)
  }

  /// The connection is no more.
  ///
  /// After one that proved itself, or once after one that did not, the next may follow at once; APNs takes repeated
  /// connecting for an attack.
  mutating func ended(_ problem: String, at now: ContinuousClock.Instant) {
    if !isProven, failures > 0 {
      failed(problem, at: now)
    } else {
      failures += isProven ? 0 : 1
      close(problem)
    }
  }

  /// Nobody answers: the next connection waits.
  mutating func failed(_ problem: String, at now: ContinuousClock.Instant) {
    failures += 1
    retryAt = now + RetryTiming.reconnect(failures: failures)
    close(problem)
  }

  private mutating func close(_ problem: String) {
    (client, isProven, self.problem) = (nil, false, problem)
  }
}
