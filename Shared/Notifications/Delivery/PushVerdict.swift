package import FoundationEssentials

/// The meaning of one attempt for its delivery, its device and other deliveries.
package indirect enum PushVerdict: Sendable, Equatable {
  /// APNs accepted the push. It does not say whether the device got it.
  case accepted
  /// The token has been invalid since `at`; without a time, the device stays as it is.
  case deviceGone(at: Date?)
  /// APNs does not know the token in this environment; the usual cause is a mix-up of sandbox and production.
  case deviceSuspect
  /// The token and the topic belong to different apps; a device that has not named the topic stays as it is.
  case deviceNotForTopic
  /// APNs failed: the delivery waits, at least as long as APNs asked for.
  case retryLater(atLeast: Duration?)
  /// The provider asks to wait: the delivery waits at least this long, and longer after each earlier attempt.
  case backOff(atLeast: Duration)
  /// The connection failed, not the push: it is retried once on a fresh one; `otherwise` counts if that fails too.
  case retryAtOnce(otherwise: PushVerdict)
  /// The provider token is too old: the push is retried once with a new token on a fresh connection.
  case renewToken
  /// Too many pushes to one device: that device waits, at least as long as APNs asked for.
  case holdDevice(atLeast: Duration?)
  /// Too many new provider tokens: the whole team waits, and no token is made.
  case holdTeam
  /// The configuration of the app is wrong: the app waits, no device is touched.
  case holdApp
  /// The key or its permissions are wrong: everything that is sent with the key waits, no device is touched.
  case holdCredential
  /// Too many of the app's tokens are refused at once, so the devices are not the cause: the app waits, no device is
  /// touched.
  case holdSuspect(pause: Duration)
  /// The topic that the configuration gives an app's devices seems to be another app's, or its account another
  /// project's: the deliveries wait, no device is touched.
  case holdTopic
  /// There is no key for the app: the push was not sent, and the app waits.
  case noKey
  /// The push itself is wrong: a retry would not help, and no device is touched.
  case rejected
  /// The payload is over the limit: a defect in how it was made.
  case payloadTooLarge
  /// The push may or may not have been processed.
  case unknown
  /// The push was not processed; `pause` is how long its app is still on hold, `nil` if it is not.
  case notSent(pause: Duration?)

  /// Judges an answer by its reason, or by the class of its status if the reason is unknown.
  package init(_ answer: PushAnswer) {
    if answer.status == 200 {
      self = .accepted
    } else {
      self = answer.reason.flatMap(APNsReason.init)?.verdict(for: answer) ?? Self.byStatus(answer)
    }
  }

  /// Judges a push without an answer.
  package init(_ silence: PushSilence) {
    switch silence {
    case .unknown: self = .unknown
    case .refused: self = .retryAtOnce(otherwise: .notSent(pause: nil))
    case .unsent: self = .notSent(pause: nil)
    }
  }

  /// The verdict after a second attempt on a fresh connection ended the same way.
  package var final: PushVerdict {
    switch self {
    case .retryAtOnce(let otherwise): otherwise.final
    case .renewToken: .holdTeam
    default: self
    }
  }

  /// Whether the connection works: APNs answered and did not refuse the provider token or the topic.
  package var provesConnection: Bool {
    switch self {
    case .accepted, .deviceGone, .deviceSuspect, .deviceNotForTopic, .retryLater, .backOff, .holdDevice, .rejected,
      .payloadTooLarge:
      true
    case .retryAtOnce, .renewToken, .holdTeam, .holdApp, .unknown, .notSent: false
    case .holdCredential, .holdSuspect, .holdTopic, .noKey: false
    }
  }

  /// Whether the connection that gave this verdict must not be used again.
  package var spoilsConnection: Bool {
    switch self {
    case .retryAtOnce, .renewToken, .holdTeam, .holdCredential: true
    default: false
    }
  }

  package var wasNeverSent: Bool { if case .notSent = self { true } else { false } }

  private static func byStatus(_ answer: PushAnswer) -> PushVerdict {
    switch answer.status {
    case 201..<300: .accepted
    case 401, 403: .holdCredential
    case 410: .deviceGone(at: answer.timestamp)
    case 413: .payloadTooLarge
    case 429: .holdDevice(atLeast: answer.retryAfter)
    case 400..<500: .rejected
    default: .retryLater(atLeast: answer.retryAfter)
    }
  }

  /// Judges FCM's answer by its error code, or by the class of its status if the code is unknown.
  ///
  /// - Parameters:
  ///   - device: FCM does not say since when a token is invalid, so the time of its registration counts.
  ///   - earlierAttempts: `UNSPECIFIED_ERROR` is tried only once more.
  package init(_ answer: FCMAnswer, _ device: QueuedPush.Device, earlierAttempts: Int) {
    guard !(200..<300).contains(answer.status) else {
      self = .accepted
      return
    }
    let code = answer.errorCode.flatMap(FCMErrorCode.init)
    switch code {
    case .unregistered: self = .deviceGone(at: device.registeredAt)
    // FCM has this code for wrong messages, too. Only an answer that speaks of the token is about the device.
    case .invalidArgument: self = answer.blamesToken ? .deviceGone(at: device.registeredAt) : .rejected
    case .senderIDMismatch: self = .deviceNotForTopic
    case .thirdPartyAuthError: self = .holdApp
    case .unauthenticated: self = .renewToken
    case .quotaExceeded: self = .backOff(atLeast: RetryTiming.fcm(answer.retryAfter ?? RetryTiming.fcmQuota))
    case .unavailable, .internal: self = .backOff(atLeast: RetryTiming.fcm(answer.retryAfter))
    case .unspecified: self = earlierAttempts == 0 ? .backOff(atLeast: RetryTiming.fcmQuota) : .rejected
    case nil: self = Self.byStatus(answer)
    }
  }

  private static func byStatus(_ answer: FCMAnswer) -> PushVerdict {
    switch answer.status {
    case 401: .renewToken
    // 404 without UNREGISTERED means that the project, not the token, is unknown.
    case 403, 404: .holdApp
    case 413: .payloadTooLarge
    case 429: .backOff(atLeast: RetryTiming.fcm(answer.retryAfter ?? RetryTiming.fcmQuota))
    case 408, 500...: .backOff(atLeast: RetryTiming.fcm(answer.retryAfter))
    case 400..<500: .rejected
    default: .backOff(atLeast: RetryTiming.fcm(answer.retryAfter))
    }
  }
}
