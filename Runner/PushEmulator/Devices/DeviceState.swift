import FunctionKit

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

extension DeviceState {
  /// The form that ``DeviceChange`` reads.
  func json(_ token: String) -> RawJSON {
    var members = [("token", RawJSON(token))]
    switch registration {
    case .registered: members.append(("state", RawJSON("registered")))
    case .unregistered(let since): members += [("state", RawJSON("unregistered")), ("since", RawJSON(since))]
    case .expired(let since): members += [("state", RawJSON("expired")), ("since", RawJSON(since))]
    case .invalid: members.append(("state", RawJSON("invalid")))
    case nil: break
    }
    if let environment { members.append(("environment", RawJSON(environment.rawValue))) }
    if let topics { members.append(("topics", RawJSON(array: topics.sorted().map { RawJSON($0) }))) }
    if let project { members.append(("project", RawJSON(project))) }
    if let isOnline { members.append(("online", RawJSON(isOnline))) }
    if !answers.isEmpty { members.append(("answers", RawJSON(array: answers.map(\.json)))) }
    return RawJSON(object: members)
  }
}
