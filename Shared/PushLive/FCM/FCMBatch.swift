import Notifications

/// The pushes of one call to one project, and their state.
struct FCMBatch: Sendable {
  let projectID: String
  private(set) var queue: [Int]
  /// How often something came back unprocessed.
  private var failures = 0
  /// Whether the access token of the last wave was refused.
  private(set) var hasRefusedToken = false
  private var courses: Courses

  init(_ pushes: [QueuedPush], projectID: String) {
    (self.projectID, queue, courses) = (projectID, Array(pushes.indices), Courses(pushes))
  }

  var pushes: [QueuedPush] { courses.pushes }

  /// The reports so far, in the order of the pushes.
  var reports: [PushReport] { courses.reports }

  /// Whether pushes came back unprocessed too often.
  var hasFailed: Bool { failures >= Courses.mostFailuresOfFCM }

  /// Takes the pushes to send next off the queue.
  mutating func next(_ count: Int) -> ArraySlice<Int> {
    defer { queue.removeFirst(count) }
    return queue.prefix(count)
  }

  /// Reports the rest as not sent.
  mutating func giveBack(_ outage: Outage) {
    for index in queue {
      courses.report(.fcm(.unknown, pushes[index], projectID: projectID).held(by: outage), at: index)
    }
    queue = []
  }

  /// Queues the pushes that must be sent again at once, and returns the reports on the others.
  mutating func note(_ results: [(index: Int, report: PushReport)]) -> [PushReport] {
    var again: [Int] = []
    var concluded: [PushReport] = []
    hasRefusedToken = false
    for (index, result) in results {
      var report = result
      if result.verdict == .renewToken { hasRefusedToken = true }
      if courses[index].returnsToFCM(after: result.verdict) {
        courses[index].note(result)
        again.append(index)
        continue
      }
      // A second new token would be refused, too.
      if result.verdict == .renewToken { report.verdict = .holdApp }
      courses.report(report, at: index)
      concluded.append(report)
    }
    if again.contains(where: { !courses[$0].wasRepeated }) { failures += 1 }
    queue = again.sorted() + queue
    return concluded
  }
}
