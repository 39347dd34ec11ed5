/// Tokens whose signature was found right, so that it is checked once and not for each push.
struct ProviderTokens: Sendable {
  let key: ProviderKey
  private var known: [String: ProviderToken] = [:]

  private static let capacity = 64

  init(key: ProviderKey) {
    self.key = key
  }

  /// The token of an `authorization` field, if it is valid now.
  mutating func token(in authorization: String?, now: Int) throws(Reason) -> ProviderToken {
    guard let authorization else { throw .missingProviderToken }
    guard let token = known[authorization] ?? key.token(in: authorization) else { throw .invalidProviderToken }
    guard token.issuedAt <= now + ProviderKey.lifetime else { throw .invalidProviderToken }
    guard token.issuedAt >= now - ProviderKey.lifetime else { throw .expiredProviderToken }
    if known.count >= Self.capacity, known[authorization] == nil { known.removeAll() }
    known[authorization] = token
    return token
  }
}
