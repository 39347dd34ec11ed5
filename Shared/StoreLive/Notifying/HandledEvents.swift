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

  /// Whether an earlier invocation has had an effect.
  func wasApplied(_ transaction: Transaction) async throws -> Bool {
    try await !transaction.query("SELECT FROM handled_events WHERE \(isThis)").isEmpty
  }

  /// Takes the event for this transaction.
  ///
  /// A second invocation for the same event waits here for the end of the first one's transaction and then finds its
  /// record. Another event about the same change of a row also waits, and finds the `holder`.
  var taking: SQL {
    let taken: SQL = """
      INSERT INTO handled_events AS e (function, source, event_id, created_at)
      VALUES (\(function), \(source), \(id), \(now))
      ON CONFLICT (function, source, event_id) DO UPDATE SET progress = e.progress
      RETURNING result, progress
      """
    guard let row else { return taken }
    return """
      WITH taken AS (\(taken)), told AS (\(row.taking(self)))
      SELECT result, progress, (SELECT result FROM told) AS holder FROM taken
      """
  }

  /// Records the result of an earlier event for this one too, and returns it.
  func adopting(_ earlier: EventContext) -> SQL {
    """
    UPDATE handled_events AS e SET result = f.result FROM handled_events AS f
    WHERE (e.function, e.source, e.event_id) = (\(function), \(source), \(id)) AND f.result IS NOT NULL
      AND (f.function, f.source, f.event_id) = (\(function), \(earlier.source), \(earlier.id))
    RETURNING e.result
    """
  }

  /// Leaves the change of its row to other events if there is no notice about it, or not yet.
  func giving(after result: NotificationResult) -> [SQL] {
    guard let row, result.considered == 0 else { return [] }
    return [row.giving(self)]
  }

  /// The event that a dry run treats this one as a repetition of.
  func asFirst(_ transaction: Transaction) async throws -> EventContext {
    guard let row, let holder = try await transaction.query(row.holder(for: self)).first?["result"] else { return self }
    return try earlier(holder) ?? self
  }

  /// Records the result, which ends the event.
  /// - Parameter deliveries: inserts deliveries beyond those in the result, and returns the number of all `deliveries`.
  func finish(_ result: NotificationResult, inserting deliveries: SQL? = nil) -> SQL {
    let text: SQL = "\(result.document.text)"
    guard let deliveries else { return "UPDATE handled_events SET result = \(text), progress = NULL WHERE \(isThis)" }
    return """
      \(result.adding(deliveries))
      UPDATE handled_events
      SET result = jsonb_set(\(text)::jsonb, '{deliveries}', to_jsonb(deliveries)), progress = NULL
      FROM total WHERE \(isThis) RETURNING deliveries
      """
  }

  /// Records the progress of the fan-out.
  /// - Parameter deliveries: inserts deliveries beyond those in the progress.
  func save(_ progress: Progress, inserting deliveries: SQL) -> SQL {
    """
    \(progress.result.adding(deliveries))
    UPDATE handled_events
    SET progress = jsonb_set(\(progress.document.text)::jsonb, '{result,deliveries}', to_jsonb(deliveries))
    FROM total WHERE \(isThis)
    """
  }

  /// Finds the result that ``record(_:)`` recorded.
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

extension NotificationResult {
  /// Inserts deliveries, and has the number of all of them as `total`.
  fileprivate func adding(_ deliveries: SQL) -> SQL {
    """
    WITH inserted AS (\(deliveries) RETURNING true),
      total AS (SELECT \(self.deliveries) + count(*) AS deliveries FROM inserted)
    """
  }
}

extension RawJSON {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
