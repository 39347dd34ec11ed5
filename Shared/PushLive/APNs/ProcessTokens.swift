package import Notifications
import Synchronization

extension ProviderTokenStore {
  /// Tokens of this process only: for tools and tests, never for several processes of one team.
  package static func ofThisProcess() -> ProviderTokenStore {
    let known = Known()
    return ProviderTokenStore { id, demand in
      try known.tokens.withLock { tokens in
        if let token = tokens[id], demand.isMet(token) { return token }
        let token = try demand.make()
        tokens[id] = token
        return token
      }
    }
  }

  private final class Known: Sendable {
    let tokens = Mutex<[ProviderTokenID: ProviderToken]>([:])
  }
}
