/// The provider tokens that all processes of a team share, so that each process does not make its own.
package struct ProviderTokenStore: Sendable {
  /// What a sender requires of a token.
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
