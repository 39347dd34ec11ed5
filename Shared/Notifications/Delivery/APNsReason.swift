/// Every known `reason` of APNs, documented or not.
///
/// Source: [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
package enum APNsReason: String, Sendable, CaseIterable {
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingPushType = "MissingPushType"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  func verdict(for answer: PushAnswer) -> PushVerdict {
    switch self {
    case .badDeviceToken: .deviceSuspect
    case .deviceTokenNotForTopic: .deviceNotForTopic
    case .unregistered, .expiredToken: .deviceGone(at: answer.timestamp)
    case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .invalidPushType, .payloadEmpty,
      .duplicateHeaders, .missingDeviceToken, .missingPushType, .badPath, .methodNotAllowed:
      .rejected
    case .payloadTooLarge: .payloadTooLarge
    case .badTopic, .missingTopic, .topicDisallowed: .holdApp
    case .invalidProviderToken, .missingProviderToken, .forbidden, .badCertificate, .badCertificateEnvironment,
      .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
      .holdCredential
    case .expiredProviderToken: .renewToken
    case .unrelatedKeyIDInToken: .retryAtOnce(otherwise: .holdCredential)
    case .tooManyRequests: .holdDevice(atLeast: answer.retryAfter)
    case .tooManyProviderTokenUpdates: .holdTeam
    case .internalServerError, .serviceUnavailable: .retryLater(atLeast: answer.retryAfter)
    case .shutdown, .idleTimeout: .retryAtOnce(otherwise: .retryLater(atLeast: answer.retryAfter))
    }
  }
}
