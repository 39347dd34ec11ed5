/// How long a delivery waits before its next attempt.
package enum RetryTiming {
  /// How long an app is on hold after APNs refused its configuration; a fix takes effect within this time.
  package static let configuration = Duration.seconds(5 * 60)
  /// How long a team waits after it made provider tokens too often; APNs counts in this window.
  package static let team = Duration.seconds(20 * 60)

  /// The wait after 500 and 503: fifteen minutes, as Apple asks, and up to three more so that retries spread.
  /// - Parameter jitter: 0 up to 1.
  package static func server(jitter: Double) -> Duration {
    .seconds(15 * 60) + .seconds(3 * 60) * min(max(jitter, 0), 1)
  }

  /// How long a device is on hold after 429 `TooManyRequests`.
  ///
  /// It is a minute, doubled for every time in a row before this one, at most an hour.
  package static func throttled(earlierTimes: Int) -> Duration {
    doubling(.seconds(60), times: earlierTimes, limit: .seconds(3_600))
  }

  /// The wait after an attempt without an answer.
  ///
  /// It is a second, doubled for every earlier attempt, at most a minute. For FCM it is at least ten seconds, as FCM
  /// asks.
  package static func unanswered(earlierAttempts: Int, by provider: PushProvider = .apns) -> Duration {
    let pause = doubling(.seconds(1), times: earlierAttempts, limit: .seconds(60))
    return provider == .fcm ? fcm(pause) : pause
  }

  /// The wait after an answer that asks the sender to wait.
  ///
  /// It is `first`, doubled for every earlier attempt up to an hour (or `first`, if that is more), and up to half as
  /// much again so that retries spread.
  /// - Parameter jitter: 0 up to 1.
  package static func backOff(from first: Duration, earlierAttempts: Int, jitter: Double) -> Duration {
    let pause = doubling(first, times: earlierAttempts, limit: max(first, .seconds(3_600)))
    return pause + pause * 0.5 * min(max(jitter, 0), 1)
  }

  /// The wait before FCM is tried again after a failure: the time that it asked for, at least ten seconds.
  ///
  /// Source: [Scale your FCM message sends](https://firebase.google.com/docs/cloud-messaging/scale-fcm).
  package static func fcm(_ asked: Duration?) -> Duration { max(asked ?? .zero, .seconds(10)) }

  /// The wait after FCM's `QUOTA_EXCEEDED` without `Retry-After`: the window of its quotas.
  package static let fcmQuota = Duration.seconds(60)

  /// The wait before the next connection: a second, doubled for every failure in a row, at most a minute.
  /// - Parameter failures: 1 or more.
  package static func reconnect(failures: Int) -> Duration {
    doubling(.seconds(1), times: failures - 1, limit: .seconds(60))
  }

  private static func doubling(_ first: Duration, times: Int, limit: Duration) -> Duration {
    min(first * (1 << min(max(times, 0), 16)), limit)
  }
}
