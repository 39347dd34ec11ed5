import FunctionKit

/// A request for a push as it was understood, and its effect.
struct Judgement: Sendable {
  let service: Service
  /// APNs' id or FCM's message name: the sender's if it is usable, else a new one.
  var id: String
  /// The device, if the request names one.
  var token: String
  /// The channel of a broadcast, empty if the request names none; `nil` for a push to a device.
  var channel: String?
  /// Whether a broadcast waits for phones that are offline.
  var isKept = false
  /// The id by which the push replaces an earlier one on the screen.
  var collapseID: String?
  var pushType: String?
  var topic: String?
  var priority: String?
  /// Until when it is kept for an offline device, in seconds since 1970: 0 is not at all, `nil` is up to the service.
  var expiration: Int?
  /// The payload, if the request was valid up to its check.
  var payload: RawJSON?
  /// The bundle id of the app, if it is known.
  var app: String?
  /// The provider token, if it is valid.
  var provider: ProviderToken?
  /// The key under which FCM keeps it for an offline device.
  var collapseKey: String?
  var effect = Effect.accepted
  /// The fault that hit it.
  var fault: Int?
  /// The body of the answer, if it is not APNs' own.
  var body: [UInt8]?

  /// The kind of notification: the payload's `type`, else its category, else the push type.
  var kind: String {
    switch service {
    case .fcm:
      payload?["data"]?["type"]?.stringValue
        ?? payload?["android"]?["notification"]?.either("click_action", "clickAction")?.stringValue ?? "message"
    case .apns, .oauth, .channels:
      payload?["type"]?.stringValue ?? payload?["aps"]?["category"]?.stringValue ?? pushType ?? PushType.alert.rawValue
    }
  }
}
