package import FunctionKit
import HTTP1
package import Postgres
package import System

/// Queues calls whose callers do not wait for the result.
///
/// Calls that come together are written in one transaction.
@RunnerLoop
package final class CallQueue {
  /// The most calls of one transaction.
  static let batch = 200

  private struct Entry: Sendable {
    let event: CallEvent
    let function: String
    let callID: String
    let answer: @RunnerLoop @Sendable (HTTP1Answer) -> Void
  }

  private let database: Connection
  private let log: Log
  private var waiting: [Entry] = []
  private var isWriting = false
  private var isInTrouble = false

  package init(database: Connection, log: Log) {
    (self.database, self.log) = (database, log)
  }

  /// Answers 202 when the event's transaction has been committed.
  func add(
    _ event: CallEvent, to function: String, callID: String, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void
  ) {
    waiting.append(Entry(event: event, function: function, callID: callID, answer: answer))
    if !isWriting { write() }
  }

  private func write() {
    isWriting = !waiting.isEmpty
    guard isWriting else { return }
    let entries = Array(waiting.prefix(Self.batch))
    waiting.removeFirst(entries.count)
    BackgroundTask.start("queueing calls") { [self] in
      await write(entries)
      write()
    }
  }

  private func write(_ entries: [Entry]) async {
    do {
      _ = try await database.query(Self.statement(entries))
      isInTrouble = false
      for entry in entries { entry.answer(.accepted(entry.event.envelope.id, callID: entry.callID)) }
    } catch {
      guard error.isOfData else {
        if !isInTrouble { log.warning("Calls cannot be queued", ["error.cause": "\(error)"]) }
        isInTrouble = true
        return entries.forEach { $0.answer(.databaseIsAway(callID: $0.callID)) }
      }
      // PostgreSQL's jsonb or text cannot hold one of them: it has U+0000, or a number out of range.
      guard entries.count == 1 else {
        for entry in entries { await write([entry]) }
        return
      }
      let refusal = InvalidCall.malformed("PostgreSQL cannot hold the event: it has U+0000 or too large a number.")
      entries[0].answer(refusal.answer(callID: entries[0].callID))
    }
  }

  private static func statement(_ entries: [Entry]) -> SQL {
    let envelopes = entries.map(\.event.envelope)
    let calls: SQL = .rows(
      "c",
      [
        "function": "\(entries.map(\.function))::text[]",
        "key": "\(envelopes.map { $0["partitionkey"]?.stringValue })::text[]",
        "event_id": "\(envelopes.map(\.id))::text[]", "source": "\(envelopes.map(\.source))::text[]",
        "type": "\(envelopes.map(\.type))::text[]",
        "data": "\(envelopes.map { String(decoding: $0.data.bytes, as: UTF8.self) })::text[]",
        "traceparent": "\(envelopes.map { $0["traceparent"]?.stringValue })::text[]",
      ])
    return """
      SELECT runner.enqueue(c.function, c.key, c.event_id, c.source, c.type, c.data::jsonb, c.traceparent) FROM \(calls)
      """
  }
}

extension HTTP1Answer {
  fileprivate static func accepted(_ eventID: String, callID: String) -> HTTP1Answer {
    json(202, RawJSON(object: [("id", RawJSON(eventID))]))
      .with("X-Call-Id", callID).with("Preference-Applied", Preference.respondAsync.rawValue)
  }

  fileprivate static func databaseIsAway(callID: String) -> HTTP1Answer {
    failure(503, "UNAVAILABLE", "The event could not be queued: the database does not answer.", callID: callID)
      .with("Retry-After", "1")
  }
}

extension PostgresError {
  /// Whether the values cannot be stored.
  var isOfData: Bool {
    if case .usage = code { return true }
    return sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("54") } ?? false
  }
}
