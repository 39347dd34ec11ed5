import FunctionKit

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

extension DeviceRegistry.Subject {
  /// The token or pattern at the end of a path.
  ///
  /// APNs' tokens are hexadecimal, in any case. FCM's tokens are used as they are.
  init(_ text: String) throws(BadRequest) {
    guard !text.isEmpty, text.utf8.count <= 4_096, text.unicodeScalars.allSatisfy(Self.isAllowed) else {
      throw BadRequest("\(text) is neither a device token nor a pattern of one.")
    }
    let lowercased = text.lowercased()
    if Glob.isPattern(text) {
      self = .pattern(Glob(text))
    } else {
      self = .token(PushRules.isDeviceToken(lowercased) ? lowercased : text)
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ":", ".", "%", "*", "?": true
    default: false
    }
  }
}

extension DeviceRegistry {
  /// All instructions, for `GET /snapshot`.
  var json: RawJSON {
    let single = devices.sorted { $0.key < $1.key }.map { $0.value.json($0.key) }
    return RawJSON(array: patterns.map { $0.state.json($0.glob.text) } + single)
  }

  /// Reads the form of ``json``.
  mutating func add(_ list: RawJSON) throws(BadRequest) {
    for element in list.elements ?? [] {
      guard let token = try element.text("token") else { throw BadRequest("A device of a snapshot has a token.") }
      let onlyNamed = element.members.count == 1
      let change = onlyNamed ? DeviceChange() : try DeviceChange(element, now: 0)
      apply(change, to: try Subject(token))
    }
  }
}
