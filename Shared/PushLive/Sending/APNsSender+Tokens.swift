import FoundationEssentials
import FunctionKit
import Notifications

extension APNsSender {
  /// Whether there is a token to send with; asks for one where not.
  func hasToken(_ lane: Lane, at moment: ContinuousClock.Instant) -> Bool {
    if let token = lane.token.current, token.isUsable(at: now()) { return true }
    if let failure = lane.token.failure, let pause = moment.left(until: failure.until, atMost: Self.pauseWithoutToken) {
      giveBackAll(lane, pause: pause, reason: "NoProviderToken")
    } else {
      requestToken(lane)
    }
    return false
  }

  /// Takes the team's token from the store, or makes it; one request at a time.
  func requestToken(_ lane: Lane) {
    guard !lane.token.isAwaited else { return }
    lane.token.isAwaited = true
    let demand = ProviderTokenStore.Demand(
      lane.key, lane.id, refused: lane.token.refused, log: log, now: now)
    Task {
      do {
        take(try await tokens.token(lane.id, demand), lane)
      } catch {
        goWithout("\(error)", lane)
      }
      lane.token.isAwaited = false
      pump(lane)
    }
  }

  private func take(_ token: ProviderToken, _ lane: Lane) {
    let expired = lane.expired.reversed()
    lane.expired = []
    if lane.token.failure != nil { log.info("A provider token can be had again", lane.id.facts) }
    if token == lane.token.refused {
      // So young that another must not follow: it expires, or it is APNs' clock and ours that disagree.
      for (flight, report) in expired { conclude(flight, report, lane) }
    } else {
      for (flight, report) in expired { putBack(flight, report, lane) }
    }
    lane.token.set(token)
    // Pushes that are on their way with the old one are still answered.
    for connection in lane.connections where !connection.takes(lane.token.authorization) {
      retire(connection, of: lane, "the provider token was renewed")
    }
  }

  private func goWithout(_ problem: String, _ lane: Lane) {
    let isNews = lane.token.failure == nil
    lane.token.failed(problem, until: moment + Self.pauseWithoutToken)
    for (flight, report) in lane.expired { putBack(flight, report, lane) }
    lane.expired = []
    guard isNews else { return }
    log.error("No provider token can be had; deliveries wait", lane.id.facts(and: problem))
  }

  private static let pauseWithoutToken = Duration.seconds(30)
}

extension ProviderTokenStore.Demand {
  /// What a lane asks of its token.
  ///
  /// It is made with the lane's key, is not too old, and APNs has not called it expired, unless another must not follow
  /// yet.
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
