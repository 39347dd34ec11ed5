/// How fast messages of one project may go out: within its quota, and slowly at first.
///
/// FCM counts per minute. It wants senders to take at least a minute from zero to the peak, and slows down others.
/// Source: [Scale your FCM message sends](https://firebase.google.com/docs/cloud-messaging/scale-fcm).
struct FCMPace: Sendable {
  /// The time from zero to the peak.
  ///
  /// After this time without a message the start is slow again.
  static let ramp = Duration.seconds(60)

  private let peak: Double
  private let burst: Double
  private var rate = 0.0
  private var credit: Double
  private var updated: ContinuousClock.Instant
  private var isWaiting = false
  private var slowedAt: ContinuousClock.Instant?

  /// A cold start.
  init(messagesPerMinute: Int, at now: ContinuousClock.Instant) {
    // The saved-up messages and those that flow in during a minute make up the quota together.
    burst = min(max((Double(messagesPerMinute) / 100).rounded(.down), 1), 500)
    peak = (Double(messagesPerMinute) - burst) / 60
    (credit, updated) = (burst, now)
  }

  /// How many of the waiting messages may go now.
  ///
  /// The others must ask again.
  mutating func take(_ count: Int, at now: ContinuousClock.Instant) -> Int {
    refill(at: now)
    let taken = min(count, Int(credit))
    credit -= Double(taken)
    isWaiting = taken < count
    return taken
  }

  /// How long until the next message may go, for a caller that just got none.
  var wait: Duration {
    let missing = 1 - credit
    guard missing > 0 else { return .milliseconds(10) }
    let seconds = (-rate + (rate * rate + 2 * acceleration * missing).squareRoot()) / acceleration
    return .seconds(min(max(rate < peak ? seconds : missing / peak, 0.01), 1))
  }

  /// Records `QUOTA_EXCEEDED` for a message that was sent at this time: the rate falls by half and rises again.
  mutating func slowDown(sentAt: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
    // All messages that were sent together cut the rate once.
    if let slowedAt, sentAt <= slowedAt { return }
    refill(at: now)
    (rate, credit, slowedAt) = (rate / 2, min(credit, 0), now)
  }

  private var acceleration: Double { peak / (Self.ramp / .seconds(1)) }

  // The rate grows only while messages wait, because a few messages do not warm up.
  private mutating func refill(at now: ContinuousClock.Instant) {
    let elapsed = updated.duration(to: now)
    updated = max(updated, now)
    guard elapsed > .zero else { return }
    guard elapsed < Self.ramp else {
      (rate, credit) = (0, burst)
      return
    }
    let seconds = elapsed / .seconds(1)
    let next = isWaiting ? min(rate + acceleration * seconds, peak) : rate
    credit = min(credit + (rate + next) / 2 * seconds, burst)
    rate = next
  }
}
