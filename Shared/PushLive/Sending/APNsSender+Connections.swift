import EventLoop
import FunctionKit
import HTTP2
import Notifications

extension APNsSender {
  /// Opens a connection if pushes wait and there is none for them.
  func supply(_ route: Route, at instant: ContinuousClock.Instant) {
    let waiting = route.queue.count
    if waiting > 0, route.isCutOff {
      if let pause = route.reconnection.pause(at: instant) {
        giveBackAll(route, pause: pause, reason: route.reconnection.problem, outage: route.reconnection.problem)
      } else {
        connect(route)
      }
    } else if route.growth.isNeeded(
      waiting: isSaturated(route) ? waiting : 0, watching: limits.congestion, at: instant)
    {
      connect(route)
    } else if waiting > 0 {
      pumpAfterCongestion(route)
    }
  }

  /// Whether every stream of every connection is in use, and another connection is allowed.
  private func isSaturated(_ route: Route) -> Bool {
    let usable = route.connections.filter(\.isUsable)
    return !route.isConnecting && usable.count < limits.connections
      && route.reconnection.pause(at: time.instant()) == nil
      && usable.allSatisfy { $0.isProven && !$0.isChecking && $0.room <= 0 }
  }

  private func pumpAfterCongestion(_ route: Route) {
    guard !route.growth.isTimed else { return }
    route.growth.isTimed = true
    loop.schedule(after: limits.congestion) { [self] in
      route.growth.isTimed = false
      pump(route)
    }
  }

  private func connect(_ route: Route) {
    route.isConnecting = true
    Task {
      do throws(HTTP2Error) {
        let client = try await configuration.connect(route.environment, within: limits.connecting, on: loop)
        route.connections.append(RouteConnection(route.nextNumber(), client, at: time.instant()))
        keepAlive()
      } catch {
        let problem = error.words(through: configuration.proxies[route.environment])
        route.reconnection.failed(problem, at: time.instant())
        log.warning("APNs cannot be reached", route.id.facts(and: problem))
      }
      route.isConnecting = false
      pump(route)
    }
  }

  /// Removes connections that were closed, and checks those that were silent for long.
  func dropLost(_ route: Route, at instant: ContinuousClock.Instant) {
    for connection in route.connections where !connection.isRetiring {
      if !connection.isUsable {
        retire(connection, of: route, connection.farewell)
      } else if route.queue.first != nil, connection.inFlight == 0, !connection.isChecking,
        connection.lastHeard.duration(to: instant) >= limits.silence
      {
        check(connection, of: route)
      }
    }
  }

  /// Judges a connection by an answer, or by a missing answer.
  func review(
    _ connection: RouteConnection, of route: Route, _ flight: Flight, _ report: PushReport,
    _ result: Result<HTTP2Response, StreamFailure>, at instant: ContinuousClock.Instant
  ) {
    if case .success = result { connection.lastHeard = instant }
    switch report.verdict {
    case .unknown:
      // A proven connection that got other answers is good: only this push got none.
      let isDeaf = result.isTimeout && connection.lastHeard <= flight.started
      if !connection.isProven || isDeaf { retire(connection, of: route, "no answer", hasFailed: true) }
    // The connection may be bound to the topics that the key had at its start.
    case .holdApp: if connection.isProven { retire(connection, of: route, "an app was refused") }
    case let verdict where verdict.spoilsConnection:
      retire(connection, of: route, report.reason ?? "\(report.status ?? 0)")
    case let verdict where verdict.provesConnection:
      connection.isProven = true
      route.reconnection.proved()
    default: break
    }
    if connection.isRetiring { closeIfUnused(connection, of: route) }
  }

  /// Sends nothing more on a connection, and closes it when everything on it is answered.
  func retire(_ connection: RouteConnection, of route: Route, _ problem: String, hasFailed: Bool = false) {
    guard !connection.isRetiring else { return }
    connection.isRetiring = true
    if hasFailed {
      route.reconnection.failed(problem, at: time.instant())
    } else {
      route.reconnection.ended(problem, isProven: connection.isProven, at: time.instant())
    }
    closeIfUnused(connection, of: route)
  }

  private func closeIfUnused(_ connection: RouteConnection, of route: Route) {
    guard connection.inFlight == 0 else { return }
    connection.close()
    route.connections.removeAll { $0 === connection }
  }

  /// Checks whether a connection lives.
  ///
  /// It may be gone after a freeze of the process or a long silence.
  private func check(_ connection: RouteConnection, of route: Route) {
    connection.isChecking = true
    Task {
      let isAlive = await connection.lives(within: limits.liveness)
      connection.isChecking = false
      if isAlive {
        connection.lastHeard = time.instant()
      } else {
        retire(connection, of: route, "it no longer answers")
      }
      pump(route)
    }
  }

  /// Checks idle connections from time to time, which also keeps them open.
  private func keepAlive() {
    guard !isKeptAlive else { return }
    isKeptAlive = true
    loop.schedule(after: limits.keepAlive / 4) { [weak self] in
      guard let self else { return }
      self.assumeIsolated { $0.pingIdle() }
    }
  }

  private func pingIdle() {
    isKeptAlive = false
    let idle = time.instant() - limits.keepAlive
    for route in routes {
      for connection in route.connections
      where connection.isUsable && connection.inFlight == 0 && !connection.isChecking && connection.lastHeard <= idle {
        check(connection, of: route)
      }
    }
    if routes.contains(where: { !$0.connections.isEmpty }) { keepAlive() }
  }
}

extension Result<HTTP2Response, StreamFailure> {
  fileprivate var isTimeout: Bool { if case .failure(.timedOut) = self { true } else { false } }
}
