import FoundationEssentials
import Notifications
import Postgres

/// A record of `handled_events` that an event needs for itself.
struct BatchRecord {
  let source: String
  let id: String
  /// The result of the record of a row's change; `nil` for the event's own, which has none yet.
  let result: String?
  let time: Date
}

extension EventContext {
  /// The records that the event needs: its own, and that of its row's change.
  var records: [BatchRecord] {
    let own = BatchRecord(source: source, id: id, result: nil, time: now)
    guard let change = row?.record(of: self) else { return [own] }
    return [own, BatchRecord(source: change.source, id: change.id, result: change.document, time: now)]
  }
}

extension SQL {
  /// Makes records that nobody has, and returns how many of them as `taken`.
  ///
  /// It waits for other transactions that make the same ones.
  static func take(_ records: [BatchRecord], for function: String) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "source": "\(records.map(\.source))", "event_id": "\(records.map(\.id))", "result": "\(records.map(\.result))",
        "created_at": "\(records.map(\.time))",
      ])
    return """
      WITH taken AS (
        INSERT INTO handled_events (function, source, event_id, result, created_at)
        SELECT \(function), i.source, i.event_id, i.result, i.created_at FROM \(rows)
        ORDER BY i.source, i.event_id
        ON CONFLICT (function, source, event_id) DO NOTHING
        RETURNING true
      )
      SELECT count(*) AS taken FROM taken
      """
  }

  /// Records the results of events, and returns the numbers of the deliveries that it inserts: `number, deliveries`.
  ///
  /// Each record is found by its key and updated by its place in the table: with a plan from when the table was
  /// small, a join reads all records of the function for each batch.
  /// - Parameter decided: the decisions about an event, by the event's number.
  static func finish(_ results: [NotificationResult], of events: [EventContext], _ decided: [Int: DecidedEvent]) -> SQL
  {
    let pushes = decided.flatMap { number, decided in
      decided.plans.filter(\.isPushed).map { (notification: $0.notification, event: number) }
    }
    let rows: SQL = .rows(
      "r",
      [
        "number": "\(Array(results.indices))", "source": "\(events.map(\.source))", "event_id": "\(events.map(\.id))",
        "result": "\(results.map(\.document.text))",
      ])
    let pushed: SQL = .rows(
      "p", ["notification_id": "\(pushes.map(\.notification))", "event": "\(pushes.map(\.event))"])
    return """
      WITH inserted AS (\(insertDeliveries(Array(decided.values))) RETURNING notification_id),
        counted AS (
          SELECT p.event, count(i.notification_id) AS deliveries
          FROM \(pushed) LEFT JOIN inserted i USING (notification_id) GROUP BY 1
        )
      UPDATE handled_events e
      SET progress = NULL, result = CASE WHEN r.deliveries IS NULL THEN r.result
        ELSE jsonb_set(r.result::jsonb, '{deliveries}', to_jsonb(r.deliveries))::text END
      FROM (
        SELECT r.number, r.result, c.deliveries, h.ctid AS place
        FROM \(rows) LEFT JOIN counted c ON c.event = r.number CROSS JOIN LATERAL (
          SELECT ctid FROM handled_events h
          WHERE h.function = \(events[0].function) AND h.source = r.source AND h.event_id = r.event_id OFFSET 0
        ) h
      ) r
      WHERE e.ctid = r.place
      RETURNING r.number, coalesce(r.deliveries, 0) AS deliveries
      """
  }
}
