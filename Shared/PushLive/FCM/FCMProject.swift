import Notifications

/// How sending to one project goes: its access tokens, its pace, and whether FCM asked us to stop.
struct FCMProject: Sendable {
  let account: ServiceAccount
  let tokens: AccessTokens
  var pace: FCMPace
  private var hold: (reason: String, until: ContinuousClock.Instant)?

  init(_ account: ServiceAccount, tokens: AccessTokens, messagesPerMinute: Int) {
    (self.account, self.tokens) = (account, tokens)
    pace = FCMPace(messagesPerMinute: messagesPerMinute, at: .now)
  }

  /// Why and how much longer nothing is to be sent; `nil` when it may go.
  func outage(at now: ContinuousClock.Instant) -> Outage? {
    guard let hold, hold.until > now else { return nil }
    return Outage(reason: hold.reason, pause: now.duration(to: hold.until))
  }

  /// Takes note of messages that went out together, and of what came of them.
  mutating func note(_ reports: [PushReport], sentAt: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
    for report in reports {
      switch report.verdict {
      // The project is at fault, and not only the way from Firebase to APNs.
      case .holdApp where report.reason != FCMErrorCode.thirdPartyAuthError.rawValue:
        hold(for: RetryTiming.configuration, report.reason, at: now)
      case .backOff where report.status == 429: pace.slowDown(sentAt: sentAt, at: now)
      default: break
      }
    }
    if let pause = Self.pauseForAll(reports) { hold(for: pause, "BackOff", at: now) }
  }

  // Where FCM turns away everything, it turns away the next too; but a single message over the quota may be over that
  // of its device alone.
  private static func pauseForAll(_ reports: [PushReport]) -> Duration? {
    let pauses = reports.compactMap { if case .backOff(let pause) = $0.verdict { pause } else { nil } }
    let isGeneral = pauses.count == reports.count && (reports.count > 1 || reports.first?.status != 429)
    return isGeneral ? pauses.min() : nil
  }

  private mutating func hold(for pause: Duration, _ reason: String?, at now: ContinuousClock.Instant) {
    if let hold, hold.until > now + pause { return }
    hold = (reason ?? "Held", now + pause)
  }
}
