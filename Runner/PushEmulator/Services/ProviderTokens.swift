import FoundationEssentials

/// Checks provider tokens.
///
/// A valid signature is not checked again for each push.
struct ProviderTokens: Sendable {
  var keys: ProviderKeys {
    didSet { known.removeAll() }
  }
  let isLenient: Bool
  let scope: TokenUpdates.Scope
  var updates = TokenUpdates()
  private var known: [String: ProviderToken] = [:]

  private static let capacity = 64

  init(keys: ProviderKeys, isLenient: Bool = false, scope: TokenUpdates.Scope = .connection) {
    (self.keys, self.isLenient, self.scope) = (keys, isLenient, scope)
  }

  /// The token of an `authorization` field, if this connection may use it now.
  mutating func token(
    in authorization: String?, on connection: Connection, now: Date
  ) throws(Reason) -> ProviderToken {
    guard let authorization else { throw .missingProviderToken }
    if let last = connection.lastToken, last.generation == keys.generation, last.authorization == authorization {
      try checkAge(last.token, now)
      return last.token
    }
    guard let token = known[authorization] ?? genuine(authorization) else { throw .invalidProviderToken }
    if known.count >= Self.capacity, known[authorization] == nil { known.removeAll() }
    known[authorization] = token
    try checkAge(token, now)
    try check(token, on: connection)
    let environment = connection.face.environment
    let provider: TokenUpdates.Provider =
      scope == .team
      ? .team(token.teamID, keyID: token.keyID, environment) : .connection(connection.number)
    guard updates.admits(authorization, of: provider, now: now) else { throw .tooManyProviderTokenUpdates }
    connection.firstToken = connection.firstToken ?? token
    connection.lastToken = (authorization, token, keys.generation)
    return token
  }

  private func checkAge(_ token: ProviderToken, _ now: Date) throws(Reason) {
    let now = Int(now.timeIntervalSince1970)
    guard token.issuedAt <= now + ProviderToken.lifetime else { throw .invalidProviderToken }
    guard token.issuedAt >= now - ProviderToken.lifetime else { throw .expiredProviderToken }
  }

  /// A connection belongs to the team of its first push.
  ///
  /// If the key has topics, it belongs to that key.
  private func check(_ token: ProviderToken, on connection: Connection) throws(Reason) {
    guard let key = keys[token.keyID] else { throw .invalidProviderToken }
    guard key.environments.contains(connection.face.environment) else { throw .badEnvironmentKeyIDInToken }
    guard let first = connection.firstToken, first.keyID != token.keyID else { return }
    guard first.teamID == token.teamID else { throw .invalidProviderToken }
    let areOfTheTeam = key.topics.isEmpty && keys[first.keyID]?.topics.isEmpty ?? true
    guard areOfTheTeam else { throw .unrelatedKeyIDInToken }
  }

  private func genuine(_ authorization: String) -> ProviderToken? {
    guard let text = ProviderTokenText(authorization: authorization, isLenient: isLenient), let key = keys[text.keyID],
      key.teamID == text.teamID, text.isSigned(by: key.key)
    else { return nil }
    return ProviderToken(keyID: text.keyID, teamID: text.teamID, issuedAt: text.issuedAt, oddities: text.oddities)
  }
}
