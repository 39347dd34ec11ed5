import HTTP2
import Notifications

extension APNsSender {
  /// Takes the result of a push.
  func answered(_ place: Int, _ slot: Int, _ result: Result<HTTP2Response, StreamFailure>) {
    let route = routes[place]
    guard let flight = route.flights.remove(slot) else { return }
    let instant = time.instant()
    let report = report(on: flight, result, at: instant)
    route.growth.noteAnswer()
    if let connection = route.connection(flight.connection) {
      connection.inFlight -= 1
      review(connection, of: route, flight, report, result, at: instant)
    }
    if !isSentAgain(flight, report, route) { conclude(flight, report, route) }
    if flight.isProbe { unparkAll() }
    pumpLater(route)
  }

  /// Ends a push.
  func conclude(_ flight: Flight, _ report: PushReport, _ route: Route) {
    let (entry, subject) = (flight.entry, flight.subject)
    var report = report
    // After its deadline the push can only be given back. The next push that needs a token renews it.
    report.verdict = entry.batch.isCutOff && report.verdict == .renewToken ? .notSent(pause: nil) : report.verdict.final
    report.verdict = breakers.judge(report.verdict, subject)
    logNews(
      breakers.note(
        report.verdict, subject, of: entry.push.device.person, isCharge: entry.push.wasGood, isProbe: flight.isProbe,
        why: report.obstacle, at: moment), report.reason)
    entry.batch.report(report, at: entry.index)
    finishIfDone(entry.batch)
  }

  /// Withdraws the verdicts on devices of an app that has too many bad ones.
  func spareSuspects(of batch: PushBatch) {
    guard !breakers.isQuiet else { return }
    let moment = moment
    batch.revise { push, report in
      guard report.verdict == .deviceSuspect, push.wasGood,
        let pause = breakers.suspicion(home(of: push), at: moment)
      else { return }
      (report.verdict, report.reason) = (.holdSuspect(pause: pause), "TooManyBadDeviceTokens")
    }
  }

  private func report(
    on flight: Flight, _ result: Result<HTTP2Response, StreamFailure>, at instant: ContinuousClock.Instant
  ) -> PushReport {
    var report = PushReport(
      verdict: .unknown, apnsID: flight.apnsID, environment: flight.subject.app.environment,
      topic: flight.subject.app.topic, duration: flight.started.duration(to: instant))
    report.answered = instant
    switch result {
    case .success(let response):
      let answer = PushAnswer(response)
      (report.verdict, report.status, report.reason) = (PushVerdict(answer), answer.status, answer.reason)
      report.isEmulated = response.isEmulated
    case .failure(.responseTooLarge(let status)) where status > 0:
      (report.verdict, report.status) = (PushVerdict(PushAnswer(status: status)), status)
    case .failure(.invalidRequest): (report.verdict, report.reason) = (.rejected, "InvalidRequest")
    case .failure(let failure): (report.verdict, report.reason) = (PushVerdict(PushSilence(failure)), failure.word)
    }
    return report
  }

  /// Puts a push back that must be sent again.
  private func isSentAgain(_ flight: Flight, _ report: PushReport, _ route: Route) -> Bool {
    let (batch, index) = (flight.entry.batch, flight.entry.index)
    guard !batch.isCutOff, report.verdict.allowsRepetition(of: &batch[index]) else { return false }
    if flight.isProbe { breakers.endProbe(flight.subject) }
    batch[index].phase = .waiting
    if report.verdict == .renewToken, route.token.refuse(flight.tokenNumber) {
      route.expired.append((flight, report))
      requestToken(route)
    } else {
      putBack(flight, report, route)
    }
    return true
  }

  /// Queues a push again after an attempt.
  func putBack(_ flight: Flight, _ report: PushReport, _ route: Route) {
    flight.entry.batch[flight.entry.index].note(report)
    route.queue.putBack(flight.entry)
  }
}

extension PushVerdict {
  // Pushes that were refused or never left may go again, but not too often to a server that refuses everything.
  private static let maximumReturns = 4

  /// Whether the push is sent again at once.
  fileprivate func allowsRepetition(of course: inout PushBatch.Course) -> Bool {
    switch self {
    case .notSent, .retryAtOnce(otherwise: .notSent):
      course.returns += 1
      return course.returns < Self.maximumReturns
    case .retryAtOnce, .renewToken:
      defer { course.wasRepeated = true }
      return !course.wasRepeated
    default: return false
    }
  }
}
