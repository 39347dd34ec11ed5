import FunctionKit

/// A refusal in FCM's words (google.rpc.Status as JSON).
///
/// Source: https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
struct FCMFailure: Error, Sendable, Equatable {
  let status: Int
  /// FCM's own word, such as `UNREGISTERED`, if there is one; else the canonical word of google.rpc.Code.
  let code: String
  let message: String
  let detail: Detail

  enum Detail: Sendable, Equatable {
    case none
    /// `google.firebase.fcm.v1.FcmError`: the registration token or the service.
    case fcmError
    /// `google.rpc.BadRequest`: the message is wrong in this field.
    case badRequest(field: String)
  }

  /// The problem with a field of the message.
  static func field(_ field: String, _ message: String) -> FCMFailure {
    FCMFailure(status: 400, code: "INVALID_ARGUMENT", message: message, detail: .badRequest(field: field))
  }

  static let unauthenticated = FCMFailure(
    status: 401, code: "UNAUTHENTICATED",
    message: "Request had invalid authentication credentials. Expected OAuth 2 access token.", detail: .none)

  static func permissionDenied(_ project: String) -> FCMFailure {
    FCMFailure(
      status: 403, code: "PERMISSION_DENIED",
      message:
        "Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/\(project)'.",
      detail: .none)
  }

  /// A refusal by a script or a device's state.
  init(status: Int, reason: String) {
    let code = reason == "BadRequest" ? "INVALID_ARGUMENT" : Self.codes[reason] == nil ? Self.code(for: status) : reason
    let detail: Detail =
      reason == "BadRequest" ? .badRequest(field: "message") : code == "UNAUTHENTICATED" ? .none : .fcmError
    self.init(status: status, code: code, message: Self.messages[code] ?? reason, detail: detail)
  }

  init(status: Int, code: String, message: String, detail: Detail) {
    (self.status, self.code, self.message, self.detail) = (status, code, message, detail)
  }

  var body: [UInt8] {
    var members = [
      ("code", RawJSON(status)), ("message", RawJSON(message)), ("status", RawJSON(Self.codes[code] ?? code)),
    ]
    switch detail {
    case .none: break
    case .fcmError:
      members.append(("details", Self.details("google.firebase.fcm.v1.FcmError", ("errorCode", RawJSON(code)))))
    case .badRequest(let field):
      let violation = RawJSON(object: [("field", RawJSON(field)), ("description", RawJSON(message))])
      members.append(
        ("details", Self.details("google.rpc.BadRequest", ("fieldViolations", RawJSON(array: [violation])))))
    }
    return Array(RawJSON(object: [("error", RawJSON(object: members))]).bytes)
  }

  private static func details(_ type: String, _ member: (String, RawJSON)) -> RawJSON {
    RawJSON(array: [RawJSON(object: [("@type", RawJSON("type.googleapis.com/\(type)")), member])])
  }

  /// FCM's words, and their canonical ones.
  private static let codes = [
    "INVALID_ARGUMENT": "INVALID_ARGUMENT", "UNREGISTERED": "NOT_FOUND", "SENDER_ID_MISMATCH": "PERMISSION_DENIED",
    "QUOTA_EXCEEDED": "RESOURCE_EXHAUSTED", "UNAVAILABLE": "UNAVAILABLE", "INTERNAL": "INTERNAL",
    "THIRD_PARTY_AUTH_ERROR": "UNAUTHENTICATED", "UNAUTHENTICATED": "UNAUTHENTICATED",
    "UNSPECIFIED_ERROR": "UNKNOWN", "PERMISSION_DENIED": "PERMISSION_DENIED",
  ]

  private static let messages = [
    "INVALID_ARGUMENT": "The registration token is not a valid FCM registration token",
    "UNREGISTERED": "Requested entity was not found.", "SENDER_ID_MISMATCH": "SenderId mismatch",
    "QUOTA_EXCEEDED": "Resource has been exhausted (e.g. check quota).",
    "UNAVAILABLE": "The service is currently unavailable.", "INTERNAL": "Internal error encountered.",
    "THIRD_PARTY_AUTH_ERROR": "Auth error from APNS or Web Push Service",
    "UNAUTHENTICATED": unauthenticated.message,
  ]

  private static func code(for status: Int) -> String {
    switch status {
    case 401: "UNAUTHENTICATED"
    case 403: "SENDER_ID_MISMATCH"
    case 404, 410: "UNREGISTERED"
    case 429: "QUOTA_EXCEEDED"
    case 503: "UNAVAILABLE"
    case 500...: "INTERNAL"
    default: "INVALID_ARGUMENT"
    }
  }
}
