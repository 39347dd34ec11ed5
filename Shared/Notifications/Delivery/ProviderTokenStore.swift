/// Where the processes of a team share their provider tokens, so that the team makes one and not one for each process.
public struct ProviderTokenStore: Sendable {
  /// What a sender asks of a token.
  public struct Demand: Sendable {
    /// Whether a stored token will do.
    public var isMet: @Sendable (ProviderToken) -> Bool
    /// Makes a token in its place.
    public var make: @Sendable () throws -> ProviderToken

    /// A demand from its closures.
    public init(
      isMet: @escaping @Sendable (ProviderToken) -> Bool, make: @escaping @Sendable () throws -> ProviderToken
    ) {
      (self.isMet, self.make) = (isMet, make)
    }
  }

  /// The stored token if it meets the demand, else a new one.
  ///
  /// A new one is stored before it is given out, and nobody else makes one meanwhile.
  public var token: @Sendable (ProviderTokenID, Demand) async throws -> ProviderToken

  /// A store from its closure.
  public init(token: @escaping @Sendable (ProviderTokenID, Demand) async throws -> ProviderToken) {
    self.token = token
  }
}
