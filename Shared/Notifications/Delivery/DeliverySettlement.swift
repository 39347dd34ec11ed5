package import FoundationEssentials

/// The changes to one delivery and its device after an attempt.
package struct DeliverySettlement: Sendable, Equatable {
  package var id: UUID
  /// Its device at the time of the claim.
  package var recipient: QueuedPush.Device
  package var state: DeliveryState
  /// When it is due again; `nil` keeps the time.
  ///
  /// With ``DeviceEffect/deactivated(ifRegisteredBy:)``, this is the time if the device stays active.
  package var notBefore: Date?
  /// The environment to try next; `nil` keeps it.
  package var probe: PushEnvironment?
  /// Whether this counts as an attempt.
  package var usesAttempt = false
  package var device = DeviceEffect.none
  /// The attempt's status in the log; `nil` if nothing was sent.
  package var log: PushLogStatus?
  /// The sent payload for the log, as JSON; `nil` if the log keeps none.
  package var payload: String?
  package var report: PushReport
}

/// The states of a delivery before and after it is sent; `opened` and `acted` follow when the app reports them.
package enum DeliveryState: String, Sendable {
  /// Waiting for its time.
  case queued
  /// APNs took it.
  case accepted
  /// Not sent, or refused for good.
  case rejected
  /// Its time ran out.
  case expired
  /// Its time ran out, and nobody can know whether APNs took it.
  case unknown
}

/// The statuses of `push_notification_logs`.
package enum PushLogStatus: String, Sendable {
  /// APNs took it.
  case sent
  /// It failed; if it is retried, an operator first has to fix the cause.
  case failed
  /// The device can no longer be reached by this token.
  case tokenExpired = "token_expired"
  /// No answer came.
  case unknown
  /// APNs asked the sender to wait.
  case deferred
}

extension PushReport {
  /// The status of an attempt that was retried at once.
  package var repeatedLog: PushLogStatus { status == nil ? .unknown : .deferred }
}

/// The effect of an attempt on its device.
package enum DeviceEffect: Sendable, Equatable {
  case none
  /// It works, in the environment and for the topic of the attempt.
  case accepted
  /// It is deactivated, unless the app has registered the token again after this time.
  ///
  /// If it was registered, or a push to it was accepted, after the claim, it stays active, and the delivery goes back
  /// to the queue.
  case deactivated(ifRegisteredBy: Date)
  /// It gets no push until then.
  case held(until: Date)
}

extension DeliverySettlement {
  /// Decides the new state of a delivery after an attempt.
  ///
  /// - Parameters:
  ///   - now: the time by which deliveries are due.
  ///   - jitter: 0 up to 1; spreads the retries after a failure of APNs.
  package init(_ push: QueuedPush, _ report: PushReport, now: Date, jitter: Double) {
    self.init(id: push.id, recipient: push.device, state: .queued, report: report)
    switch report.verdict.final {
    case .accepted: close(.accepted, .sent, .accepted)
    // Clocks differ, but a time in the future says nothing about tokens that are registered before it.
    case .deviceGone(at: let time?) where time < now.addingTimeInterval(86_400):
      closeWithDevice(push, registeredBy: time, now)
    case .deviceGone: close(.rejected, .tokenExpired)
    case .deviceSuspect where push.isProbe || push.device.isProven:
      closeWithDevice(push, registeredBy: push.device.registeredAt, now)
    case .deviceSuspect:
      wait(nil, .deferred)
      probe = report.environment.other
    // The configuration's topic says nothing about the device.
    case .deviceNotForTopic where push.device.provider == .apns && push.device.topic == nil: close(.rejected, .failed)
    case .deviceNotForTopic: closeWithDevice(push, registeredBy: push.device.registeredAt, now)
    case .rejected, .payloadTooLarge: close(.rejected, .failed)
    case .retryLater(let least):
      // A retry without jitter is better than none.
      let pauses = [jitter, 0].map { max(RetryTiming.server(jitter: $0), least ?? .zero) }
      let pause = pauses.first { push.isStillOfUse(after: $0, now) } ?? pauses[0]
      waitOrClose(push, pause, now, .deferred, or: .expired, .failed)
    case .backOff(let least):
      let pause = RetryTiming.backOff(from: least, earlierAttempts: push.attempts, jitter: jitter)
      waitOrClose(push, pause, now, .deferred, or: .expired, .failed)
    case .holdDevice(let least):
      let pause = max(RetryTiming.throttled(earlierTimes: push.device.throttles), least ?? .zero)
      waitOrClose(push, pause, now, .deferred, or: .expired, .failed)
      device = .held(until: now.addingTimeInterval(pause / .seconds(1)))
    case .unknown where push.isOnce: close(.unknown, .unknown)
    case .unknown:
      let pause = RetryTiming.unanswered(earlierAttempts: push.attempts, by: push.device.provider)
      waitOrClose(push, pause, now, .unknown, or: .unknown, .unknown)
    case .holdApp where push.isProbe: close(.rejected, .failed)
    case .holdApp, .holdTopic: hold(RetryTiming.configuration, now, .failed)
    case .holdCredential where push.isProbe, .noKey where push.isProbe: close(.rejected, .failed)
    case .holdCredential: hold(RetryTiming.configuration, now, .failed)
    case .noKey: hold(RetryTiming.configuration, now, nil)
    case .holdSuspect(let pause): hold(pause, now, .deferred)
    case .holdTeam, .renewToken, .retryAtOnce: hold(RetryTiming.team, now, .deferred)
    case .notSent(let pause): hold(pause, now, nil)
    }
    if state == .queued { self.report.outage = report.outage ?? report.obstacle }
  }

  private mutating func close(_ state: DeliveryState, _ log: PushLogStatus, _ device: DeviceEffect = .none) {
    (self.state, self.log, self.device, usesAttempt) = (state, log, device, true)
  }

  // Between the attempt and this write, the app may register the token again, and APNs may accept another push.
  private mutating func closeWithDevice(_ push: QueuedPush, registeredBy time: Date, _ now: Date) {
    close(.rejected, .tokenExpired, .deactivated(ifRegisteredBy: time))
    let pause = RetryTiming.unanswered(earlierAttempts: push.attempts, by: push.device.provider)
    notBefore = now.addingTimeInterval(pause / .seconds(1))
  }

  private mutating func wait(_ until: Date?, _ log: PushLogStatus) {
    (notBefore, self.log, usesAttempt) = (until, log, true)
  }

  private mutating func waitOrClose(
    _ push: QueuedPush, _ pause: Duration, _ now: Date, _ log: PushLogStatus, or state: DeliveryState,
    _ finalLog: PushLogStatus
  ) {
    if push.isStillOfUse(after: pause, now) {
      wait(now.addingTimeInterval(pause / .seconds(1)), log)
    } else {
      close(state, finalLog)
    }
  }

  // A delivery that is held because of other deliveries keeps its number of attempts.
  private mutating func hold(_ pause: Duration?, _ now: Date, _ log: PushLogStatus?) {
    notBefore = pause.map { now.addingTimeInterval($0 / .seconds(1)) }
    self.log = log
  }
}

extension QueuedPush {
  fileprivate func isStillOfUse(after pause: Duration, _ now: Date) -> Bool {
    now.addingTimeInterval(pause / .seconds(1)) < expiresAt
  }
}

/// Why a delivery ended before its time ran out, without an attempt that decided; the raw value is its
/// `deliveries.reason`.
///
/// A delivery that the gates stopped has the raw value of a ``Suppression`` instead. Any other reason is a provider's, or
/// says why the delivery waited.
package enum DeliveryEnd: String, Sendable, CaseIterable {
  /// The person has done what the push asks for.
  case actionCompleted = "ActionCompleted"
  /// Voting on the proposal is over.
  case proposalExpired = "ProposalExpired"
  /// The subject of the push is gone, or the person may no longer see it.
  case subjectGone = "SubjectGone"
  /// The device has the number already, or a later push has taken its place.
  case superseded = "Superseded"
}

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
  static let fcmQuota = Duration.seconds(60)

  /// The wait before the next connection: a second, doubled for every failure in a row, at most a minute.
  /// - Parameter failures: 1 or more.
  package static func reconnect(failures: Int) -> Duration {
    doubling(.seconds(1), times: failures - 1, limit: .seconds(60))
  }

  private static func doubling(_ first: Duration, times: Int, limit: Duration) -> Duration {
    min(first * (1 << min(max(times, 0), 16)), limit)
  }
}
