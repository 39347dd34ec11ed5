public import Notifications
import Signing

/// A key that signs provider tokens, and what it is good for.
public struct APNsKey: Sendable {
  /// The key's id, ten characters.
  public let keyID: String
  /// The team's id, ten characters.
  public let teamID: String
  /// The environments that Apple made it for; one of them or, for older keys, both.
  public let environments: Set<PushEnvironment>
  /// The topics that it is bound to; `nil` for a key of the whole team.
  public let topics: Set<String>?
  let file: KeyFile

  /// The `.p8` file.
  public var path: String { file.path }

  /// What a provider token of this key speaks for.
  func tokenID(_ environment: PushEnvironment) -> ProviderTokenID {
    ProviderTokenID(teamID: teamID, keyID: keyID, environment: environment)
  }

  /// A provider token with this date, in seconds since 1970.
  func sign(issuedAt: Int) throws -> String {
    try JWT.signed(with: file.key, keyID: keyID, issuer: teamID, issuedAt: issuedAt)
  }

  /// Whether a provider token was made with this very key: another may have stood in the file.
  func hasSigned(_ bearer: String) -> Bool {
    guard let token = try? JWT(parsing: bearer), let verifier = try? file.key.verificationKey() else { return false }
    return token.keyID == keyID && token.issuer == teamID && token.isSigned(by: verifier)
  }
}
