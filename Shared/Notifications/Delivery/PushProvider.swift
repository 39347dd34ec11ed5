/// The service that carries pushes to a device; the raw value is stored in `device_tokens.provider`.
package enum PushProvider: String, Sendable, CaseIterable {
  /// Apple's Push Notification service.
  case apns
  /// Firebase Cloud Messaging.
  case fcm

  /// The name for people.
  package var title: String { self == .fcm ? "FCM" : "APNs" }

  /// Why pushes wait that no process sends.
  package var absence: String { "\(title) is not configured" }
}
