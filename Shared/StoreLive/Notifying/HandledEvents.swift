import FoundationEssentials
package import FunctionKit
package import Postgres

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
