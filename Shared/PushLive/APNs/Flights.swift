import HTTP2
import Notifications

/// A push that waits for its answer.
struct Flight {
  let entry: PushQueue.Entry
  let subject: Breakers.Subject
  let connection: Int
  /// The number of the provider token that it went out with.
  let tokenNumber: Int
  let apnsID: String
  let started: ContinuousClock.Instant
  /// Whether it tries for others that a breaker holds.
  let isProbe: Bool

  /// The report on its result.
  func report(on result: Result<HTTP2Response, StreamFailure>, at instant: ContinuousClock.Instant) -> PushReport {
    var report = PushReport.apns(.unknown, subject.app)
    (report.apnsID, report.duration, report.answered) = (apnsID, started.duration(to: instant), instant)
    report.take(result) { response in
      let answer = PushAnswer(response)
      return (PushVerdict(answer), answer.reason)
    }
    return report
  }
}

/// The pushes that wait for their answers, by numbers that are used again.
struct Flights {
  private var slots: [Flight?] = []
  private var free: [Int] = []

  mutating func add(_ flight: Flight) -> Int {
    if let slot = free.popLast() {
      slots[slot] = flight
      return slot
    }
    slots.append(flight)
    return slots.count - 1
  }

  mutating func remove(_ slot: Int) -> Flight? {
    defer { free.append(slot) }
    return slots[slot].take()
  }
}

extension PushReport {
  /// A report on a push to an app.
  static func apns(_ verdict: PushVerdict, _ app: APNsApp, reason: String? = nil) -> PushReport {
    PushReport(verdict: verdict, reason: reason, environment: app.environment, topic: app.topic)
  }
}
