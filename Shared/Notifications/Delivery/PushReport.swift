/// How the attempt to send one push ended.
public struct PushReport: Sendable, Equatable {
  /// What follows from it.
  public var verdict: PushVerdict
  /// The HTTP status; `nil` without an answer.
  public var status: Int?
  /// The provider's reason, or a word of ours where it gave none.
  public var reason: String?
  /// The `apns-id` that the attempt carried, or the id that FCM gave the message it took.
  public var apnsID: String?
  /// The service that was to carry it.
  public var provider: PushProvider
  /// The environment it was sent to; of no meaning for FCM.
  public var environment: PushEnvironment
  /// The topic it was sent under; for FCM the project.
  public var topic: String
  /// From sending to the answer.
  public var duration: Duration
  /// Whether a push emulator answered, behind which there is no device.
  public var isEmulated = false
  /// The attempts before it that were followed by another at once, oldest first.
  public var earlier: [PushReport] = []

  /// A report from its parts.
  public init(
    verdict: PushVerdict, status: Int? = nil, reason: String? = nil, apnsID: String? = nil,
    provider: PushProvider = .apns, environment: PushEnvironment, topic: String, duration: Duration = .zero
  ) {
    (self.verdict, self.status, self.reason, self.apnsID) = (verdict, status, reason, apnsID)
    (self.provider, self.environment, self.topic, self.duration) = (provider, environment, topic, duration)
  }

  /// The report where real people wait for the push: what an emulator says counts for nothing, and the delivery waits.
  public var withoutEmulator: PushReport {
    guard isEmulated else { return self }
    return PushReport(
      verdict: .notSent(pause: RetryTiming.configuration), reason: Self.emulatorReason, provider: provider,
      environment: environment, topic: topic, duration: duration)
  }

  /// Why deliveries wait that an emulator took for real people.
  public static let emulatorReason = "PushEmulator"
}
