import Notifications

/// The state of one project: its access tokens, its pace, and whether FCM has asked to stop.
struct FCMProject: Sendable {
  let account: ServiceAccount
  let tokens: AccessTokens
  var pace: FCMPace
  /// The apps whose messages FCM has accepted: their account is the right project's.
  private var provenApps: Set<String> = []
  private var hold: TimedOutage?

  init(_ account: ServiceAccount, tokens: AccessTokens, messagesPerMinute: Int, at now: ContinuousClock.Instant) {
    (self.account, self.tokens) = (account, tokens)
    pace = FCMPace(messagesPerMinute: messagesPerMinute, at: now)
  }

  /// Why and for how long nothing may be sent; `nil` if it may.
  /// - Parameter moment: of the clock for the ends of holds.
  func outage(at moment: ContinuousClock.Instant) -> Outage? { hold?.outage(at: moment) }

  /// Holds what another project's devices seem to be sent, until a device of the app was reached.
  ///
  /// Until then the account may be the wrong one, and not the device.
  mutating func judge(_ results: inout [(index: Int, report: PushReport)], of pushes: [QueuedPush]) {
    for (index, report) in results where report.verdict == .accepted { provenApps.insert(pushes[index].device.app) }
    for place in results.indices where results[place].report.verdict == .deviceNotForTopic {
      guard !provenApps.contains(pushes[results[place].index].device.app) else { continue }
      results[place].report.verdict = .holdTopic
    }
  }

  /// Records messages that went out together, and their results.
  /// - Parameter moment: of the clock for the ends of holds.
  mutating func note(
    _ reports: [PushReport], sentAt: ContinuousClock.Instant, answeredAt: ContinuousClock.Instant,
    at moment: ContinuousClock.Instant
  ) {
    for report in reports {
      switch report.verdict {
      // The project is wrong, not only the way from Firebase to APNs.
      case .holdApp where report.reason != FCMErrorCode.thirdPartyAuthError.rawValue:
        stop(for: RetryTiming.configuration, report.reason, report.obstacle, at: moment)
      case .backOff where report.status == 429: pace.slowDown(sentAt: sentAt, at: answeredAt)
      default: break
      }
    }
    if let pause = Self.pauseForAll(reports) { stop(for: pause, "BackOff", nil, at: moment) }
  }

  // If FCM refuses everything, it will refuse the next message, too. But a single message may be over the quota of its
  // device only.
  private static func pauseForAll(_ reports: [PushReport]) -> Duration? {
    let pauses = reports.compactMap { if case .backOff(let pause) = $0.verdict { pause } else { nil } }
    let isGeneral = pauses.count == reports.count && (reports.count > 1 || reports.first?.status != 429)
    return isGeneral ? pauses.min() : nil
  }

  private mutating func stop(
    for pause: Duration, _ reason: String?, _ words: String?, at moment: ContinuousClock.Instant
  ) {
    if let outage = outage(at: moment), outage.pause > pause { return }
    hold = TimedOutage(reason ?? "Held", words: words ?? "FCM has asked to wait", for: pause, from: moment)
  }
}

extension Outage {
  static let noServiceAccount = Outage(
    reason: "NoServiceAccount", words: "no service account serves the app", pause: RetryTiming.configuration)
}
