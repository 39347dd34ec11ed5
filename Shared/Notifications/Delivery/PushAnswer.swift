package import FoundationEssentials

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

/// What is known about a push without an answer.
package enum PushSilence: Sendable, Equatable {
  /// It was sent, but APNs may or may not have accepted it: the connection broke, or no answer came in time.
  case unknown
  /// APNs did not process it: it refused the stream, or the stream came after the last one of a GOAWAY.
  case refused
  /// It never left this process.
  case unsent
}
