/// The instructions for a device.
///
/// `nil` means none: then the device accepts every push.
struct DeviceState: Sendable, Equatable {
  var registration: Registration?
  /// The token's APNs environment; `nil` means both.
  var environment: APNsEnvironment?
  /// The bundle ids of the apps that the token was made for; `nil` means any.
  var topics: Set<String>?
  /// The token's Firebase project; `nil` means any.
  var project: String?
  /// Whether pushes reach it now.
  ///
  /// Otherwise they are kept for it.
  var isOnline: Bool?
  /// The effects of the next pushes, one for each.
  var answers: [Effect] = []

  /// Whether the app is still there.
  enum Registration: Sendable, Equatable {
    case registered
    /// The app was deleted at that time, in milliseconds since 1970.
    case unregistered(since: Int)
    /// The token expired at that time.
    case expired(since: Int)
    /// The token does not exist.
    case invalid
  }

  /// This state, completed from another one.
  func over(_ other: DeviceState) -> DeviceState {
    DeviceState(
      registration: registration ?? other.registration, environment: environment ?? other.environment,
      topics: topics ?? other.topics, project: project ?? other.project, isOnline: isOnline ?? other.isOnline,
      answers: answers)
  }
}
