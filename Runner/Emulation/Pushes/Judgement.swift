package import FunctionKit

/// A request for a push as it was understood, and its effect.
package struct Judgement: Sendable {
  package let service: Service
  /// APNs' id or FCM's message name: the sender's if it is usable, else a new one.
  package var id: String
  /// The device, if the request names one.
  package var token: String
  /// The id by which the push replaces an earlier one on the screen.
  package var collapseID: String?
  package var pushType: String?
  package var topic: String?
  package var priority: String?
  /// Until when it is kept for an offline device, in seconds since 1970: 0 is not at all, `nil` is up to the service.
  package var expiration: Int?
  /// The payload, if the request was valid up to its check.
  package var payload: RawJSON?
  /// The bundle id of the app, if it is known.
  package var app: String?
  /// The provider token, if it is valid.
  package var provider: ProviderToken?
  /// The key under which FCM keeps it for an offline device.
  package var collapseKey: String?
  package var effect = Effect.accepted
  /// The fault that hit it.
  package var fault: Int?
  /// The body of the answer, if it is not APNs' own.
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
