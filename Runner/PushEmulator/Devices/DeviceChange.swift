import FunctionKit

/// New instructions for a device.
///
/// The others stay.
struct DeviceChange: Sendable, Equatable {
  var registration: DeviceState.Registration?
  var environment: APNsEnvironment??
  var topics: Set<String>??
  var project: String??
  var isOnline: Bool?
  var answers: [Effect]?

  /// Whether the device is registered again.
  ///
  /// Then it loses its earlier instructions.
  func applied(to old: DeviceState) -> DeviceState {
    var state = registration == .registered ? DeviceState() : old
    if let registration { state.registration = registration }
    if let environment { state.environment = environment }
    if let topics { state.topics = topics }
    if let project { state.project = project }
    if let isOnline { state.isOnline = isOnline }
    if let answers { state.answers = answers }
    return state
  }
}

extension DeviceChange {
  /// Reads the body of `POST /devices/<token>`.
  ///
  /// - Parameter now: milliseconds since 1970, for a device that is unregistered from now on.
  /// - Throws: a sentence that names the field.
  init(_ json: RawJSON, now: Int) throws(BadRequest) {
    try json.checkMembers(["state", "since", "environment", "topics", "project", "online", "answers", "token"])
    let since = try json.number("since", in: 0...Int.max) ?? now
    switch try json.text("state") {
    case "registered": registration = .registered
    case "unregistered": registration = .unregistered(since: since)
    case "expired": registration = .expired(since: since)
    case "invalid": registration = .invalid
    case nil: break
    default: throw BadRequest("state must be registered, unregistered, expired or invalid.")
    }
    if json["environment"] != nil {
      let name = try json.text("environment")
      let value = name.flatMap(APNsEnvironment.init)
      guard (value == nil) == (name == nil) else {
        throw BadRequest("environment must be sandbox, production or null.")
      }
      environment = .some(value)
    }
    if json["topics"] != nil { topics = .some(try json.texts("topics").map(Set.init)) }
    if json["project"] != nil { project = .some(try json.text("project")) }
    isOnline = try json.flag("online")
    if let list = json.field("answers") { answers = try Self.answers(list) }
    guard self != DeviceChange() else {
      throw BadRequest("Nothing is said of the device: state, environment, topics, project, online or answers.")
    }
  }

  private static func answers(_ list: RawJSON) throws(BadRequest) -> [Effect] {
    guard let elements = list.elements, elements.count <= DeviceRegistry.scriptLimit else {
      throw BadRequest("answers must be an array of at most \(DeviceRegistry.scriptLimit).")
    }
    var answers: [Effect] = []
    for element in elements { answers.append(try Effect(element)) }
    return answers
  }
}
