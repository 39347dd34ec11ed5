import Synchronization

/// A queue's batch, and how far its handling has come.
///
/// The report may be asked for at any moment and by any thread. It is made only then, because a batch has up to 10,000
/// messages.
final class LambdaBatch: Sendable {
  private struct State {
    /// How many messages are behind the present one.
    var handled = 0
    var failed: [String] = []
    /// The groups with a failed message.
    var stopped: Set<String> = []
  }

  private let messages: [LambdaEvent.Message]
  private let state = Mutex(State())

  init(_ messages: [LambdaEvent.Message]) { self.messages = messages }

  /// The message that is to be handled, until it has ended; `nil` after the last.
  ///
  /// Behind a failed message, the others of its group have failed, too, because the queue keeps their order.
  func next() -> LambdaEvent.Message? {
    state.withLock { state in
      while state.handled < messages.count {
        let message = messages[state.handled]
        guard let group = message.group, state.stopped.contains(group) else { return message }
        state.failed.append(message.id)
        state.handled += 1
      }
      return nil
    }
  }

  /// Ends the message that ``next()`` gave.
  func end(_ message: LambdaEvent.Message, hasFailed: Bool) {
    state.withLock { state in
      state.handled += 1
      guard hasFailed else { return }
      state.failed.append(message.id)
      if let group = message.group { state.stopped.insert(group) }
    }
  }

  /// The messages that the queue must give again: those that have failed, and those that have not ended.
  ///
  /// `{"batchItemFailures":[{"itemIdentifier"}]}`
  var report: RawJSON {
    let (failed, handled) = state.withLock { ($0.failed, $0.handled) }
    let items = (failed + messages[handled...].map(\.id)).map { RawJSON(object: [("itemIdentifier", RawJSON($0))]) }
    return RawJSON(object: [("batchItemFailures", RawJSON(array: items))])
  }
}
