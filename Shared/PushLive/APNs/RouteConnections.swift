import FunctionKit
import HTTP2
import Notifications

/// The connections of a route, and when it needs another one; used on the sender's loop only.
final class RouteConnections {
  private let limits: APNsSender.Limits
  private var all: [RouteConnection] = []
  private var isConnecting = false
  private var reconnection = Reconnection()
  private var growth = RouteGrowth()
  private var lastNumber = 0

  init(_ limits: APNsSender.Limits) {
    self.limits = limits
  }

  /// The need of pushes that wait, so that they go on.
  enum Need {
    case nothing
    /// A connection: ``RouteConnections/opened(_:at:)`` or ``RouteConnections/failed(_:at:)`` has to follow.
    case connection
    /// A look after some time, as they may wait too long: ``RouteConnections/looked()`` has to follow.
    case look
    /// They go back, because no connection may be tried yet.
    case pause(Outage)
  }

  /// The route's present need, while `waiting` pushes wait.
  func need(waiting: Int, at now: ContinuousClock.Instant) -> Need {
    if waiting > 0, isCutOff {
      if let outage = reconnection.outage(at: now) { return .pause(outage) }
    } else if !growth.isNeeded(waiting: isSaturated(at: now) ? waiting : 0, watching: limits.congestion, at: now) {
      return waiting > 0 && growth.needsLook() ? .look : .nothing
    }
    isConnecting = true
    return .connection
  }

  func opened(_ client: HTTP2Client, at now: ContinuousClock.Instant) {
    isConnecting = false
    lastNumber += 1
    all.append(RouteConnection(lastNumber, client, at: now))
  }

  func failed(_ problem: String, at now: ContinuousClock.Instant) {
    isConnecting = false
    reconnection.failed(problem, at: now)
  }

  func looked() { growth.looked() }

  var isEmpty: Bool { all.isEmpty }

  /// Whether there is no connection that pushes could wait for.
  private var isCutOff: Bool { !isConnecting && !all.contains(where: \.isUsable) }

  /// Whether every stream of every connection is in use, and another connection is allowed.
  private func isSaturated(at now: ContinuousClock.Instant) -> Bool {
    let usable = all.filter(\.isUsable)
    return !isConnecting && usable.count < limits.connections && reconnection.pause(at: now) == nil
      && usable.allSatisfy { $0.isProven && !$0.isChecking && $0.room <= 0 }
  }

  /// A connection for the next push: the first with a free stream.
  ///
  /// A new connection gets one push alone.
  func next(for authorization: String) -> RouteConnection? {
    let free = all.lazy.filter { $0.room > 0 && $0.takes(authorization) }
    return free.first { !$0.isProven } ?? free.first
  }

  /// Begins to check connections without a push on its way that have received nothing since then.
  ///
  /// They take no push until ``checked(_:isAlive:at:)``. They may be gone after a freeze of the process or a long silence.
  func beginChecks(ofSilentSince start: ContinuousClock.Instant) -> [RouteConnection] {
    let idle = all.filter { $0.isUsable && $0.inFlight == 0 && !$0.isChecking && $0.lastHeard <= start }
    for connection in idle { connection.isChecking = true }
    return idle
  }

  /// Removes connections that were closed.
  func dropLost(at now: ContinuousClock.Instant) {
    for connection in all where !connection.isRetiring && !connection.isUsable {
      retire(connection, connection.farewell, at: now)
    }
  }

  /// Judges the connection of a push by the answer, or by a missing answer.
  func review(
    _ flight: Flight, _ report: PushReport, _ result: Result<HTTP2Response, StreamFailure>,
    at now: ContinuousClock.Instant
  ) {
    growth.noteAnswer()
    guard let connection = all.first(where: { $0.number == flight.connection }) else { return }
    connection.inFlight -= 1
    if case .success = result { connection.lastHeard = now }
    switch report.verdict {
    case .unknown:
      // A proven connection that got other answers is good: only this push got none.
      let isDeaf = result.isTimeout && connection.lastHeard <= flight.started
      if !connection.isProven || isDeaf { retire(connection, "no answer", hasFailed: true, at: now) }
    // The connection may be bound to the topics that the key had at its start.
    case .holdApp: if connection.isProven { retire(connection, "an app was refused", at: now) }
    case let verdict where verdict.spoilsConnection:
      retire(connection, report.reason ?? "\(report.status ?? 0)", at: now)
    case let verdict where verdict.provesConnection:
      connection.isProven = true
      reconnection.proved()
    default: break
    }
    if connection.isRetiring { closeIfUnused(connection) }
  }

  /// Ends a check.
  func checked(_ connection: RouteConnection, isAlive: Bool, at now: ContinuousClock.Instant) {
    connection.isChecking = false
    if isAlive {
      connection.lastHeard = now
    } else {
      retire(connection, "it no longer answers", at: now)
    }
  }

  /// Sends nothing more on those connections, and closes each when everything on it is answered.
  func retire(
    because problem: String, at now: ContinuousClock.Instant, where isOld: (RouteConnection) -> Bool = { _ in true }
  ) {
    for connection in all where isOld(connection) { retire(connection, problem, at: now) }
  }

  func close() {
    for connection in all { connection.close() }
    all = []
  }

  private func retire(
    _ connection: RouteConnection, _ problem: String, hasFailed: Bool = false, at now: ContinuousClock.Instant
  ) {
    guard !connection.isRetiring else { return }
    connection.isRetiring = true
    if hasFailed {
      reconnection.failed(problem, at: now)
    } else {
      reconnection.ended(problem, isProven: connection.isProven, at: now)
    }
    closeIfUnused(connection)
  }

  private func closeIfUnused(_ connection: RouteConnection) {
    guard connection.inFlight == 0 else { return }
    connection.close()
    all.removeAll { $0 === connection }
  }
}

/// One connection of a route; used on the sender's loop only.
final class RouteConnection {
  let number: Int
  let client: HTTP2Client
  /// Whether APNs has answered on it.
  ///
  /// Then pushes no longer go alone.
  fileprivate(set) var isProven = false
  /// Whether it takes no more pushes and is closed after its last answer.
  fileprivate var isRetiring = false
  /// Whether it is being checked.
  fileprivate(set) var isChecking = false
  fileprivate(set) var inFlight = 0
  /// When it last received something.
  fileprivate(set) var lastHeard: ContinuousClock.Instant
  /// The `authorization` of its pushes; `nil` before its first push.
  ///
  /// APNs counts a provider's tokens on each connection, so one connection never has two.
  private var authorization: String?

  // This is for a server without a limit. Apple: "don't assume a specific number of streams".
  private static let assumedStreams = 1_000

  init(_ number: Int, _ client: HTTP2Client, at now: ContinuousClock.Instant) {
    (self.number, self.client, lastHeard) = (number, client, now)
  }

  /// Whether it can still take pushes, now or later.
  var isUsable: Bool { !isRetiring && client.assumeIsolated { $0.isUsable } }

  /// How many more pushes may go.
  ///
  /// Only one may before the connection is proven.
  var room: Int {
    guard isUsable, !isChecking else { return 0 }
    guard isProven else { return inFlight == 0 ? 1 : 0 }
    let limit = client.assumeIsolated { Int($0.remoteMaxConcurrentStreams) }
    return min(limit, Self.assumedStreams) - inFlight
  }

  /// Whether its pushes may have a provider token.
  func takes(_ token: String) -> Bool { authorization == nil || authorization == token }

  /// A push goes out on it.
  func take(_ token: String) {
    inFlight += 1
    authorization = token
  }

  /// Whether the server answers in time.
  func lives(within limit: Duration) async -> Bool {
    if case .success = await client.ping(timeout: limit) { true } else { false }
  }

  /// Why the connection has ended: the reason of APNs' GOAWAY, if it gave one.
  fileprivate var farewell: String {
    let goAway = client.assumeIsolated { $0.goAwayReason }
    let json = goAway.flatMap { try? RawJSON(validating: $0.debugData[...]) }
    return json?["reason"]?.word ?? "the connection was closed"
  }

  func close() {
    client.assumeIsolated { $0.close() }
  }
}

extension Result<HTTP2Response, StreamFailure> {
  fileprivate var isTimeout: Bool { if case .failure(.timedOut) = self { true } else { false } }
}

/// Decides whether a route needs another connection.
struct RouteGrowth {
  /// Since when every stream is in use and pushes wait, and how many had been answered at that time.
  private var saturated: (since: ContinuousClock.Instant, answered: Int)?
  private var answered = 0
  /// Whether the route is looked at again later.
  private var isLookDue = false

  mutating func noteAnswer() { answered += 1 }

  /// Records how many pushes wait while no stream is free; returns whether they would wait too long.
  ///
  /// They would if more pushes wait than were answered since the route has been watched.
  mutating func isNeeded(waiting: Int, watching interval: Duration, at now: ContinuousClock.Instant) -> Bool {
    guard waiting > 0 else {
      saturated = nil
      return false
    }
    guard let saturated else {
      self.saturated = (now, answered)
      return false
    }
    guard saturated.since.duration(to: now) >= interval else { return false }
    defer { self.saturated = (now, answered) }
    return waiting > answered - saturated.answered
  }

  /// Whether a later look has to be arranged now.
  mutating func needsLook() -> Bool {
    defer { isLookDue = true }
    return !isLookDue
  }

  /// The later look has come.
  mutating func looked() { isLookDue = false }
}
