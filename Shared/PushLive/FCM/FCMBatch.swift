import Notifications

/// The pushes of one call to one project, and their state.
struct FCMBatch: Sendable {
  let pushes: [QueuedPush]
  let projectID: String
  private(set) var queue: [Int]
  private(set) var reports: [Int: PushReport] = [:]
  /// How often something came back unprocessed.
  private(set) var failures = 0
  /// Whether the access token of the last wave was refused.
  private(set) var hasRefusedToken = false
  private var retried: Set<Int> = []
  /// The attempts after which the push was sent again.
  private var earlier: [Int: [PushReport]] = [:]

  init(_ pushes: [QueuedPush], queue: [Int], projectID: String) {
    (self.pushes, self.queue, self.projectID) = (pushes, queue, projectID)
  }

  /// Takes the pushes to send next off the queue.
  mutating func next(_ count: Int) -> ArraySlice<Int> {
    defer { queue.removeFirst(count) }
    return queue.prefix(count)
  }

  /// Reports the rest as not sent.
  mutating func giveBack(_ outage: Outage) {
    for index in queue {
      var report = PushReport.fcm(
        .notSent(pause: outage.pause), pushes[index], projectID: projectID, reason: outage.reason)
      report.outage = outage.words
      conclude(index, report)
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
      if result.verdict == .renewToken {
        hasRefusedToken = true
        if retried.insert(index).inserted {
          again.append(index)
          earlier[index, default: []].append(result)
          continue
        }
        // A second new token would be refused, too.
        report.verdict = .holdApp
      } else if result.verdict.isUnprocessed {
        again.append(index)
        if !result.verdict.wasNeverSent { earlier[index, default: []].append(result) }
        continue
      }
      conclude(index, report)
      concluded.append(report)
    }
    if again.contains(where: { !retried.contains($0) }) { failures += 1 }
    queue = again.sorted() + queue
    return concluded
  }

  private mutating func conclude(_ index: Int, _ report: PushReport) {
    var report = report
    report.earlier = earlier[index] ?? []
    reports[index] = report
  }
}
