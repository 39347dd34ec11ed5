import Notifications

/// How sending to one project goes: its access tokens, its pace, and whether FCM asked us to stop.
struct FCMProject: Sendable {
  let account: ServiceAccount
  let tokens: AccessTokens
  var pace: FCMPace
  private var hold: (reason: String, pause: Duration, until: ContinuousClock.Instant)?

  init(_ account: ServiceAccount, tokens: AccessTokens, messagesPerMinute: Int) {
    (self.account, self.tokens) = (account, tokens)
    pace = FCMPace(messagesPerMinute: messagesPerMinute, at: .now)
  }

  /// Why nothing is to be sent and for how much longer; `nil` when it may go.
  /// - Parameter moment: of the clock for the ends of holds.
  func outage(at moment: ContinuousClock.Instant) -> Outage? {
    guard let hold, let pause = moment.left(until: hold.until, atMost: hold.pause) else { return nil }
    return Outage(reason: hold.reason, pause: pause)
  }

  /// Takes note of messages that went out together, and of what came of them.
  /// - Parameter moment: of the clock for the ends of holds.
  mutating func note(_ reports: [PushReport], sentAt: ContinuousClock.Instant, at moment: ContinuousClock.Instant) {
    for report in reports {
      switch report.verdict {
      // The project is at fault, and not only the way from Firebase to APNs.
      case .holdApp where report.reason != FCMErrorCode.thirdPartyAuthError.rawValue:
        hold(for: RetryTiming.configuration, report.reason, at: moment)
      case .backOff where report.status == 429: pace.slowDown(sentAt: sentAt, at: .now)
      default: break
      }
    }
    if let pause = Self.pauseForAll(reports) { hold(for: pause, "BackOff", at: moment) }
  }

  // Where FCM turns away everything, it turns away the next too; but a single message over the quota may be over that
  // of its device alone.
  private static func pauseForAll(_ reports: [PushReport]) -> Duration? {
    let pauses = reports.compactMap { if case .backOff(let pause) = $0.verdict { pause } else { nil } }
    let isGeneral = pauses.count == reports.count && (reports.count > 1 || reports.first?.status != 429)
    return isGeneral ? pauses.min() : nil
  }

  private mutating func hold(for pause: Duration, _ reason: String?, at moment: ContinuousClock.Instant) {
    if let outage = outage(at: moment), outage.pause > pause { return }
    hold = (reason ?? "Held", pause, moment + pause)
  }
}
