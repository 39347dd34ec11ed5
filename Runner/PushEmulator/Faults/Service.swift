/// The services that the emulator plays.
enum Service: String, Sendable {
  /// Apple's push service.
  case apns
  /// Firebase Cloud Messaging.
  case fcm
  /// Google's token endpoint.
  case oauth
}
