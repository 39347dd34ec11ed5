/// The result of one attempt to send a push.
package struct PushReport: Sendable, Equatable {
  /// What the result means.
  package var verdict: PushVerdict
  /// The HTTP status; `nil` without an answer.
  package var status: Int?
  /// The provider's reason, or our own word if it gave none.
  package var reason: String?
  /// Why it could not be sent, in words without secrets, while its provider or the way there is away.
  package var outage: String?
  /// The `apns-id` that the attempt carried, or the id that FCM gave the message it took.
  package var apnsID: String?
  package var provider: PushProvider
  /// The environment of the attempt; it has no meaning for FCM.
  package var environment: PushEnvironment
  /// The topic of the attempt; for FCM, the project.
  package var topic: String
  /// The time from sending to the answer.
  package var duration: Duration
  /// When the answer came; `nil` if it was not sent.
  package var answered: ContinuousClock.Instant?
  /// Whether a push emulator answered, so that no device got the push.
  package var isEmulated = false
  /// The earlier attempts that were retried at once, the oldest first.
  package var earlier: [PushReport] = []

  package init(
    verdict: PushVerdict, status: Int? = nil, reason: String? = nil, apnsID: String? = nil,
    provider: PushProvider = .apns, environment: PushEnvironment, topic: String, duration: Duration = .zero
  ) {
    (self.verdict, self.status, self.reason, self.apnsID) = (verdict, status, reason, apnsID)
    (self.provider, self.environment, self.topic, self.duration) = (provider, environment, topic, duration)
  }

  /// The report for a database with real people: an emulator's answer does not count, and the delivery waits.
  package var withoutEmulator: PushReport {
    guard isEmulated else { return self }
    var report = PushReport(
      verdict: .notSent(pause: RetryTiming.configuration), reason: Self.emulatorReason, provider: provider,
      environment: environment, topic: topic, duration: duration)
    report.outage = "a push emulator answers, which takes no pushes to real people"
    return report
  }

  /// The reason of deliveries to real people that an emulator accepted, and that wait.
  package static let emulatorReason = "PushEmulator"
}
