/// The services that the emulator plays.
enum Service: String, Sendable {
  /// Apple's push service.
  case apns
  /// Firebase Cloud Messaging.
  case fcm
  /// Google's token endpoint.
  case oauth
  /// APNs' management of broadcast channels.
  case channels

  /// Whether only faults that name it hit it.
  var isHitByNameOnly: Bool { self == .oauth || self == .channels }
}
