/// Sends pushes; it never throws, because one push must not fail its batch.
package struct PushClient: Sendable {
  /// Sends a batch and reports on every push in order; it sends no push that cannot be answered by the deadline.
  package var send: @Sendable (_ pushes: [QueuedPush], _ deadline: ContinuousClock.Instant) async -> [PushReport]

  package init(send: @escaping @Sendable ([QueuedPush], ContinuousClock.Instant) async -> [PushReport]) {
    self.send = send
  }

  /// Sends each push through its device's provider, both providers at once; the reports have the order of the pushes.
  ///
  /// A push whose provider has no client is not sent; it waits until the provider is configured.
  package static func routed(apns: PushClient?, fcm: PushClient?) -> PushClient {
    PushClient { pushes, deadline in
      async let throughAPNs = apns.reports(on: pushes, of: .apns, deadline)
      async let throughFCM = fcm.reports(on: pushes, of: .fcm, deadline)
      var (apnsReports, fcmReports) = (await throughAPNs.makeIterator(), await throughFCM.makeIterator())
      return pushes.map { push in
        (push.device.provider == .apns ? apnsReports.next() : fcmReports.next()) ?? .unserved(push)
      }
    }
  }
}

extension PushClient? {
  fileprivate func reports(
    on pushes: [QueuedPush], of provider: PushProvider, _ deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    let own = pushes.filter { $0.device.provider == provider }
    guard let self, !own.isEmpty else { return [] }
    return await self.send(own, deadline)
  }
}

extension PushReport {
  fileprivate static func unserved(_ push: QueuedPush) -> PushReport {
    var report = PushReport(
      verdict: .notSent(pause: RetryTiming.configuration), reason: "ProviderNotConfigured",
      provider: push.device.provider, environment: push.device.environment ?? .production,
      topic: push.device.topic ?? push.device.app)
    report.outage = push.device.provider.absence
    return report
  }
}
