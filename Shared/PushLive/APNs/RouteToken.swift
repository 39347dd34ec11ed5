import FoundationEssentials
import FunctionKit
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
  private var failure: TimedOutage?

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

  /// None can be had; returns whether that is new.
  mutating func failed(_ problem: String, at moment: ContinuousClock.Instant) -> Bool {
    defer {
      failure = TimedOutage(
        "NoProviderToken", words: "no provider token can be had: \(problem)", for: Self.pauseAfterFailure, from: moment)
    }
    return failure == nil
  }

  /// Whether none could be had at the last try.
  var hasFailed: Bool { failure != nil }

  /// Why there is no token, until the next try.
  func outage(at moment: ContinuousClock.Instant) -> Outage? { failure?.outage(at: moment) }

  private static let pauseAfterFailure = Duration.seconds(30)
}

extension ProviderTokenStore.Demand {
  /// Whether a route can use a token.
  ///
  /// The token must be made with the route's key and be young enough. APNs must not have called it expired, unless
  /// another must not follow yet.
  init(
    _ key: APNsKey, _ id: ProviderTokenID, refused: ProviderToken?, log: Log, now: @escaping @Sendable () -> Date
  ) {
    self.init { token in
      guard key.hasSigned(token.bearer) else { return false }
      return token == refused ? !token.mayBeFollowed(at: now()) : token.isUsable(at: now())
    } make: {
      let issuedAt = Date(timeIntervalSince1970: now().timeIntervalSince1970.rounded(.down))
      let bearer = try key.sign(issuedAt: Int(issuedAt.timeIntervalSince1970))
      log.info("A provider token is made", id.facts)
      return ProviderToken(bearer: bearer, issuedAt: issuedAt)
    }
  }
}
