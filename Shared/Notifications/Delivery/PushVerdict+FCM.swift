import FoundationEssentials

extension PushVerdict {
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
