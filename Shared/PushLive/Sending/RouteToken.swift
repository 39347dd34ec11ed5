import Notifications

/// The provider token of a route's pushes.
struct RouteToken {
  /// Counts the tokens.
  private(set) var number = 0
  private(set) var current: ProviderToken?
  /// The value of the `authorization` field.
  private(set) var authorization = ""
  /// The token that APNs has called expired.
  ///
  /// No push is sent with it.
  private(set) var refused: ProviderToken?
  /// Whether a request to the store runs.
  var isAwaited = false
  /// Why there is no token, until the next try.
  private(set) var failure: (problem: String, until: ContinuousClock.Instant)?

  mutating func set(_ token: ProviderToken) {
    number += 1
    (current, refused, failure) = (token, nil, nil)
    authorization = "bearer \(token.bearer)"
  }

  /// From now on another token is needed.
  mutating func forget() {
    (current, refused, authorization) = (nil, nil, "")
  }

  /// APNs has called the token of that number expired; returns whether another one is needed.
  mutating func refuse(_ number: Int) -> Bool {
    guard number == self.number, let token = current ?? refused else { return false }
    (refused, current) = (token, nil)
    return true
  }

  mutating func failed(_ problem: String, until end: ContinuousClock.Instant) {
    failure = (problem, end)
  }
}
