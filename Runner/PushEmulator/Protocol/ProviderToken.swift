/// The parts of a valid provider token (a JWT, RFC 7519) that APNs looks at.
struct ProviderToken: Sendable, Equatable {
  let keyID: String
  let teamID: String
  /// When it was made, in seconds since 1970.
  let issuedAt: Int
  /// The deviations from RFC 7515 and Apple's description that were accepted.
  var oddities: [ProviderTokenText.Oddity] = []

  /// How old a token may be, and how far in the future: 1 hour, in seconds.
  static let lifetime = 3_600
}
