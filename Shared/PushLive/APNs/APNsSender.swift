package import EventLoop
import Formats
package import FoundationEssentials
package import FunctionKit
import HTTP2
package import Notifications
import Synchronization

/// Sends pushes to APNs. Every key and environment has its own connections, which stay open between batches.
///
/// It decides nothing about deliveries. It sends again at once what APNs asks for, holds what must be held, and
/// reports. Any number of batches may run at once.
package actor APNsSender {
  private let configuration: APNsConfiguration
  private let limits: Limits
  private let tokens: ProviderTokenStore
  private let loop: EventLoop
  private let log: Log
  private let now: @Sendable () -> Date
  private let time: SenderTime
  private var routes: [Route] = []
  private var places: [APNsApp: Int?] = [:]
  /// The apps whose missing topic was already reported.
  private var appsWithoutTopic: Set<String> = []
  private var breakers = Breakers()
  private var batches: [Int: APNsBatch] = [:]
  private var isKeptAlive = false
  /// When the machine's clock was looked at last, and what it showed.
  private var looked: (instant: ContinuousClock.Instant, date: Date)?
  private let batchNumbers = Atomic(0)

  /// A sender without connections.
  ///
  /// - Parameters:
  ///   - tokens: the store in which the team's processes share their provider tokens.
  ///   - now: the clock for the dates of provider tokens and the ends of holds.
  ///   - time: the connections' time; the deadlines of batches are moments of it.
  package init(
    _ configuration: APNsConfiguration, limits: Limits = Limits(), tokens: ProviderTokenStore = .ofThisProcess(),
    loop: EventLoop = EventLoop(name: "apns"), log: Log = Log(), now: @escaping @Sendable () -> Date = { .now },
    time: SenderTime = .machine
  ) {
    (self.configuration, self.limits, self.tokens) = (configuration, limits, tokens)
    (self.loop, self.log, self.now, self.time) = (loop, log, now, time)
  }

  /// The present moment of the clock for the ends of holds.
  ///
  /// Connections use a clock that is never set.
  private var moment: ContinuousClock.Instant { time.moment(by: now) }

  // The connections live on the loop, so a call to one of them needs no change of thread.
  /// The loop's thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Sends pushes and reports on each, in their order.
  ///
  /// A push that cannot be answered before the deadline is not sent.
  ///
  /// A cancelled task sends nothing more. Pushes that were sent are still answered.
  package nonisolated func send(
    _ pushes: [QueuedPush], until deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    let number = batchNumbers.add(1, ordering: .relaxed).newValue
    return await withTaskCancellationHandler {
      await deliver(pushes, number, until: deadline)
    } onCancel: { [loop] in
      loop.execute { self.assumeIsolated { $0.cutOff(number, pause: nil) } }
    }
  }

  /// Closes the connections.
  package func close() {
    for route in routes { route.connections.close() }
  }

  /// Releases the keys that APNs has refused if the clock was set since the last look: their tokens had a wrong time.
  private func followClock() {
    let (instant, date) = (time.instant(), time.date())
    defer { looked = (instant, date) }
    guard let looked else { return }
    let step = date.timeIntervalSince(looked.date) - (instant - looked.instant) / .seconds(1)
    guard abs(step) > Self.clockStep else { return }
    for route in routes { log.report(breakers.lift(route.id, at: moment)) }
  }

  /// A clock that jumps by more seconds than this was set; smaller jumps are ordinary.
  private static let clockStep = 60.0

  private func deliver(
    _ pushes: [QueuedPush], _ number: Int, until deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    guard !pushes.isEmpty else { return [] }
    refreshKeys()
    followClock()
    return await withCheckedContinuation { continuation in
      let batch = APNsBatch(number, pushes) { continuation.resume(returning: $0) }
      batches[number] = batch
      enqueue(batch)
      let left = time.instant().duration(to: deadline) - limits.answer
      if Task.isCancelled { return cutOff(number, pause: nil) }
      guard left > .zero else { return cutOff(number, pause: Outage.notSent.pause) }
      batch.timer = loop.schedule(after: left) { [weak self] in
        self?.assumeIsolated { $0.cutOff(number, pause: Outage.notSent.pause) }
      }
      for route in routes { pump(route) }
      finishIfDone(batch)
    }
  }

  /// Sends nothing more of a batch.
  private func cutOff(_ number: Int, pause: Duration?) {
    guard let batch = batches[number] else { return }
    batch.isCutOff = true
    for index in batch.courses.waiting {
      let app = configuration.app(of: batch.courses.pushes[index])
      batch.courses.report(.apns(.notSent(pause: pause), app, reason: Outage.notSent.reason), at: index)
    }
    finishIfDone(batch)
  }

  private func finishIfDone(_ batch: APNsBatch) {
    guard batch.courses.isDone, batches.removeValue(forKey: batch.number) != nil else { return }
    batch.timer.map(loop.cancel)
    spareSuspects(of: batch)
    batch.finish()
  }
}

/// The choice of a route for each push.
extension APNsSender {
  private func enqueue(_ batch: APNsBatch) {
    for (index, push) in batch.courses.pushes.enumerated() {
      let app = configuration.app(of: push)
      guard !app.topic.isEmpty else {
        noteMissingTopic(of: push.device.app)
        batch.courses.report(.apns(.noKey, app, reason: "NoTopicForApp"), at: index)
        continue
      }
      if let route = route(for: app) {
        route.queue.append(PushQueue.BatchedPush(batch: batch, index: index))
      } else {
        batch.courses.report(.apns(.noKey, app, reason: "NoKeyForTopic"), at: index)
      }
    }
  }

  /// The route for an app; `nil` if there is no key for it.
  private func route(for app: APNsApp) -> Route? {
    if let place = places[app] { return place.map { routes[$0] } }
    guard let key = configuration.key(for: app) else {
      places[app] = .some(nil)
      log.error(
        "No key is configured for an app; its deliveries are held",
        ["push.topic": app.topic, "push.environment": app.environment.rawValue])
      return nil
    }
    let route = routes.first { $0.id == key.tokenID(app.environment) } ?? newRoute(key, app.environment)
    places[app] = route.place
    return route
  }

  private func newRoute(_ key: APNsKey, _ environment: PushEnvironment) -> Route {
    let authority = configuration.endpoint(environment).authority
    let route = Route(routes.count, key, environment, authority: authority, limits: limits)
    routes.append(route)
    return route
  }

  private func noteMissingTopic(of app: String) {
    guard appsWithoutTopic.insert(app).inserted else { return }
    log.error(
      "No topic is configured for an app's devices that name none; their deliveries are held",
      ["push.app": app, "push.remedy": "its bundleId under apps in functions.json, or APNS_TOPICS=\(app)=…"])
  }

  /// Checks whether a key was replaced; then its routes start again.
  private func refreshKeys() {
    for key in configuration.keys {
      switch key.source.refresh() {
      case .none: continue
      case .unreadable:
        log.error("A key file holds no key; the one that was read before stays in use", ["push.key": key.keyID])
      case .replaced:
        log.info("A key file was replaced", ["push.key": key.keyID])
        for route in routes where route.key.source === key.source {
          route.token.forget()
          route.connections.retire(because: "the key was replaced", at: time.instant())
          log.report(breakers.lift(route.id, at: moment))
        }
      }
    }
  }
}

/// The pushes that are sent now.
extension APNsSender {
  /// Sends the pushes that can be sent now.
  private func pump(_ route: Route) {
    let (instant, moment) = (time.instant(), moment)
    route.connections.dropLost(at: instant)
    if route.queue.first != nil {
      check(route.connections.beginChecks(ofSilentSince: instant - limits.silence), of: route)
    }
    while let entry = route.queue.first {
      guard entry.isWaiting else {
        route.queue.removeFirst()
        continue
      }
      let subject = subject(of: entry.push, route)
      let admission = breakers.admission(subject, at: moment)
      switch admission {
      case .free, .probe: break
      case .afterProbe:
        route.queue.removeFirst()
        route.queue.park(entry)
        continue
      case .held(let pause):
        route.queue.removeFirst()
        giveBack(
          entry, subject.app, Outage(reason: "Held", words: breakers.obstacle(subject, at: moment), pause: pause))
        continue
      }
      guard hasToken(route, at: moment), let connection = route.connections.next(for: route.token.authorization)
      else { break }
      route.queue.removeFirst()
      submit(entry, subject, by: connection, of: route, isProbe: admission == .probe, at: moment)
    }
    supply(route, at: instant)
  }

  /// Sends at the end of the loop's turn, when everything that has arrived is read.
  private func pumpLater(_ route: Route) {
    guard !route.isPumpDue else { return }
    route.isPumpDue = true
    loop.atEndOfTurn { [self] in
      route.isPumpDue = false
      pump(route)
    }
  }

  /// Releases pushes that waited for another one to try.
  private func unparkAll() {
    for route in routes {
      if route.queue.unpark() { pumpLater(route) }
    }
  }

  private func subject(of push: QueuedPush, _ route: Route) -> Breakers.Subject {
    let (app, home) = (configuration.app(of: push), configuration.home(of: push))
    return Breakers.Subject(
      credential: route.id, app: app, gate: app.with(push.pushType), home: home,
      topic: Breakers.AppTopic(app: push.device.app, topic: home.with(push.pushType).topic),
      isTopicConfigured: push.device.topic == nil)
  }

  private func giveBack(_ entry: PushQueue.BatchedPush, _ app: APNsApp, _ outage: Outage) {
    entry.batch.courses.report(.apns(.unknown, app).held(by: outage), at: entry.index)
    finishIfDone(entry.batch)
  }

  /// Gives back everything that waits for a route.
  private func giveBackAll(_ route: Route, _ outage: Outage) {
    route.queue.unpark()
    while let entry = route.queue.first {
      route.queue.removeFirst()
      if entry.isWaiting { giveBack(entry, configuration.app(of: entry.push), outage) }
    }
  }

  private func submit(
    _ entry: PushQueue.BatchedPush, _ subject: Breakers.Subject, by connection: RouteConnection, of route: Route,
    isProbe: Bool, at moment: ContinuousClock.Instant
  ) {
    let apnsID = UUID().lowercased
    guard
      let request = HTTP2Request(
        entry.push, apnsID: apnsID, topic: subject.app.topic,
        authority: route.authority, authorization: route.token.authorization)
    else {
      let reason = APNsReason.payloadTooLarge.rawValue
      entry.batch.courses.report(.apns(.payloadTooLarge, subject.app, reason: reason), at: entry.index)
      return finishIfDone(entry.batch)
    }
    if isProbe { breakers.beginProbe(subject, at: moment) }
    entry.batch.courses[entry.index].phase = .sent
    connection.take(route.token.authorization)
    let slot = route.flights.add(
      Flight(
        entry: entry, subject: subject, connection: connection.number, tokenNumber: route.token.number, apnsID: apnsID,
        started: time.instant(), isProbe: isProbe))
    let (timeout, place) = (limits.answer, route.place)
    connection.client.assumeIsolated { client in
      client.send(request, timeout: timeout) { result in
        self.assumeIsolated { $0.answered(place, slot, result) }
      }
    }
  }
}

/// The connections of a route.
extension APNsSender {
  /// Opens a connection if pushes wait and there is none for them.
  private func supply(_ route: Route, at instant: ContinuousClock.Instant) {
    switch route.connections.need(waiting: route.queue.count, at: instant) {
    case .nothing: break
    case .connection: connect(route)
    case .pause(let outage): giveBackAll(route, outage)
    case .look:
      loop.schedule(after: limits.congestion) { [self] in
        route.connections.looked()
        pump(route)
      }
    }
  }

  private func connect(_ route: Route) {
    Task {
      do throws(HTTP2Error) {
        let client = try await configuration.connect(route.environment, within: limits.connecting, on: loop)
        route.connections.opened(client, at: time.instant())
        keepAlive()
      } catch {
        let problem = error.words(through: configuration.proxies[route.environment])
        route.connections.failed(problem, at: time.instant())
        log.warning("APNs cannot be reached", route.id.facts(and: problem))
      }
      pump(route)
    }
  }

  /// Asks whether connections live.
  private func check(_ connections: [RouteConnection], of route: Route) {
    for connection in connections {
      Task {
        let isAlive = await connection.lives(within: limits.liveness)
        route.connections.checked(connection, isAlive: isAlive, at: time.instant())
        pump(route)
      }
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
    for route in routes { check(route.connections.beginChecks(ofSilentSince: idle), of: route) }
    if routes.contains(where: { !$0.connections.isEmpty }) { keepAlive() }
  }
}

/// The answers that come back.
extension APNsSender {
  /// Takes the result of a push.
  private func answered(_ place: Int, _ slot: Int, _ result: Result<HTTP2Response, StreamFailure>) {
    let route = routes[place]
    guard let flight = route.flights.remove(slot) else { return }
    let instant = time.instant()
    let report = flight.report(on: result, at: instant)
    route.connections.review(flight, report, result, at: instant)
    if !isSentAgain(flight, report, route) { conclude(flight, report, route) }
    if flight.isProbe { unparkAll() }
    pumpLater(route)
  }

  /// Ends a push.
  private func conclude(_ flight: Flight, _ report: PushReport, _ route: Route) {
    let (entry, subject) = (flight.entry, flight.subject)
    var report = report
    // After its deadline the push can only be given back. The next push that needs a token renews it.
    report.verdict = entry.batch.isCutOff && report.verdict == .renewToken ? .notSent(pause: nil) : report.verdict.final
    report.verdict = breakers.judge(report.verdict, subject)
    log.report(
      breakers.note(
        report.verdict, subject, of: entry.push.device.person, isCharge: entry.push.wasGood, isProbe: flight.isProbe,
        why: report.obstacle, at: moment), report.reason)
    entry.batch.courses.report(report, at: entry.index)
    finishIfDone(entry.batch)
  }

  /// Withdraws the verdicts on devices of an app that has too many bad ones.
  private func spareSuspects(of batch: APNsBatch) {
    guard !breakers.isQuiet else { return }
    let moment = moment
    batch.courses.revise { push, report in
      guard report.verdict == .deviceSuspect, push.wasGood,
        let pause = breakers.suspicion(configuration.home(of: push), at: moment)
      else { return }
      (report.verdict, report.reason) = (.holdSuspect(pause: pause), "TooManyBadDeviceTokens")
    }
  }

  /// Puts a push back that must be sent again.
  private func isSentAgain(_ flight: Flight, _ report: PushReport, _ route: Route) -> Bool {
    let (batch, index) = (flight.entry.batch, flight.entry.index)
    guard !batch.isCutOff, batch.courses[index].returnsToAPNs(after: report.verdict) else { return false }
    if flight.isProbe { breakers.endProbe(flight.subject) }
    batch.courses[index].phase = .waiting
    if report.verdict == .renewToken, route.token.refuse(flight, report) {
      requestToken(route)
    } else {
      putBack(flight, report, route)
    }
    return true
  }

  /// Queues a push again after an attempt.
  private func putBack(_ flight: Flight, _ report: PushReport, _ route: Route) {
    flight.entry.batch.courses[flight.entry.index].note(report)
    route.queue.putBack(flight.entry)
  }
}

/// The provider token of a route.
extension APNsSender {
  /// Whether there is a token; asks for one if not.
  private func hasToken(_ route: Route, at moment: ContinuousClock.Instant) -> Bool {
    if let token = route.token.current, token.isUsable(at: now()) { return true }
    if let outage = route.token.outage(at: moment) {
      giveBackAll(route, outage)
    } else {
      requestToken(route)
    }
    return false
  }

  /// Takes the team's token from the store, or makes it, in one request at a time.
  private func requestToken(_ route: Route) {
    guard !route.token.isAwaited else { return }
    route.token.isAwaited = true
    let demand = ProviderTokenStore.Demand(
      route.key, route.id, refused: route.token.refused, log: log, now: now)
    Task {
      do {
        let token = try await tokens.token(route.id, demand)
        if route.token.hasFailed { log.info("A provider token can be had again", route.id.facts) }
        let waited = route.token.accept(token)
        for (flight, report) in waited.concluded { conclude(flight, report, route) }
        for (flight, report) in waited.again { putBack(flight, report, route) }
        // Pushes that were sent with the old one are still answered.
        route.connections.retire(because: "the provider token was renewed", at: time.instant()) {
          !$0.takes(route.token.authorization)
        }
      } catch {
        let (isNews, again) = route.token.failed("\(error)", at: moment)
        for (flight, report) in again { putBack(flight, report, route) }
        if isNews {
          log.error("No provider token can be had; deliveries wait", route.id.facts(and: "\(error)"))
        }
      }
      route.token.isAwaited = false
      pump(route)
    }
  }
}
