/// FCM's answer to one message.
///
/// Source: [FCM HTTP v1, ErrorCode](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
package struct FCMAnswer: Sendable, Equatable {
  package var status: Int
  /// The `errorCode` of the detail of type `FcmError`; `nil` without one.
  package var errorCode: String?
  /// The `status` of the error: a `google.rpc.Code` such as `INVALID_ARGUMENT`, which FCM's and other errors share.
  package var rpcStatus: String?
  /// Whether it says by a field or in its text that the token is wrong, and not the message.
  package var blamesToken: Bool
  /// `Retry-After`; `nil` without one.
  package var retryAfter: Duration?

  package init(
    status: Int, errorCode: String? = nil, rpcStatus: String? = nil, blamesToken: Bool = false,
    retryAfter: Duration? = nil
  ) {
    (self.status, self.errorCode, self.rpcStatus) = (status, errorCode, rpcStatus)
    (self.blamesToken, self.retryAfter) = (blamesToken, retryAfter)
  }

  /// The most specific reason that FCM gave.
  package var reason: String? { errorCode ?? rpcStatus }
}

/// Every `errorCode` of FCM's `FcmError`, and the two values of `google.rpc.Code` that mean one of them.
///
/// Source: [FCM HTTP v1, ErrorCode](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
package enum FCMErrorCode: String, Sendable, CaseIterable {
  case unspecified = "UNSPECIFIED_ERROR"
  case invalidArgument = "INVALID_ARGUMENT"
  case unregistered = "UNREGISTERED"
  case senderIDMismatch = "SENDER_ID_MISMATCH"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case unavailable = "UNAVAILABLE"
  case `internal` = "INTERNAL"
  case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
  case unauthenticated = "UNAUTHENTICATED"
}
