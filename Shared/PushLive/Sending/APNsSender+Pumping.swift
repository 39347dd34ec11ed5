import EventLoop
import FoundationEssentials
import HTTP2
import Notifications

extension APNsSender {
  /// Sends what can be sent now.
  func pump(_ lane: Lane) {
    let (instant, moment) = (ContinuousClock.now, moment)
    dropLost(lane, at: instant)
    while let entry = lane.queue.first {
      guard entry.batch.isWaiting(entry.index) else {
        lane.queue.removeFirst()
        continue
      }
      let subject = subject(of: entry.push, lane)
      let admission = breakers.admission(subject, at: moment)
      switch admission {
      case .free, .probe: break
      case .afterProbe:
        lane.queue.removeFirst()
        lane.parked.append(entry)
        continue
      case .held(let pause):
        lane.queue.removeFirst()
        giveBack(entry, subject.app, pause: pause, reason: "Held")
        continue
      }
      guard hasToken(lane, at: moment), let connection = lane.nextConnection else { break }
      lane.queue.removeFirst()
      submit(entry, subject, by: connection, of: lane, isProbe: admission == .probe, at: moment)
    }
    supply(lane, at: instant)
  }

  /// Sends what can be sent at the end of the loop's turn, when everything that has arrived by now has been read.
  func pumpLater(_ lane: Lane) {
    guard !lane.isPumpDue else { return }
    lane.isPumpDue = true
    loop.atEndOfTurn { [self] in
      lane.isPumpDue = false
      pump(lane)
    }
  }

  /// Lets pushes go that waited for another one to try.
  func unparkAll() {
    for lane in lanes where !lane.parked.isEmpty {
      lane.unpark()
      pumpLater(lane)
    }
  }

  func subject(of push: QueuedPush, _ lane: Lane) -> Breakers.Subject {
    Breakers.Subject(credential: lane.id, app: app(of: push), home: home(of: push))
  }

  func giveBack(_ entry: PushQueue.Entry, _ app: APNsApp, pause: Duration?, reason: String) {
    entry.batch.report(.notSent(app, pause: pause, reason: reason), at: entry.index)
    finishIfDone(entry.batch)
  }

  /// Gives back everything that waits for a lane.
  func giveBackAll(_ lane: Lane, pause: Duration?, reason: String) {
    lane.unpark()
    while let entry = lane.queue.first {
      lane.queue.removeFirst()
      if entry.batch.isWaiting(entry.index) { giveBack(entry, app(of: entry.push), pause: pause, reason: reason) }
    }
  }

  private func submit(
    _ entry: PushQueue.Entry, _ subject: Breakers.Subject, by connection: LaneConnection, of lane: Lane, isProbe: Bool,
    at moment: ContinuousClock.Instant
  ) {
    let apnsID = UUID().lowercaseText
    guard
      let request = HTTP2Request(
        entry.push, apnsID: apnsID, topic: subject.app.topic,
        authority: lane.authority, authorization: lane.token.authorization)
    else {
      entry.batch.report(
        PushReport(
          verdict: .payloadTooLarge, reason: APNsReason.payloadTooLarge.rawValue, environment: lane.environment,
          topic: subject.app.topic), at: entry.index)
      return finishIfDone(entry.batch)
    }
    if isProbe { breakers.beginProbe(subject, at: moment) }
    entry.batch[entry.index].phase = .sent
    connection.inFlight += 1
    connection.authorization = lane.token.authorization
    let slot = lane.flights.add(
      Flight(
        entry: entry, subject: subject, connection: connection.number, tokenNumber: lane.token.number, apnsID: apnsID,
        started: .now, isProbe: isProbe))
    let (timeout, place) = (limits.answer, lane.place)
    connection.client.assumeIsolated { client in
      client.send(request, timeout: timeout) { result in
        self.assumeIsolated { $0.answered(place, slot, result) }
      }
    }
  }
}
