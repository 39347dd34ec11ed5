import EventLoop
import Formats
import FoundationEssentials
import HTTP2
import Notifications

extension APNsSender {
  /// Sends the pushes that can be sent now.
  func pump(_ route: Route) {
    let (instant, moment) = (time.instant(), moment)
    dropLost(route, at: instant)
    while let entry = route.queue.first {
      guard entry.batch.isWaiting(entry.index) else {
        route.queue.removeFirst()
        continue
      }
      let subject = subject(of: entry.push, route)
      let admission = breakers.admission(subject, at: moment)
      switch admission {
      case .free, .probe: break
      case .afterProbe:
        route.queue.removeFirst()
        route.parked.append(entry)
        continue
      case .held(let pause):
        route.queue.removeFirst()
        giveBack(
          entry, subject.app, pause: pause, reason: "Held", outage: breakers.obstacle(subject, at: moment))
        continue
      }
      guard hasToken(route, at: moment), let connection = route.nextConnection else { break }
      route.queue.removeFirst()
      submit(entry, subject, by: connection, of: route, isProbe: admission == .probe, at: moment)
    }
    supply(route, at: instant)
  }

  /// Sends at the end of the loop's turn, when everything that has arrived is read.
  func pumpLater(_ route: Route) {
    guard !route.isPumpDue else { return }
    route.isPumpDue = true
    loop.atEndOfTurn { [self] in
      route.isPumpDue = false
      pump(route)
    }
  }

  /// Releases pushes that waited for another one to try.
  func unparkAll() {
    for route in routes where !route.parked.isEmpty {
      route.unpark()
      pumpLater(route)
    }
  }

  func subject(of push: QueuedPush, _ route: Route) -> Breakers.Subject {
    let home = home(of: push)
    return Breakers.Subject(
      credential: route.id, app: app(of: push), home: home,
      topic: Breakers.AppTopic(app: push.device.app, topic: home.topic), isTopicConfigured: push.device.topic == nil)
  }

  private func giveBack(
    _ entry: PushQueue.Entry, _ app: APNsApp, pause: Duration?, reason: String, outage: String?
  ) {
    entry.batch.report(.notSent(app, pause: pause, reason: reason, outage: outage), at: entry.index)
    finishIfDone(entry.batch)
  }

  /// Gives back everything that waits for a route.
  /// - Parameter outage: why, in words.
  func giveBackAll(_ route: Route, pause: Duration?, reason: String, outage: String) {
    route.unpark()
    while let entry = route.queue.first {
      route.queue.removeFirst()
      guard entry.batch.isWaiting(entry.index) else { continue }
      giveBack(entry, app(of: entry.push), pause: pause, reason: reason, outage: outage)
    }
  }

  private func submit(
    _ entry: PushQueue.Entry, _ subject: Breakers.Subject, by connection: RouteConnection, of route: Route,
    isProbe: Bool,
    at moment: ContinuousClock.Instant
  ) {
    let apnsID = UUID().lowercased
    guard
      let request = HTTP2Request(
        entry.push, apnsID: apnsID, topic: subject.app.topic,
        authority: route.authority, authorization: route.token.authorization)
    else {
      entry.batch.report(
        PushReport(
          verdict: .payloadTooLarge, reason: APNsReason.payloadTooLarge.rawValue, environment: route.environment,
          topic: subject.app.topic), at: entry.index)
      return finishIfDone(entry.batch)
    }
    if isProbe { breakers.beginProbe(subject, at: moment) }
    entry.batch[entry.index].phase = .sent
    connection.inFlight += 1
    connection.authorization = route.token.authorization
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
