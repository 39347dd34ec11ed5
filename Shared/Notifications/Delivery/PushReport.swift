/// How the attempt to send one push ended.
public struct PushReport: Sendable, Equatable {
  /// What follows from it.
  public var verdict: PushVerdict
  /// The HTTP status; `nil` without an answer.
  public var status: Int?
  /// APNs' reason, or a word of ours where APNs gave none.
  public var reason: String?
  /// The `apns-id` that the attempt carried.
  public var apnsID: String?
  /// The environment it was sent to.
  public var environment: PushEnvironment
  /// The topic it was sent under.
  public var topic: String
  /// From sending to the answer.
  public var duration: Duration

  /// A report from its parts.
  public init(
    verdict: PushVerdict, status: Int? = nil, reason: String? = nil, apnsID: String? = nil,
    environment: PushEnvironment, topic: String, duration: Duration = .zero
  ) {
    (self.verdict, self.status, self.reason, self.apnsID) = (verdict, status, reason, apnsID)
    (self.environment, self.topic, self.duration) = (environment, topic, duration)
  }
}
