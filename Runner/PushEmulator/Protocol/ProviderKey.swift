import FunctionKit
import Signing

/// A key whose provider tokens are accepted, and its scope.
struct ProviderKey: Sendable {
  let keyID: String
  let teamID: String
  let key: VerificationKey
  /// The environments in which it may be used.
  ///
  /// Source: https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
  var environments = Set(APNsEnvironment.allCases)
  /// The bundle ids that it may push to; empty for a key of the whole team.
  var topics: Set<String> = []
}

/// The keys that are registered, by their ids.
struct ProviderKeys: Sendable {
  private(set) var keys: [String: ProviderKey] = [:]
  /// It changes with every change of the keys.
  ///
  /// Then older results are no longer valid.
  private(set) var generation = 0

  init(_ keys: [ProviderKey], generation: Int = 0) {
    self.generation = generation
    for key in keys { self.keys[key.keyID] = key }
  }

  subscript(keyID: String) -> ProviderKey? { keys[keyID] }

  /// Adds a key, and replaces one with the same id.
  mutating func add(_ key: ProviderKey) {
    keys[key.keyID] = key
    generation += 1
  }

  /// Revokes a key; returns whether there was one.
  mutating func remove(_ keyID: String) -> Bool {
    generation += 1
    return keys.removeValue(forKey: keyID) != nil
  }
}
