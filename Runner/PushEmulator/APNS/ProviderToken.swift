import Signing

/// The parts of a valid provider token (a JWT, RFC 7519) that APNs looks at.
struct ProviderToken: Sendable, Equatable {
  let keyID: String
  let teamID: String
  /// When it was made, in seconds since 1970.
  let issuedAt: Int
}

/// The key whose tokens are accepted.
struct ProviderKey: Sendable {
  let keyID: String
  let teamID: String
  let key: VerificationKey

  /// How old a token may be, and how far ahead its clock: 1 hour, in seconds.
  static let lifetime = 3_600

  /// The token of an `authorization` field when it is this key's, whatever its age.
  func token(in authorization: String) -> ProviderToken? {
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer", let token = try? JWT(parsing: String(parts[1])),
      token.keyID == keyID, token.issuer == teamID, let issuedAt = token.issuedAt.flatMap({ Int(exactly: $0) }),
      token.isSigned(by: key)
    else { return nil }
    return ProviderToken(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
  }
}
