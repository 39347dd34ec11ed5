/// What is known of a device; what nobody said is `nil`, and then the device takes every push.
package struct DeviceState: Sendable, Equatable {
  package var registration: Registration?
  /// The APNs environment that the token is of; `nil` is good in both.
  var environment: APNsEnvironment?
  /// The bundle ids of the apps that the token was made for; `nil` means any.
  var topics: Set<String>?
  /// The Firebase project that the token is of; `nil` means any.
  package var project: String?
  /// Whether pushes reach it now; kept for it else.
  package var isOnline: Bool?
  /// What becomes of the next pushes, one each.
  var answers: [Effect] = []

  /// Whether the app is still there.
  package enum Registration: Sendable, Equatable {
    case registered
    /// The app is gone since that time, in milliseconds since 1970.
    case unregistered(since: Int)
    /// The token's time is over since then.
    case expired(since: Int)
    /// There is no such token.
    case invalid
  }

  /// This state, with what it leaves open taken from another.
  func over(_ other: DeviceState) -> DeviceState {
    DeviceState(
      registration: registration ?? other.registration, environment: environment ?? other.environment,
      topics: topics ?? other.topics, project: project ?? other.project, isOnline: isOnline ?? other.isOnline,
      answers: answers)
  }
}
