package import FoundationEssentials

/// The scope of a provider token: one team, one of its keys, one environment.
package struct ProviderTokenID: Sendable, Hashable {
  package var teamID: String
  package var keyID: String
  package var environment: PushEnvironment

  package init(teamID: String, keyID: String, environment: PushEnvironment) {
    (self.teamID, self.keyID, self.environment) = (teamID, keyID, environment)
  }
}

/// The JWT that identifies a team to APNs; printing it shows `«redacted»`.
///
/// APNs refuses tokens that are older than an hour, and teams that make a new one within 20 minutes.
/// Source: [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct ProviderToken: Sendable, Equatable {
  /// The seconds for which a token is used: 50 minutes.
  package static let life = 50.0 * 60
  /// The least number of seconds between two tokens: 20 minutes.
  static let minimumAge = 20.0 * 60

  /// The JWT; never logged.
  package var bearer: String
  /// When it was made, in whole seconds.
  package var issuedAt: Date

  package init(bearer: String, issuedAt: Date) {
    (self.bearer, self.issuedAt) = (bearer, issuedAt)
  }

  /// Whether the token can still be used.
  ///
  /// A token from the future means that the clock was set back. Up to 20 minutes are tolerated, because a replacement
  /// could be the second token within 20 minutes.
  package func isUsable(at now: Date) -> Bool {
    (-Self.minimumAge..<Self.life).contains(now.timeIntervalSince(issuedAt))
  }

  /// Whether the team may make another token.
  package func mayBeFollowed(at now: Date) -> Bool {
    !(-Self.minimumAge..<Self.minimumAge).contains(now.timeIntervalSince(issuedAt))
  }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "«redacted»" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The provider tokens that all processes of a team share, so that each process does not make its own.
package struct ProviderTokenStore: Sendable {
  /// The demands of a sender on a token.
  package struct Demand: Sendable {
    /// Whether a stored token can be used.
    package var isMet: @Sendable (ProviderToken) -> Bool
    /// Makes a new token.
    package var make: @Sendable () throws -> ProviderToken

    package init(
      isMet: @escaping @Sendable (ProviderToken) -> Bool, make: @escaping @Sendable () throws -> ProviderToken
    ) {
      (self.isMet, self.make) = (isMet, make)
    }
  }

  /// Returns the stored token if it meets the demand, else a new one.
  ///
  /// A new token is stored before it is returned, and no other process makes one meanwhile.
  package var token: @Sendable (ProviderTokenID, Demand) async throws -> ProviderToken

  package init(token: @escaping @Sendable (ProviderTokenID, Demand) async throws -> ProviderToken) {
    self.token = token
  }
}
