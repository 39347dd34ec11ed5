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
