import Synchronization

/// Holds answers back until pushes have come on a number of connections; the first answer on each is sent at once.
final class HeldAnswers: Sendable {
  private let state = Mutex((connections: Set<UInt64>(), held: [@Sendable () -> Void]()))
  private let wanted: Int

  init(untilConnections wanted: Int) {
    self.wanted = wanted
  }

  /// Gives an answer now or later.
  func hold(_ push: APNsFake.Received, _ answer: @escaping @Sendable () -> Void) {
    let due = state.withLock { state in
      let isFirst = state.connections.insert(push.connection).inserted
      guard isFirst || state.connections.count >= wanted else {
        state.held.append(answer)
        return [@Sendable () -> Void]()
      }
      guard state.connections.count >= wanted else { return [answer] }
      defer { state.held = [] }
      return state.held + [answer]
    }
    for answer in due { answer() }
  }
}
