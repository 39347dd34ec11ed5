import EventLoop
import Notifications

/// The pushes of one call and their state; used on the sender's loop only.
final class PushBatch {
  let number: Int
  let pushes: [QueuedPush]
  /// The timer for its deadline.
  var timer: TimerID?
  /// Whether nothing more of it is sent.
  var isCutOff = false
  private var courses: [Course]
  private var remaining: Int
  private var completion: (([PushReport]) -> Void)?

  /// The progress of a push.
  struct Course {
    enum Phase { case waiting, sent, reported }

    var phase = Phase.waiting
    /// Whether it was sent again because APNs asked for that.
    var wasRepeated = false
    /// How often it came back unprocessed.
    var returns = 0
    var report: PushReport?
    /// The attempts before the one that is reported.
    fileprivate var earlier: [PushReport] = []

    /// Keeps an attempt after which the push is sent again.
    ///
    /// A push that never left this process was not attempted.
    mutating func note(_ report: PushReport) {
      if !report.verdict.wasNeverSent { earlier.append(report) }
    }
  }

  init(_ number: Int, _ pushes: [QueuedPush], completion: @escaping ([PushReport]) -> Void) {
    (self.number, self.pushes, self.completion) = (number, pushes, completion)
    courses = Array(repeating: Course(), count: pushes.count)
    remaining = pushes.count
  }

  subscript(index: Int) -> Course {
    get { courses[index] }
    _modify { yield &courses[index] }
  }

  func isWaiting(_ index: Int) -> Bool { courses[index].phase == .waiting }

  /// The pushes that were not sent yet.
  var waiting: [Int] { courses.indices.filter { courses[$0].phase == .waiting } }

  var isDone: Bool { remaining == 0 }

  func report(_ report: PushReport, at index: Int) {
    guard courses[index].phase != .reported else { return }
    var report = report
    report.earlier = courses[index].earlier
    courses[index].phase = .reported
    courses[index].report = report
    remaining -= 1
  }

  /// Changes reports before the caller gets them.
  func revise(_ body: (QueuedPush, inout PushReport) -> Void) {
    for index in courses.indices where courses[index].report != nil {
      // The condition above guarantees it.
      if var report = courses[index].report {
        body(pushes[index], &report)
        courses[index].report = report
      }
    }
  }

  /// Returns the reports to the waiting caller.
  func finish() {
    completion.take()?(courses.compactMap(\.report))
  }
}

/// Pushes that wait, in the order of arrival.
///
/// Pushes that come back go first.
struct PushQueue {
  /// One push of a batch.
  struct Entry {
    let batch: PushBatch
    let index: Int

    var push: QueuedPush { batch.pushes[index] }
  }

  private var entries: [Entry] = []
  private var head = 0
  private var returned: [Entry] = []

  var count: Int { entries.count - head + returned.count }

  var first: Entry? { returned.last ?? (head < entries.count ? entries[head] : nil) }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func putBack(_ entry: Entry) { returned.append(entry) }

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
}
