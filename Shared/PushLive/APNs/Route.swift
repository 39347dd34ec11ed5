import FoundationEssentials
import FunctionKit
import Notifications

/// The way to APNs with one key in one environment; used on the sender's loop only.
///
/// It has its own connections, because APNs binds a connection to the team, the key's environment and its topics.
final class Route {
  /// Its place in the sender's list.
  let place: Int
  let key: APNsKey
  let environment: PushEnvironment
  let id: ProviderTokenID
  /// The server's name in requests.
  let authority: String
  let connections: RouteConnections
  var queue = PushQueue()
  var flights = Flights()
  var token = RouteToken()
  /// Whether `pump` is called at the end of the loop's turn.
  var isPumpDue = false

  init(
    _ place: Int, _ key: APNsKey, _ environment: PushEnvironment, authority: String, limits: APNsSender.Limits
  ) {
    (self.place, self.key, self.environment, self.authority) = (place, key, environment, authority)
    id = key.tokenID(environment)
    connections = RouteConnections(limits)
  }
}

/// The provider token of a route's pushes, and the pushes that wait for a new one.
struct RouteToken {
  /// A push, and the report on the attempt whose token had expired.
  typealias Attempt = (flight: Flight, report: PushReport)

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
  /// Pushes that had an expired token and wait for a new one.
  private var expired: [Attempt] = []

  /// Uses a token from now on.
  ///
  /// - Returns: the pushes that have waited for it: those that end with their reports, and those that go again.
  mutating func accept(_ token: ProviderToken) -> (concluded: [Attempt], again: [Attempt]) {
    // The token is so young that another must not follow. Either it will expire, or APNs' clock differs from ours.
    let isRefused = token == refused
    let waited = Array(expired.reversed())
    number += 1
    (current, refused, failure, expired) = (token, nil, nil, [])
    authorization = "bearer \(token.bearer)"
    return isRefused ? (waited, []) : ([], waited)
  }

  /// From now on another token is needed.
  mutating func forget() {
    (current, refused, authorization) = (nil, nil, "")
  }

  /// APNs has called a push's token expired; returns whether the push waits for another one.
  mutating func refuse(_ flight: Flight, _ report: PushReport) -> Bool {
    guard flight.tokenNumber == number, let token = current ?? refused else { return false }
    (refused, current) = (token, nil)
    expired.append((flight, report))
    return true
  }

  /// No token can be had; returns whether that is new, and the pushes that have waited for one.
  mutating func failed(
    _ problem: String, at moment: ContinuousClock.Instant
  ) -> (isNews: Bool, again: [Attempt]) {
    defer {
      failure = TimedOutage(
        "NoProviderToken", words: "no provider token can be had: \(problem)", for: Self.pauseAfterFailure, from: moment)
      expired = []
    }
    return (failure == nil, expired)
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
