import FunctionKit

/// A queue's batch, and how far its handling has come.
///
/// The report is made when it is asked for, at any moment, because a batch has up to 10,000 messages.
final class LambdaBatch {
  private let messages: [LambdaEvent.Message]
  /// How many messages are behind the present one.
  private var handled = 0
  private var failed: [String] = []
  /// The groups with a failed message.
  private var stopped: Set<String> = []

  init(_ messages: [LambdaEvent.Message]) { self.messages = messages }

  /// The message that is to be handled, until it has ended; `nil` after the last.
  ///
  /// Behind a failed message, the others of its group have failed, too, because the queue keeps their order.
  func next() -> LambdaEvent.Message? {
    while handled < messages.count {
      let message = messages[handled]
      guard let group = message.group, stopped.contains(group) else { return message }
      failed.append(message.id)
      handled += 1
    }
    return nil
  }

  /// Ends the message that ``next()`` gave.
  func end(_ message: LambdaEvent.Message, hasFailed: Bool) {
    handled += 1
    guard hasFailed else { return }
    failed.append(message.id)
    if let group = message.group { stopped.insert(group) }
  }

  /// The messages that the queue must give again: those that have failed, and those that have not ended.
  ///
  /// `{"batchItemFailures":[{"itemIdentifier"}]}`
  var report: RawJSON {
    let items = (failed + messages[handled...].map(\.id)).map { RawJSON(object: [("itemIdentifier", RawJSON($0))]) }
    return RawJSON(object: [("batchItemFailures", RawJSON(array: items))])
  }
}
