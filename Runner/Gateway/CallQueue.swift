import FunctionKit
package import Postgres
package import System

/// Puts calls in line whose callers do not wait for the result.
///
/// Those that come together are written together, in one transaction.
@RunnerLoop
package final class CallQueue {
  /// Calls of one transaction.
  static let batch = 200

  private struct Entry: Sendable {
    let event: CallEvent
    let function: String
    let callID: String
    let answer: @RunnerLoop @Sendable (GatewayAnswer) -> Void
  }

  private let database: Connection
  private var waiting: [Entry] = []
  private var isWriting = false

  package init(database: Connection) {
    self.database = database
  }

  /// Answers 202 when the event's transaction has been committed.
  func add(
    _ event: CallEvent, to function: String, callID: String, _ answer: @escaping @RunnerLoop (GatewayAnswer) -> Void
  ) {
    waiting.append(Entry(event: event, function: function, callID: callID, answer: answer))
    if !isWriting { write() }
  }

  private func write() {
    isWriting = !waiting.isEmpty
    guard isWriting else { return }
    let entries = Array(waiting.prefix(Self.batch))
    waiting.removeFirst(entries.count)
    Task {
      await write(entries)
      write()
    }
  }

  private func write(_ entries: [Entry]) async {
    do {
      _ = try await database.query(Self.statement(entries))
      for entry in entries { entry.answer(.accepted(entry.event.envelope.id, callID: entry.callID)) }
    } catch {
      guard error.isOfData else {
        return entries.forEach { $0.answer(.databaseIsAway(callID: $0.callID)) }
      }
      // One of them is what PostgreSQL's jsonb or text cannot hold: U+0000, or a number out of its range.
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
    return """
      SELECT runner.enqueue(c.function, c.key, c.event_id, c.source, c.type, c.data::jsonb, c.traceparent)
      FROM unnest(\(entries.map(\.function))::text[], \(envelopes.map { $0["partitionkey"]?.stringValue })::text[],
        \(envelopes.map(\.id))::text[], \(envelopes.map(\.source))::text[], \(envelopes.map(\.type))::text[],
        \(envelopes.map { String(decoding: $0.data.bytes, as: UTF8.self) })::text[],
        \(envelopes.map { $0["traceparent"]?.stringValue })::text[])
        AS c (function, key, event_id, source, type, data, traceparent)
      """
  }
}

extension GatewayAnswer {
  fileprivate static func accepted(_ eventID: String, callID: String) -> GatewayAnswer {
    json(202, RawJSON(object: [("id", RawJSON(eventID))]))
      .with("X-Call-Id", callID).with("Preference-Applied", Preference.respondAsync.rawValue)
  }

  fileprivate static func databaseIsAway(callID: String) -> GatewayAnswer {
    failure(503, "UNAVAILABLE", "The event could not be put in line: the database is away.", callID: callID)
      .with("Retry-After", "1")
  }
}

extension PostgresError {
  /// Whether it is the values that cannot be stored.
  var isOfData: Bool {
    if case .usage = code { return true }
    return sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("54") } ?? false
  }
}
