import FoundationEssentials
import FunctionKit
import Notifications

extension APNsSender {
  /// Whether there is a token; asks for one if not.
  func hasToken(_ route: Route, at moment: ContinuousClock.Instant) -> Bool {
    if let token = route.token.current, token.isUsable(at: now()) { return true }
    if let failure = route.token.failure, let pause = moment.left(until: failure.until, atMost: Self.pauseWithoutToken)
    {
      giveBackAll(
        route, pause: pause, reason: "NoProviderToken", outage: "no provider token can be had: \(failure.problem)")
    } else {
      requestToken(route)
    }
    return false
  }

  /// Takes the team's token from the store, or makes it, in one request at a time.
  func requestToken(_ route: Route) {
    guard !route.token.isAwaited else { return }
    route.token.isAwaited = true
    let demand = ProviderTokenStore.Demand(
      route.key, route.id, refused: route.token.refused, log: log, now: now)
    Task {
      do {
        take(try await tokens.token(route.id, demand), route)
      } catch {
        goWithout("\(error)", route)
      }
      route.token.isAwaited = false
      pump(route)
    }
  }

  private func take(_ token: ProviderToken, _ route: Route) {
    let expired = route.expired.reversed()
    route.expired = []
    if route.token.failure != nil { log.info("A provider token can be had again", route.id.facts) }
    if token == route.token.refused {
      // The token is so young that another must not follow. Either it will expire, or APNs' clock differs from ours.
      for (flight, report) in expired { conclude(flight, report, route) }
    } else {
      for (flight, report) in expired { putBack(flight, report, route) }
    }
    route.token.set(token)
    // Pushes that were sent with the old one are still answered.
    for connection in route.connections where !connection.takes(route.token.authorization) {
      retire(connection, of: route, "the provider token was renewed")
    }
  }

  private func goWithout(_ problem: String, _ route: Route) {
    let isNews = route.token.failure == nil
    route.token.failed(problem, until: moment + Self.pauseWithoutToken)
    for (flight, report) in route.expired { putBack(flight, report, route) }
    route.expired = []
    guard isNews else { return }
    log.error("No provider token can be had; deliveries wait", route.id.facts(and: problem))
  }

  private static let pauseWithoutToken = Duration.seconds(30)
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
