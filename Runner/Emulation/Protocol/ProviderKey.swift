import FunctionKit
package import Signing

/// A key whose provider tokens are accepted, and its scope.
package struct ProviderKey: Sendable {
  package let keyID: String
  package let teamID: String
  package let key: VerificationKey
  /// The environments in which it may be used.
  ///
  /// Source: https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
  package var environments: Set<APNsEnvironment>
  /// The bundle ids that it may push to; empty for a key of the whole team.
  package var topics: Set<String>

  package init(
    keyID: String, teamID: String, key: VerificationKey,
    environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases), topics: Set<String> = []
  ) {
    (self.keyID, self.teamID, self.key) = (keyID, teamID, key)
    (self.environments, self.topics) = (environments, topics)
  }
}

/// The keys that are registered, by their ids.
package struct ProviderKeys: Sendable {
  package private(set) var keys: [String: ProviderKey] = [:]
  /// It changes with every change of the keys.
  ///
  /// Then older results are no longer valid.
  package private(set) var generation = 0

  package init(_ keys: [ProviderKey], generation: Int = 0) {
    self.generation = generation
    for key in keys { self.keys[key.keyID] = key }
  }

  package subscript(keyID: String) -> ProviderKey? { keys[keyID] }

  /// Adds a key, and replaces one with the same id.
  package mutating func add(_ key: ProviderKey) {
    keys[key.keyID] = key
    generation += 1
  }

  /// Revokes a key; returns whether there was one.
  package mutating func remove(_ keyID: String) -> Bool {
    generation += 1
    return keys.removeValue(forKey: keyID) != nil
  }
}
