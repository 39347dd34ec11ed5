/// The service that carries pushes to a device; the raw value stands in `device_tokens.provider`.
public enum PushProvider: String, Sendable, CaseIterable {
  /// Apple's Push Notification service.
  case apns
  /// Firebase Cloud Messaging.
  case fcm
}
