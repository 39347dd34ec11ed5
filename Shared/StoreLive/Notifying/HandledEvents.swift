import FoundationEssentials
package import FunctionKit
package import Postgres
import Synchronization

/// The progress of a fan-out in several transactions.
struct Progress: Decodable {
  let after: Audience.Place
  let result: NotificationResult

  fileprivate var document: RawJSON {
    let after = RawJSON(object: [("subject", RawJSON(after.subject)), ("user", RawJSON(after.user.uuidString))])
    return RawJSON(object: [("after", after), ("result", result.document)])
  }
}

extension EventContext {
  /// Whether a row of `notifications` comes from this event.
  func caused(_ table: String) -> SQL {
    if isNew { return "false" }
    let row = SQL(unescaped: table)
    return """
      ((\(row).function, \(row).source, \(row).source_event_id) IS NOT DISTINCT FROM (\(function), \(source), \(id)))
      """
  }

  /// Whether a row of `decisions` comes from this event.
  func decided(_ table: String) -> SQL {
    let row = SQL(unescaped: table)
    return "\(row).function = \(function) AND \(row).source = \(source) AND \(row).event_id = \(id)"
  }

  private var isThis: SQL { "function = \(function) AND source = \(source) AND event_id = \(id)" }

  /// Finds what is recorded of the event and of the change of its row: `is_own, result`.
  var looking: SQL {
    let own: SQL = "SELECT true AS is_own, result FROM handled_events WHERE \(isThis)"
    guard let row else { return own }
    return "\(own) UNION ALL SELECT false, result FROM handled_events WHERE \(row.isRecord(of: self))"
  }

  /// Finds the record of an event that an earlier transaction has begun, and locks it: `result, progress`.
  ///
  /// It waits here for the end of another process's transaction.
  var locking: SQL { "SELECT result, progress FROM handled_events WHERE \(isThis) FOR UPDATE" }

  /// Records that the event has begun, of whose people one transaction takes only some.
  var beginning: SQL {
    var records: [(source: String, id: String, document: String?)] = [(source, id, nil)]
    if let change = row?.record(of: self) { records.append((change.source, change.id, change.document)) }
    return .insert(
      into: "handled_events",
      each: [
        "source": "\(records.map(\.source))", "event_id": "\(records.map(\.id))",
        "result": "\(records.map(\.document))",
      ], all: ["function": "\(function)", "created_at": "\(now)"])
  }

  /// Writes the result into the record of an event that has begun, or the progress if more people follow.
  /// - Parameters:
  ///   - end: the last person, if more follow.
  ///   - deliveries: the number of deliveries beyond those in the result, as an expression.
  func advancing(_ result: NotificationResult, after end: Audience.Place?, _ deliveries: SQL) -> SQL {
    let total: SQL = "to_jsonb(\(result.deliveries) + \(deliveries))"
    guard let end else {
      return """
        UPDATE handled_events
        SET result = jsonb_set(\(result.document.text)::jsonb, '{deliveries}', \(total))::text, progress = NULL
        WHERE \(isThis)
        """
    }
    let progress = Progress(after: end, result: result).document.text
    return """
      UPDATE handled_events SET progress = jsonb_set(\(progress)::jsonb, '{result,deliveries}', \(total))::text
      WHERE \(isThis)
      """
  }

  /// Finds the recorded result, whichever statement wrote it.
  package var recorded: SQL { "SELECT result FROM handled_events WHERE \(isThis)" }

  /// Records the result of an event that is handled in one transaction, in that transaction.
  package func record(_ result: RawJSON) -> SQL {
    """
    INSERT INTO handled_events (function, source, event_id, result, created_at)
    VALUES (\(function), \(source), \(id), \(result.text), \(now))
    """
  }

  static func decode<Value: Decodable>(_ text: String) throws -> Value {
    try JSONCoding.decode(Value.self, from: RawJSON(validating: Array(text.utf8)[...]))
  }
}

extension RawJSON {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Finds out whether an event was handled before, in one round trip with the first query about it.
///
/// It writes nothing: a new event gets its record with its decisions, or before them if people are left for another
/// transaction. If another process writes that record meanwhile, the insertion fails.
final class Claim: Sendable {
  /// The event to handle, which may be an earlier one about the same change of a row.
  let event: EventContext
  /// Whether an earlier transaction has begun the event; then its record is locked.
  let isBegun: Bool
  private let found = Mutex<Found?>(nil)

  /// The record of an event that has to be handled.
  struct Found {
    /// The progress of the transactions before; `nil` if there were none.
    var progress: Progress?
    /// Deletes the record of an earlier row with the same id; `nil` if there is none.
    var clearing: SQL?
  }

  /// The event already has its result.
  struct Done: Error {
    /// The event that was handled: this one, or an earlier one about the same change of a row.
    let event: EventContext
    let result: NotificationResult
    /// Records the result of the earlier event for this one.
    var recording: [SQL] = []
  }

  /// An earlier transaction has begun the event, or an earlier event about the same change of a row.
  struct Begun: Error {
    let event: EventContext
  }

  /// Claims an event that is new, as far as anybody knows.
  init(on event: EventContext) {
    var event = event
    event.isNew = true
    (self.event, isBegun) = (event, false)
  }

  /// Claims an event that has a record without a result.
  init(continuing begun: Begun) { (event, isBegun) = (begun.event, true) }

  /// Runs statements; the first ones also find the record.
  ///
  /// The record is looked for after them: what they have seen of another process was committed together with its record.
  /// Only that of a begun event is locked before them.
  ///
  /// - Throws: ``Done`` and ``Begun`` too.
  func pipeline(_ statements: [SQL], _ executor: any QueryExecutor) async throws -> [Rows] {
    if found.withLock({ $0 != nil }) { return try await executor.pipeline(statements) }
    guard !isBegun else {
      let answers = try await executor.pipeline([query] + statements)
      _ = try await settle(answers[0], executor)
      return Array(answers.dropFirst())
    }
    var answers = try await executor.pipeline(statements + [query])
    _ = try await settle(answers.removeLast(), executor)
    return answers
  }

  /// The record of the event, which is found now if no query has run.
  ///
  /// - Throws: ``Done`` and ``Begun`` too.
  func settle(_ executor: any QueryExecutor) async throws -> Found {
    if let found = found.withLock({ $0 }) { return found }
    return try await settle(try await executor.query(query), executor)
  }

  private var query: SQL { isBegun ? event.locking : event.looking }

  private func settle(_ rows: Rows, _ executor: any QueryExecutor) async throws -> Found {
    let found = isBegun ? try progress(rows) : try await record(rows, executor)
    self.found.withLock { $0 = found }
    return found
  }

  /// Another process may have gone on with the event until now.
  private func progress(_ rows: Rows) throws -> Found {
    guard let row = rows.first else { throw FunctionError(.unavailable, "The record of the event is gone.") }
    if let result = row["result"] { throw Done(event: event, result: try EventContext.decode(result)) }
    return Found(progress: try row["progress"].map(EventContext.decode))
  }

  private func record(_ rows: Rows, _ executor: any QueryExecutor) async throws -> Found {
    let own = try rows.first { try $0.decode("is_own") }
    let change = try rows.first { try !$0.decode("is_own") }?["result"]
    let holder: ChangedRow.Holder? = try change.map(EventContext.decode)
    if let own {
      guard let result: NotificationResult = try own["result"].map(EventContext.decode) else {
        throw Begun(event: event.asRecorded)
      }
      let earlier = holder.flatMap(event.earlier)
      throw Done(event: earlier.flatMap { $0.id == result.event ? $0 : nil } ?? event.asRecorded, result: result)
    }
    guard let document = change, let told = holder, let row = event.row else { return Found() }
    // If the event that told of the change has no record any more, that was long ago.
    guard !row.isAnother(than: told, event), let earlier = event.earlier(told),
      let record = try await executor.query(earlier.recorded).first
    else { return Found(clearing: row.clearing(document, of: event)) }
    guard let result = record["result"] else { throw Begun(event: earlier) }
    throw Done(
      event: earlier, result: try EventContext.decode(result), recording: row.recording(result, alsoFor: event))
  }
}

extension EventContext {
  /// The event that a dry run treats this one as a repetition of, and whether that one was applied.
  func asRepeated(_ transaction: Transaction) async throws -> (event: EventContext, wasApplied: Bool) {
    do {
      _ = try await Claim(on: self).settle(transaction)
      return (self, false)
    } catch let done as Claim.Done {
      return (done.event, true)
    } catch let begun as Claim.Begun {
      return (begun.event, true)
    }
  }
}
