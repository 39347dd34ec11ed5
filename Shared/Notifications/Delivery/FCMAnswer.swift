/// What FCM said to one message.
///
/// Source: [FCM HTTP v1, ErrorCode](https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
public struct FCMAnswer: Sendable, Equatable {
  /// The HTTP status.
  public var status: Int
  /// The `errorCode` of the detail of type `FcmError`, `nil` without one.
  public var errorCode: String?
  /// The `status` of the error: a `google.rpc.Code` such as `INVALID_ARGUMENT`, which FCM's and other errors share.
  public var rpcStatus: String?
  /// Whether a detail of type `google.rpc.BadRequest` finds fault with anything but the token.
  public var blamesMessage: Bool
  /// `Retry-After`, where it came.
  public var retryAfter: Duration?

  /// An answer from its parts.
  public init(
    status: Int, errorCode: String? = nil, rpcStatus: String? = nil, blamesMessage: Bool = false,
    retryAfter: Duration? = nil
  ) {
    (self.status, self.errorCode, self.rpcStatus) = (status, errorCode, rpcStatus)
    (self.blamesMessage, self.retryAfter) = (blamesMessage, retryAfter)
  }

  /// The most telling word that FCM gave.
  public var reason: String? { errorCode ?? rpcStatus }
}
