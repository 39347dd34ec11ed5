import Notifications

/// The pushes of one call and what is known of them by now.
struct PushBatch: Sendable {
  let pushes: [QueuedPush]
  /// Where each goes.
  let apps: [SenderHolds.App]
  private var reports: [PushReport?]

  init(_ pushes: [QueuedPush], _ configuration: APNsConfiguration) {
    self.pushes = pushes
    apps = pushes.map { push in
      let own = push.device.environment ?? configuration.environment
      return SenderHolds.App(
        environment: push.isProbe ? own.other : own, topic: push.device.topic ?? configuration.bundleID)
    }
    reports = Array(repeating: nil, count: pushes.count)
  }

  /// The places of the pushes to one environment.
  func indices(in environment: PushEnvironment) -> [Int] {
    pushes.indices.filter { apps[$0].environment == environment }
  }

  mutating func report(_ report: PushReport, at index: Int) {
    reports[index] = report
  }

  mutating func giveBack(_ indices: [Int], pause: Duration?, reason: String) {
    for index in indices {
      reports[index] = PushReport(
        verdict: .notSent(pause: pause), reason: reason, environment: apps[index].environment, topic: apps[index].topic)
    }
  }

  /// One report per push; a push that nobody reported on was not sent.
  var allReports: [PushReport] {
    zip(reports, apps).map { report, app in
      report ?? PushReport(verdict: .notSent(pause: nil), environment: app.environment, topic: app.topic)
    }
  }
}
