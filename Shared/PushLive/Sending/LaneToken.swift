import Notifications

/// The provider token that a lane's pushes carry.
struct LaneToken {
  /// Counts the tokens.
  private(set) var number = 0
  private(set) var current: ProviderToken?
  /// The value of the `authorization` field.
  private(set) var authorization = ""
  /// What APNs has called expired; nothing is sent with it.
  private(set) var refused: ProviderToken?
  /// Whether the store is being asked.
  var isAwaited = false
  /// Why there is none, until it is tried again.
  private(set) var failure: (problem: String, until: ContinuousClock.Instant)?

  mutating func set(_ token: ProviderToken) {
    number += 1
    (current, refused, failure) = (token, nil, nil)
    authorization = "bearer \(token.bearer)"
  }

  /// From now on another is needed.
  mutating func forget() {
    (current, refused, authorization) = (nil, nil, "")
  }

  /// APNs called the token of that number expired; answers whether another must be had.
  mutating func refuse(_ number: Int) -> Bool {
    guard number == self.number, let token = current ?? refused else { return false }
    (refused, current) = (token, nil)
    return true
  }

  mutating func failed(_ problem: String, until end: ContinuousClock.Instant) {
    failure = (problem, end)
  }
}
