import EventLoop
import HTTP2
import Notifications

/// Pushes that wait, in the order of arrival.
///
/// Pushes that come back go first.
struct PushQueue {
  /// One push of a batch.
  struct BatchedPush {
    let batch: APNsBatch
    let index: Int

    var push: QueuedPush { batch.courses.pushes[index] }

    /// Whether it was neither sent nor given back.
    var isWaiting: Bool { batch.courses.isWaiting(index) }
  }

  private var entries: [BatchedPush] = []
  private var head = 0
  private var returned: [BatchedPush] = []
  /// Pushes that wait until another one has tried.
  private var parked: [BatchedPush] = []

  /// How many wait for a connection.
  var count: Int { entries.count - head + returned.count }

  var first: BatchedPush? { returned.last ?? (head < entries.count ? entries[head] : nil) }

  mutating func append(_ entry: BatchedPush) { entries.append(entry) }

  mutating func putBack(_ entry: BatchedPush) { returned.append(entry) }

  mutating func removeFirst() {
    if returned.popLast() != nil { return }
    head += 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head > entries.count / 2 {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// Lets a push wait until another one has tried.
  mutating func park(_ entry: BatchedPush) { parked.append(entry) }

  /// Takes pushes whose wait is over; returns whether there were any.
  @discardableResult
  mutating func unpark() -> Bool {
    defer { parked = [] }
    for entry in parked.reversed() { putBack(entry) }
    return !parked.isEmpty
  }
}

/// The pushes of one call, which waits for their reports; used on the sender's loop only.
final class APNsBatch {
  let number: Int
  var courses: Courses
  /// The timer for its deadline.
  var timer: TimerID?
  /// Whether nothing more of it is sent.
  var isCutOff = false
  private var completion: (([PushReport]) -> Void)?

  init(_ number: Int, _ pushes: [QueuedPush], completion: @escaping ([PushReport]) -> Void) {
    (self.number, courses, self.completion) = (number, Courses(pushes), completion)
  }

  /// Returns the reports to the waiting caller.
  func finish() {
    completion.take()?(courses.reports)
  }
}

/// A push that waits for its answer.
struct Flight {
  let entry: PushQueue.BatchedPush
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
