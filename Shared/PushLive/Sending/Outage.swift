import Notifications

/// Why nothing can be sent for the moment.
struct Outage: Error, Sendable, Equatable {
  /// The reason for the log, without secrets.
  let reason: String
  /// The same in words for a person, without secrets; `nil` where it is a matter of moments.
  var words: String?
  /// How long nothing is sent.
  let pause: Duration
}

extension Outage {
  /// A push that was not sent because its batch has ended.
  static let notSent = Outage(reason: "NotSent", pause: RetryTiming.reconnect(failures: 1))
}

/// An outage with a known end.
struct TimedOutage: Sendable {
  /// The end, on the clock for the ends of holds.
  let end: ContinuousClock.Instant
  /// The reason for the log, without secrets.
  private let reason: String
  private let words: String?
  private let limit: Duration

  /// - Parameters:
  ///   - words: the reason for a person, without secrets.
  ///   - limit: the longest pause of such a hold, if that is not the present one's.
  init(
    _ reason: String, words: String?, for pause: Duration, atMost limit: Duration? = nil,
    from moment: ContinuousClock.Instant
  ) {
    (self.reason, self.words, end, self.limit) = (reason, words, moment + pause, limit ?? pause)
  }

  /// The rest of it; `nil` when it is over.
  func outage(at moment: ContinuousClock.Instant) -> Outage? {
    moment.left(until: end, atMost: limit).map { Outage(reason: reason, words: words, pause: $0) }
  }
}

extension PushReport {
  /// This report, for a push that was not sent because of an outage.
  func held(by outage: Outage) -> PushReport {
    var report = self
    (report.verdict, report.reason, report.outage) = (.notSent(pause: outage.pause), outage.reason, outage.words)
    return report
  }
}

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
