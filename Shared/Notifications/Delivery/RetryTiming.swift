/// How long a delivery waits before its next attempt.
public enum RetryTiming {
  /// How long an app is held after APNs refused its configuration: a mended one is noticed within this time.
  public static let configuration = Duration.seconds(5 * 60)
  /// How long a team waits after it made provider tokens too often; the window APNs counts in.
  public static let team = Duration.seconds(20 * 60)

  /// After 500 and 503: fifteen minutes, as Apple asks, and up to three more so that not everybody returns at once.
  /// - Parameter jitter: 0 up to 1.
  public static func server(jitter: Double) -> Duration {
    .seconds(15 * 60) + .seconds(3 * 60) * min(max(jitter, 0), 1)
  }

  /// How long a device is left in peace after 429 `TooManyRequests`.
  ///
  /// It is a minute, doubled for every time in a row before this one, at most an hour.
  public static func throttled(earlierTimes: Int) -> Duration {
    doubling(.seconds(60), times: earlierTimes, limit: .seconds(3_600))
  }

  /// The wait after an attempt without an answer.
  ///
  /// It is a second, doubled for every earlier attempt, at most a minute. For FCM, which asks not to be tried again
  /// sooner, it is at least ten seconds.
  public static func unanswered(earlierAttempts: Int, by provider: PushProvider = .apns) -> Duration {
    let pause = doubling(.seconds(1), times: earlierAttempts, limit: .seconds(60))
    return provider == .fcm ? fcm(pause) : pause
  }

  /// The wait after an answer that asks for patience.
  ///
  /// It is `first`, doubled for every earlier attempt up to an hour (or `first`, if that is more), and up to half as
  /// much again so that not everybody returns at once.
  /// - Parameter jitter: 0 up to 1.
  public static func backOff(from first: Duration, earlierAttempts: Int, jitter: Double) -> Duration {
    let pause = doubling(first, times: earlierAttempts, limit: max(first, .seconds(3_600)))
    return pause + pause * 0.5 * min(max(jitter, 0), 1)
  }

  /// Before FCM is asked again after a failure: what it asked for, but never less than ten seconds.
  ///
  /// Source: [Scale your FCM message sends](https://firebase.google.com/docs/cloud-messaging/scale-fcm).
  public static func fcm(_ asked: Duration?) -> Duration { max(asked ?? .zero, .seconds(10)) }

  /// Before FCM is asked again after `QUOTA_EXCEEDED` without `Retry-After`: the window that its quotas count in.
  public static let fcmQuota = Duration.seconds(60)

  /// Before connecting again: a second, doubling with every failure in a row, at most a minute.
  /// - Parameter failures: 1 or more.
  public static func reconnect(failures: Int) -> Duration {
    doubling(.seconds(1), times: failures - 1, limit: .seconds(60))
  }

  private static func doubling(_ first: Duration, times: Int, limit: Duration) -> Duration {
    min(first * (1 << min(max(times, 0), 16)), limit)
  }
}
