package import FunctionKit

/// A request for a push as it was understood, and what becomes of it.
package struct Judgement: Sendable {
  package let service: Service
  /// APNs' id or FCM's message name: the sender's where it gave a usable one, else a new one.
  package var id: String
  /// The device, as far as the request names one.
  package var token: String
  /// By what the push replaces an earlier one on the screen.
  package var collapseID: String?
  package var pushType: String?
  package var topic: String?
  package var priority: String?
  /// Until when it is kept for a device that is offline, in seconds since 1970; 0 not at all, `nil` as the service likes.
  package var expiration: Int?
  /// The payload, where the request got as far as its check.
  package var payload: RawJSON?
  /// The bundle id of the app, once it is known.
  package var app: String?
  /// The provider token, where it is valid.
  package var provider: ProviderToken?
  /// Under what FCM keeps it for a device that is offline.
  package var collapseKey: String?
  package var effect = Effect.accepted
  /// The fault that befell it.
  package var fault: Int?
  /// The body of the answer, where it is not APNs' own.
  package var body: [UInt8]?

  package init(service: Service, id: String, token: String) {
    (self.service, self.id, self.token) = (service, id, token)
  }

  /// The kind of notification: the payload's `type`, else its category, else the push type.
  package var kind: String {
    switch service {
    case .fcm:
      payload?["data"]?["type"]?.stringValue
        ?? payload?["android"]?["notification"]?.either("click_action", "clickAction")?.stringValue ?? "message"
    case .apns, .oauth:
      payload?["type"]?.stringValue ?? payload?["aps"]?["category"]?.stringValue ?? pushType ?? PushType.alert.rawValue
    }
  }
}
