public import FoundationEssentials

/// What APNs said to one push.
///
/// Source: [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
public struct PushAnswer: Sendable, Equatable {
  /// The HTTP status.
  public var status: Int
  /// The `reason` of the error body; `nil` with 200, or where the body was none of Apple's.
  public var reason: String?
  /// When APNs confirmed that the token was dead; only with 410.
  public var timestamp: Date?
  /// `Retry-After`, where it came: it is not in Apple's table, and honoured when it is there.
  public var retryAfter: Duration?

  /// An answer from its parts.
  public init(status: Int, reason: String? = nil, timestamp: Date? = nil, retryAfter: Duration? = nil) {
    (self.status, self.reason, self.timestamp, self.retryAfter) = (status, reason, timestamp, retryAfter)
  }
}

/// What is known of a push that got no answer.
public enum PushSilence: Sendable, Equatable {
  /// It went out, and nobody can know whether APNs took it: the connection broke, or no answer came in time.
  case unknown
  /// APNs said that it did not process it: a refused stream, or one above a GOAWAY's last.
  case refused
  /// It never left this process.
  case unsent
}
