/// Sends pushes; it never throws, because one push must not fail its batch.
package struct PushClient: Sendable {
  /// Sends a batch and reports on every push in order; it sends no push that cannot be answered by the deadline.
  package var send: @Sendable (_ pushes: [QueuedPush], _ deadline: ContinuousClock.Instant) async -> [PushReport]

  package init(send: @escaping @Sendable ([QueuedPush], ContinuousClock.Instant) async -> [PushReport]) {
    self.send = send
  }
}
