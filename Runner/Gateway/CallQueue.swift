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

/// CloudEvents that come in one request: they are called one after the other, so that their order counts.
@RunnerLoop
struct CallBatch {
  /// The most events of a request.
  nonisolated static let most = 512
  /// The most bytes of results in an answer: as many as those of one function.
  private static let mostBytes = 6 << 20

  private let requests: [HTTP1Request]

  /// Returns `nil` for a request of another mode than the batched one.
  init?(_ request: HTTP1Request) throws(InvalidCall) {
    guard let requests = try request.cloudEvents(atMost: Self.most) else { return nil }
    self.requests = requests
  }

  /// The answer to the request.
  ///
  /// Its body lists `{"id","status","body"}` in the order of the events: the answer that each would have got alone. If an
  /// event was not handled, the answer has the highest status of all, the caller sends the whole batch again, and no event
  /// is lost.
  ///
  /// - Parameter call: answers the request of one event, whose position it gets.
  func answer(by call: (Int, HTTP1Request) async -> HTTP1Answer) async -> HTTP1Answer {
    var results: [RawJSON] = []
    var (status, wait, size) = (200, 0, 0)
    for (index, request) in requests.enumerated() {
      let answer = await call(index, request)
      if answer.status >= 400 || answer.status == 202 { status = max(status, answer.status) }
      wait = max(wait, answer.headers.first { $0.0 == "Retry-After" }.flatMap { Int($0.1) } ?? 0)
      size += answer.body.count
      results.append(Self.result(answer, of: request, withBody: size <= Self.mostBytes))
    }
    let answer = HTTP1Answer.json(status, RawJSON(array: results))
    return status >= 400 && wait > 0 ? answer.with("Retry-After", "\(wait)") : answer
  }

  private static func result(_ answer: HTTP1Answer, of request: HTTP1Request, withBody: Bool) -> RawJSON {
    let id = RawJSON(trusting: request.body)["id"]
    var members = [("id", id?.kind == .string ? id ?? .null : .null), ("status", RawJSON(answer.status))]
    if withBody, !answer.body.isEmpty {
      let document = try? RawJSON(validating: answer.body[...])
      members.append(("body", document ?? RawJSON(String(decoding: answer.body, as: UTF8.self))))
    }
    return RawJSON(object: members)
  }
}

/// A client's wishes in the header field `Prefer`.
///
/// Source: https://www.rfc-editor.org/rfc/rfc7240
enum Preference: String {
  case respondAsync = "respond-async"

  func isExpressed(in request: HTTP1Request) -> Bool {
    guard let field = request.headers["prefer"] else { return false }
    return field.split(separator: ",").contains { preference in
      preference.prefix { $0 != ";" && $0 != "=" }.filter { $0 != " " && $0 != "\t" }.lowercased() == rawValue
    }
  }
}
