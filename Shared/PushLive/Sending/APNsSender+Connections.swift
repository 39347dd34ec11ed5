import EventLoop
import FunctionKit
import HTTP2
import Notifications

extension APNsSender {
  /// Makes sure that waiting pushes have a connection to wait for.
  func supply(_ lane: Lane, at instant: ContinuousClock.Instant) {
    let waiting = lane.queue.count
    if waiting > 0, lane.isCutOff {
      if let pause = lane.reconnection.pause(at: instant) {
        giveBackAll(lane, pause: pause, reason: lane.reconnection.problem)
      } else {
        connect(lane)
      }
    } else if lane.growth.isNeeded(
      waiting: isSaturated(lane) ? waiting : 0, watching: limits.congestion, at: instant)
    {
      connect(lane)
    } else if waiting > 0 {
      pumpAfterCongestion(lane)
    }
  }

  /// Whether every stream of every connection is in use, and another connection may be had.
  private func isSaturated(_ lane: Lane) -> Bool {
    let usable = lane.connections.filter(\.isUsable)
    return !lane.isConnecting && usable.count < limits.connections && lane.reconnection.pause(at: .now) == nil
      && usable.allSatisfy { $0.isProven && !$0.isChecking && $0.room <= 0 }
  }

  private func pumpAfterCongestion(_ lane: Lane) {
    guard !lane.growth.isTimed else { return }
    lane.growth.isTimed = true
    loop.schedule(after: limits.congestion) { [self] in
      lane.growth.isTimed = false
      pump(lane)
    }
  }

  private func connect(_ lane: Lane) {
    lane.isConnecting = true
    Task {
      do throws(HTTP2Error) {
        let client = try await configuration.connect(lane.environment, within: limits.connecting, on: loop)
        lane.connections.append(LaneConnection(lane.nextNumber(), client, at: .now))
        keepAlive()
      } catch {
        lane.reconnection.failed("\(error)", at: .now)
        log.warning("APNs cannot be reached", lane.id.facts(and: "\(error)"))
      }
      lane.isConnecting = false
      pump(lane)
    }
  }

  /// Takes notice of connections that were closed, and asks those that were silent for long whether they live.
  func dropLost(_ lane: Lane, at instant: ContinuousClock.Instant) {
    for connection in lane.connections where !connection.isRetiring {
      if !connection.isUsable {
        retire(connection, of: lane, connection.farewell)
      } else if lane.queue.first != nil, connection.inFlight == 0, !connection.isChecking,
        connection.lastHeard.duration(to: instant) >= limits.silence
      {
        check(connection, of: lane)
      }
    }
  }

  /// Judges a connection by an answer, or by its absence.
  func review(
    _ connection: LaneConnection, of lane: Lane, _ flight: Flight, _ report: PushReport,
    _ result: Result<HTTP2Response, StreamFailure>, at instant: ContinuousClock.Instant
  ) {
    if case .success = result { connection.lastHeard = instant }
    switch report.verdict {
    case .unknown:
      // On a proven connection that went on talking, it is the one push that got no answer.
      let isDeaf = result.isTimeout && connection.lastHeard <= flight.started
      if !connection.isProven || isDeaf { retire(connection, of: lane, "no answer", hasFailed: true) }
    // The connection may be bound to the topics that the key had when it was opened.
    case .holdApp: if connection.isProven { retire(connection, of: lane, "an app was refused") }
    case let verdict where verdict.spoilsConnection:
      retire(connection, of: lane, report.reason ?? "\(report.status ?? 0)")
    case let verdict where verdict.provesConnection:
      connection.isProven = true
      lane.reconnection.proved()
    default: break
    }
    if connection.isRetiring { closeIfUnused(connection, of: lane) }
  }

  /// Sends no more on a connection, and closes it once everything on it is answered.
  func retire(_ connection: LaneConnection, of lane: Lane, _ problem: String, hasFailed: Bool = false) {
    guard !connection.isRetiring else { return }
    connection.isRetiring = true
    if hasFailed {
      lane.reconnection.failed(problem, at: .now)
    } else {
      lane.reconnection.ended(problem, isProven: connection.isProven, at: .now)
    }
    closeIfUnused(connection, of: lane)
  }

  private func closeIfUnused(_ connection: LaneConnection, of lane: Lane) {
    guard connection.inFlight == 0 else { return }
    connection.close()
    lane.connections.removeAll { $0 === connection }
  }

  /// Asks a connection whether it lives: after a freeze of the process or a long silence it may be gone unnoticed.
  private func check(_ connection: LaneConnection, of lane: Lane) {
    connection.isChecking = true
    Task {
      let isAlive = await connection.lives(within: limits.liveness)
      connection.isChecking = false
      if isAlive { connection.lastHeard = .now } else { retire(connection, of: lane, "it no longer answers") }
      pump(lane)
    }
  }

  /// Asks idle connections from time to time, which also keeps them open.
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
    let idle = ContinuousClock.now - limits.keepAlive
    for lane in lanes {
      for connection in lane.connections
      where connection.isUsable && connection.inFlight == 0 && !connection.isChecking && connection.lastHeard <= idle {
        check(connection, of: lane)
      }
    }
    if lanes.contains(where: { !$0.connections.isEmpty }) { keepAlive() }
  }
}

extension Result<HTTP2Response, StreamFailure> {
  fileprivate var isTimeout: Bool { if case .failure(.timedOut) = self { true } else { false } }
}
