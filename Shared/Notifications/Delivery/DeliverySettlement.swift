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
