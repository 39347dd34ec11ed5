/// The service that carries pushes to a device; the raw value is stored in `device_tokens.provider`.
package enum PushProvider: String, Sendable, CaseIterable {
  /// Apple's Push Notification service.
  case apns
  /// Firebase Cloud Messaging.
  case fcm
}
