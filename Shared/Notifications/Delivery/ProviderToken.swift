public import FoundationEssentials

/// What a provider token speaks for: one team, by one of its keys, in one environment.
public struct ProviderTokenID: Sendable, Hashable {
  /// The team's id.
  public var teamID: String
  /// The key's id.
  public var keyID: String
  /// Where it is used.
  public var environment: PushEnvironment

  /// An id from its parts.
  public init(teamID: String, keyID: String, environment: PushEnvironment) {
    (self.teamID, self.keyID, self.environment) = (teamID, keyID, environment)
  }
}

/// The JWT that APNs knows a team by; it does not show itself when it is printed.
///
/// APNs refuses tokens older than an hour, and teams that make them more often than every 20 minutes.
/// Source: [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
public struct ProviderToken: Sendable, Equatable {
  /// A token is used for 50 minutes.
  public static let life = 50.0 * 60
  /// No token follows another within 20 minutes.
  public static let minimumAge = 20.0 * 60

  /// The JWT; never logged.
  public var bearer: String
  /// When it was made, in whole seconds.
  public var issuedAt: Date

  /// A token from its parts.
  public init(bearer: String, issuedAt: Date) {
    (self.bearer, self.issuedAt) = (bearer, issuedAt)
  }

  /// Whether it may be used.
  ///
  /// A token from the future means that the clock was put back. Up to 20 minutes are tolerated, because replacing the
  /// token could mean a second one within 20 minutes.
  public func isUsable(at now: Date) -> Bool {
    (-Self.minimumAge..<Self.life).contains(now.timeIntervalSince(issuedAt))
  }

  /// Whether another may be made after it.
  public func mayBeFollowed(at now: Date) -> Bool {
    !(-Self.minimumAge..<Self.minimumAge).contains(now.timeIntervalSince(issuedAt))
  }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `«redacted»`.
  public var description: String { "«redacted»" }
  /// `«redacted»`.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
