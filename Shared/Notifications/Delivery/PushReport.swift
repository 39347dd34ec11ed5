package import FoundationEssentials

/// The result of one attempt to send a push.
package struct PushReport: Sendable, Equatable {
  /// The meaning of the result.
  package var verdict: PushVerdict
  /// The HTTP status; `nil` without an answer.
  package var status: Int?
  /// The provider's reason, or our own word if it gave none.
  package var reason: String?
  /// Why it could not be sent, in words without secrets: its provider or the way there is away, or not configured.
  package var outage: String?
  /// The `apns-id` that the attempt carried, or the id that FCM gave the message it took.
  package var apnsID: String?
  package var provider: PushProvider
  /// The environment of the attempt; it has no meaning for FCM.
  package var environment: PushEnvironment
  /// The topic of the attempt; for FCM, the project.
  package var topic: String
  /// The time from sending to the answer.
  package var duration: Duration
  /// When the answer came; `nil` if it was not sent.
  package var answered: ContinuousClock.Instant?
  /// Whether a push emulator answered, so that no device got the push.
  package var isEmulated = false
  /// The earlier attempts that were retried at once, the oldest first.
  package var earlier: [PushReport] = []

  package init(
    verdict: PushVerdict, status: Int? = nil, reason: String? = nil, apnsID: String? = nil,
    provider: PushProvider = .apns, environment: PushEnvironment, topic: String, duration: Duration = .zero
  ) {
    (self.verdict, self.status, self.reason, self.apnsID) = (verdict, status, reason, apnsID)
    (self.provider, self.environment, self.topic, self.duration) = (provider, environment, topic, duration)
  }

  /// The report for a database with real people: an emulator's answer does not count, and the delivery waits.
  package var withoutEmulator: PushReport {
    guard isEmulated else { return self }
    var report = PushReport(
      verdict: .notSent(pause: RetryTiming.configuration), reason: Self.emulatorReason, provider: provider,
      environment: environment, topic: topic, duration: duration)
    report.outage = "a push emulator answers, which takes no pushes to real people"
    return report
  }

  /// Why the provider takes no such pushes at all for now, in words; `nil` where the verdict says nothing of others.
  package var obstacle: String? {
    let word = reason.map { ": \($0)" } ?? ""
    return switch verdict.final {
    case .noKey where topic.isEmpty: "no topic is configured for devices that name none"
    case .noKey: "no key is configured for \(topic)"
    case .holdTeam: "APNs takes no more tokens of the team for a while\(word)"
    case .holdCredential: "APNs refuses the key\(word)"
    case .holdApp: "\(provider.title) refuses the configuration of \(topic)\(word)"
    case .holdTopic: "\(provider.title) says that the devices are not those of \(topic)\(word)"
    case .holdSuspect: Self.suspicion(of: topic)
    default: nil
    }
  }

  /// The obstacle of an app that has too many bad tokens at once.
  package static func suspicion(of topic: String) -> String {
    "APNs calls too many device tokens of \(topic) bad at once"
  }

  /// The reason of deliveries to real people that an emulator accepted, and that wait.
  package static let emulatorReason = "PushEmulator"
}

/// APNs' answer to one push.
///
/// Source: [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
package struct PushAnswer: Sendable, Equatable {
  package var status: Int
  /// The `reason` of the error body; `nil` with 200, or for a body that is not Apple's.
  package var reason: String?
  /// When APNs found that the token was no longer valid; only with 410.
  package var timestamp: Date?
  /// `Retry-After`, which Apple does not document; `nil` without one.
  package var retryAfter: Duration?

  package init(status: Int, reason: String? = nil, timestamp: Date? = nil, retryAfter: Duration? = nil) {
    (self.status, self.reason, self.timestamp, self.retryAfter) = (status, reason, timestamp, retryAfter)
  }
}

/// The state of a push without an answer, as far as it is known.
package enum PushSilence: Sendable, Equatable {
  /// It was sent, but APNs may or may not have accepted it: the connection broke, or no answer came in time.
  case unknown
  /// APNs did not process it: it refused the stream, or the stream came after the last one of a GOAWAY.
  case refused
  /// It never left this process.
  case unsent
}

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
