package import Notifications
import Signing

/// A key that signs provider tokens, and its scope.
package struct APNsKey: Sendable {
  /// The key's id, ten characters.
  package let keyID: String
  /// The team's id, ten characters.
  package let teamID: String
  /// The environments that Apple issued it for: one, or both for an older key.
  package let environments: Set<PushEnvironment>
  /// The topics that it is bound to; `nil` for a key of the whole team.
  package let topics: Set<String>?
  let source: KeySource

  /// The `.p8` file; `nil` for a key that a variable holds.
  package var path: String? { source.path }

  /// The scope of a provider token of this key.
  func tokenID(_ environment: PushEnvironment) -> ProviderTokenID {
    ProviderTokenID(teamID: teamID, keyID: keyID, environment: environment)
  }

  /// A provider token with this date, in seconds since 1970.
  func sign(issuedAt: Int) throws -> String {
    try JWT.signed(with: source.key, keyID: keyID, issuer: teamID, issuedAt: issuedAt)
  }

  /// Whether a provider token was made with this key.
  ///
  /// The file may have had another key before.
  func hasSigned(_ bearer: String) -> Bool {
    guard let token = try? JWT(parsing: bearer), let verifier = try? source.key.verificationKey() else { return false }
    return token.keyID == keyID && token.issuer == teamID && token.isSigned(by: verifier)
  }
}
