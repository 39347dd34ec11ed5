import Notifications

/// The pushes of one call, and how far each of them is.
struct Courses: Sendable {
  let pushes: [QueuedPush]
  private var courses: [Course]
  private var remaining: Int

  /// The progress of a push.
  struct Course: Sendable {
    enum Phase { case waiting, sent, reported }

    var phase = Phase.waiting
    /// Whether it was sent again because the provider asked for that.
    fileprivate(set) var wasRepeated = false
    /// How often it came back unprocessed, by APNs; a batch of FCM counts that for all.
    fileprivate var returns = 0
    fileprivate var report: PushReport?
    /// The attempts before the one that is reported.
    fileprivate var earlier: [PushReport] = []

    /// Keeps an attempt after which the push is sent again.
    ///
    /// A push that never left this process was not attempted.
    mutating func note(_ report: PushReport) {
      if !report.verdict.wasNeverSent { earlier.append(report) }
    }
  }

  init(_ pushes: [QueuedPush]) {
    self.pushes = pushes
    courses = Array(repeating: Course(), count: pushes.count)
    remaining = pushes.count
  }

  subscript(index: Int) -> Course {
    get { courses[index] }
    _modify { yield &courses[index] }
  }

  /// Whether a push was neither sent nor reported.
  func isWaiting(_ index: Int) -> Bool { courses[index].phase == .waiting }

  /// The pushes that were not sent yet.
  var waiting: [Int] { courses.indices.filter(isWaiting) }

  var isDone: Bool { remaining == 0 }

  /// The reports so far, in the order of the pushes.
  var reports: [PushReport] { courses.compactMap(\.report) }

  /// Ends a push, unless it has ended.
  mutating func report(_ report: PushReport, at index: Int) {
    guard courses[index].phase != .reported else { return }
    var report = report
    report.earlier = courses[index].earlier
    courses[index].phase = .reported
    courses[index].report = report
    remaining -= 1
  }

  /// Changes reports before the caller gets them.
  mutating func revise(_ body: (QueuedPush, inout PushReport) -> Void) {
    for index in courses.indices {
      guard var report = courses[index].report else { continue }
      body(pushes[index], &report)
      courses[index].report = report
    }
  }
}

/// The pushes that may go again at once.
extension Courses {
  // Pushes that were refused or never left may go again, but not too often to a server that refuses everything.
  fileprivate static let mostReturnsToAPNs = 4

  /// Pushes that FCM has not processed go again; after this many times in a batch they wait for the next one.
  static let mostFailuresOfFCM = 3
}

extension Courses.Course {
  /// Whether APNs gets the push again at once.
  mutating func returnsToAPNs(after verdict: PushVerdict) -> Bool {
    switch verdict {
    case .notSent, .retryAtOnce(otherwise: .notSent):
      returns += 1
      return returns < Courses.mostReturnsToAPNs
    case .retryAtOnce, .renewToken: return useRepetition()
    default: return false
    }
  }

  /// Whether FCM gets the push again at once: with a new token once, or because it was certainly not processed.
  mutating func returnsToFCM(after verdict: PushVerdict) -> Bool {
    verdict == .renewToken ? useRepetition() : verdict.isUnprocessed
  }

  /// Uses up the push's only repetition; `false` if it was used before.
  private mutating func useRepetition() -> Bool {
    defer { wasRepeated = true }
    return !wasRepeated
  }
}

extension PushVerdict {
  /// Whether FCM has certainly not seen the push.
  var isUnprocessed: Bool {
    switch self {
    case .notSent, .retryAtOnce: true
    default: false
    }
  }
}
