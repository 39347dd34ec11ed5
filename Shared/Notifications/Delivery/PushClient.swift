/// Sends pushes; never throws, because a batch must not fail for one of its members.
public struct PushClient: Sendable {
  /// Sends a batch and reports on every push, in their order; one that cannot be answered by the deadline is not sent.
  public var send: @Sendable (_ pushes: [QueuedPush], _ deadline: ContinuousClock.Instant) async -> [PushReport]

  /// A client from its closure.
  public init(send: @escaping @Sendable ([QueuedPush], ContinuousClock.Instant) async -> [PushReport]) {
    self.send = send
  }
}
