import FunctionKit

/// A request for a push as it was understood, and what becomes of it.
struct Judgement: Sendable {
  let service: Service
  /// APNs' id or FCM's message name: the sender's where it gave a usable one, else a new one.
  var id: String
  /// The device, as far as the request names one.
  var token: String
  /// By what the push replaces an earlier one on the screen.
  var collapseID: String?
  var pushType: String?
  var topic: String?
  var priority: String?
  /// Until when it is kept for a device that is offline, in seconds since 1970; 0 not at all, `nil` as the service likes.
  var expiration: Int?
  /// The payload, where the request got as far as its check.
  var payload: RawJSON?
  /// The bundle id of the app, once it is known.
  var app: String?
  /// The provider token, where it is valid.
  var provider: ProviderToken?
  /// Under what FCM keeps it for a device that is offline.
  var collapseKey: String?
  var effect = Effect.accepted
  /// The fault that befell it.
  var fault: Int?
  /// The body of the answer, where it is not APNs' own.
  var body: [UInt8]?

  init(service: Service, id: String, token: String) {
    (self.service, self.id, self.token) = (service, id, token)
  }

  /// The kind of notification: the payload's `type`, else its category, else the push type.
  var kind: String {
    switch service {
    case .fcm:
      payload?["data"]?["type"]?.stringValue
        ?? payload?["android"]?["notification"]?.either("click_action", "clickAction")?.stringValue ?? "message"
    case .apns, .oauth:
      payload?["type"]?.stringValue ?? payload?["aps"]?["category"]?.stringValue ?? pushType ?? PushType.alert.rawValue
    }
  }
}
