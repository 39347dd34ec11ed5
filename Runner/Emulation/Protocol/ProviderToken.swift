/// The parts of a valid provider token (a JWT, RFC 7519) that APNs looks at.
package struct ProviderToken: Sendable, Equatable {
  package let keyID: String
  package let teamID: String
  /// When it was made, in seconds since 1970.
  package let issuedAt: Int
  /// The deviations from RFC 7515 and Apple's description that were accepted.
  package var oddities: [ProviderTokenText.Oddity] = []

  package init(keyID: String, teamID: String, issuedAt: Int, oddities: [ProviderTokenText.Oddity] = []) {
    (self.keyID, self.teamID, self.issuedAt, self.oddities) = (keyID, teamID, issuedAt, oddities)
  }

  /// How old a token may be, and how far in the future: 1 hour, in seconds.
  package static let lifetime = 3_600
}
