/// The devices about which something was said, singly or by pattern.
package struct DeviceRegistry: Sendable {
  /// Whether tokens about which nothing was said are refused.
  package let isStrict: Bool
  package private(set) var devices: [String: DeviceState] = [:]
  private(set) var patterns: [(glob: Glob, state: DeviceState)] = []

  /// The longest script of a device, in answers.
  static let scriptLimit = 10_000

  package init(isStrict: Bool = false) {
    self.isStrict = isStrict
  }

  /// Whom an instruction is for.
  package enum Subject: Sendable, Equatable {
    case token(String)
    case pattern(Glob)
  }

  /// What is said of a device, and of all that its token's patterns say; `nil` where nothing is.
  ///
  /// What is said of the one device counts more, and of patterns the latest.
  package func state(of token: String) -> DeviceState? {
    var state = devices[token]
    guard !patterns.isEmpty else { return state }
    for (glob, other) in patterns.reversed() where glob.matches(token) { state = state?.over(other) ?? other }
    return state
  }

  package mutating func apply(_ change: DeviceChange, to subject: Subject) {
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

  /// Forgets what was said; gives whether anything was.
  package mutating func remove(_ subject: Subject) -> Bool {
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
  /// What APNs answers because of the device; `nil` where it takes the push.
  package func refusal(_ token: String, _ environment: APNsEnvironment, bundleID: String) -> Answer? {
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
