public import FoundationEssentials

extension DeliverySettlement {
  /// Decides what is written about a delivery after an attempt.
  ///
  /// - Parameters:
  ///   - now: the time that deliveries are due by.
  ///   - jitter: 0 up to 1, spreads what comes back after a failure of APNs.
  public init(_ push: QueuedPush, _ report: PushReport, now: Date, jitter: Double) {
    self.init(id: push.id, state: .queued, report: report)
    switch report.verdict.final {
    case .accepted: close(.accepted, .sent, .accepted)
    case .deviceGone(at: let time): close(.rejected, .tokenExpired, time.map(DeviceEffect.deactivated) ?? .none)
    case .deviceSuspect where push.isProbe || push.device.isProven: closeWithDevice(push)
    case .deviceSuspect: wait(nil, .deferred)
    case .deviceNotForTopic: closeWithDevice(push)
    case .rejected, .payloadTooLarge: close(.rejected, .failed)
    case .retryLater(let least):
      waitOrClose(push, max(RetryTiming.server(jitter: jitter), least ?? .zero), now, .deferred, or: .expired, .failed)
    case .holdDevice(let least):
      let pause = max(RetryTiming.throttled(earlierAttempts: push.attempts), least ?? .zero)
      waitOrClose(push, pause, now, .deferred, or: .expired, .failed)
      device = .held(until: now.addingTimeInterval(pause / .seconds(1)))
    case .unknown:
      let pause = RetryTiming.unanswered(earlierAttempts: push.attempts)
      waitOrClose(push, pause, now, .unknown, or: .unknown, .unknown)
    case .holdApp where push.isProbe: close(.rejected, .failed)
    case .holdApp: hold(RetryTiming.configuration, now, .failed)
    case .holdCredential where push.isProbe, .noKey where push.isProbe: close(.rejected, .failed)
    case .holdCredential: hold(RetryTiming.configuration, now, .failed)
    case .noKey: hold(RetryTiming.configuration, now, nil)
    case .holdSuspect(let pause): hold(pause, now, .deferred)
    case .holdTeam, .renewToken, .retryAtOnce: hold(RetryTiming.team, now, .deferred)
    case .notSent(let pause): hold(pause, now, nil)
    }
  }

  private mutating func close(_ state: DeliveryState, _ log: PushLogStatus, _ device: DeviceEffect = .none) {
    (self.state, self.log, self.device, usesAttempt) = (state, log, device, true)
  }

  // The app may register the token anew between the attempt and this line being written.
  private mutating func closeWithDevice(_ push: QueuedPush) {
    close(.rejected, .tokenExpired, .deactivated(ifRegisteredBy: push.device.registeredAt))
  }

  private mutating func wait(_ until: Date?, _ log: PushLogStatus) {
    (notBefore, self.log, usesAttempt) = (until, log, true)
  }

  private mutating func waitOrClose(
    _ push: QueuedPush, _ pause: Duration, _ now: Date, _ log: PushLogStatus, or state: DeliveryState,
    _ finalLog: PushLogStatus
  ) {
    let due = now.addingTimeInterval(pause / .seconds(1))
    if due < push.expiresAt { wait(due, log) } else { close(state, finalLog) }
  }

  // What is held for others' sake keeps its attempts.
  private mutating func hold(_ pause: Duration?, _ now: Date, _ log: PushLogStatus?) {
    notBefore = pause.map { now.addingTimeInterval($0 / .seconds(1)) }
    self.log = log
  }
}
