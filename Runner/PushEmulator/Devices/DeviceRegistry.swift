import FunctionKit

/// The devices that have instructions, each by its token or by a pattern.
struct DeviceRegistry: Sendable {
  /// Whether tokens without an instruction are refused.
  let isStrict: Bool
  private(set) var devices: [String: DeviceState] = [:]
  private var patterns: [(glob: Glob, state: DeviceState)] = []

  /// The longest script of a device, in answers.
  static let scriptLimit = 10_000

  init(isStrict: Bool = false) {
    self.isStrict = isStrict
  }

  /// The devices of an instruction.
  enum Subject: Sendable, Equatable {
    case token(String)
    case pattern(Glob)
  }

  /// The instruction for a device, with those of the patterns that match its token; `nil` if there is none.
  ///
  /// The token's own instruction counts most, then the latest pattern, and for the token of a Live Activity its phone's.
  func state(of token: String) -> DeviceState? {
    var state = devices[token]
    for (glob, other) in patterns.reversed() where glob.matches(token) { state = state?.over(other) ?? other }
    guard let phone = ActivityToken(token)?.phone, let own = devices[phone] else { return state }
    return state?.over(own) ?? own
  }

  mutating func apply(_ change: DeviceChange, to subject: Subject) {
    switch subject {
    case .token(let token):
      let state = change.applied(to: devices[token] ?? DeviceState())
      devices[token] = state
    case .pattern(let glob):
      let place = patterns.firstIndex { $0.glob == glob }
      let state = change.applied(to: place.map { patterns.remove(at: $0).state } ?? DeviceState())
      patterns.append((glob, state))
    }
  }

  /// Forgets an instruction; returns whether there was one.
  mutating func remove(_ subject: Subject) -> Bool {
    switch subject {
    case .token(let token): return devices.removeValue(forKey: token) != nil
    case .pattern(let glob):
      guard let place = patterns.firstIndex(where: { $0.glob == glob }) else { return false }
      patterns.remove(at: place)
      return true
    }
  }

  /// Takes the next answer of a device's script.
  mutating func nextScripted(for token: String) -> Effect? {
    guard devices[token]?.answers.isEmpty == false else { return nil }
    return devices[token]?.answers.removeFirst()
  }
}

extension DeviceRegistry {
  /// APNs' refusal because of the device; `nil` if it accepts the push.
  func refusal(_ token: String, _ environment: APNsEnvironment, bundleID: String) -> Answer? {
    guard let state = state(of: token) else { return isStrict ? .refused(.badDeviceToken) : nil }
    if state.registration == .invalid { return .refused(.badDeviceToken) }
    guard (state.environment ?? environment) == environment else { return .refused(.badDeviceToken) }
    guard state.topics?.contains(bundleID) ?? true else { return .refused(.deviceTokenNotForTopic) }
    switch state.registration {
    case .unregistered(let since): return .refused(.unregistered, timestamp: since)
    case .expired(let since): return .refused(.expiredToken, timestamp: since)
    case .registered, .invalid, nil: return nil
    }
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
