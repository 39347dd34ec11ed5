import FoundationEssentials
import Notifications
import Postgres

/// The key of a record in `handled_events`.
struct RecordKey: Hashable {
  let source: String
  let id: String
}

extension EventContext {
  /// The records that the event needs: its own, and that of its row's change.
  var records: [RecordKey] {
    let own = RecordKey(source: source, id: id)
    guard let change = row?.record(of: self) else { return [own] }
    return [own, RecordKey(source: change.source, id: change.id)]
  }
}

extension SQL {
  /// Returns a row if somebody has one of the records.
  static func firstTaken(of records: [RecordKey], by function: String) -> SQL {
    let rows: SQL = .rows("i", ["source": "\(records.map(\.source))", "event_id": "\(records.map(\.id))"])
    return """
      SELECT FROM \(rows) CROSS JOIN LATERAL (
        SELECT FROM handled_events h
        WHERE h.function = \(function) AND h.source = i.source AND h.event_id = i.event_id OFFSET 0
      ) h LIMIT 1
      """
  }

  /// Records the results of announcements and the changes of their rows, inserts deliveries, and returns how many each
  /// announcement has: `number, deliveries`.
  ///
  /// If another transaction has made one of the records meanwhile, the statement waits for its end and fails.
  static func record(_ announcements: [DecidedAnnouncement]) -> SQL {
    let (results, events) = (announcements.map(\.result), announcements.map(\.event))
    let pushes = announcements.enumerated().flatMap { number, announcement in
      (announcement.decided?.plans ?? []).filter(\.isPushed).map { (notification: $0.notification, event: number) }
    }
    var changes: [(source: String, id: String, document: String, time: Date)] = []
    // The change of a row about which there is no notice is left to other events.
    for announcement in announcements where announcement.decided != nil {
      let event = announcement.event
      guard let record = event.row?.record(of: event) else { continue }
      changes.append((record.source, record.id, record.document, event.now))
    }
    let numbers = Array(results.indices) + changes.map { _ in -1 }
    let rows: SQL = .rows(
      "r",
      [
        "number": "\(numbers)", "source": "\(events.map(\.source) + changes.map(\.source))",
        "event_id": "\(events.map(\.id) + changes.map(\.id))",
        "result": "\(results.map(\.document.text) + changes.map(\.document))",
        "created_at": "\(events.map(\.now) + changes.map(\.time))",
      ])
    let pushed: SQL = .rows(
      "p", ["notification_id": "\(pushes.map(\.notification))", "event": "\(pushes.map(\.event))"])
    return """
      WITH inserted AS (\(insertDeliveries(announcements.compactMap(\.decided))) RETURNING notification_id),
        counted AS (
          SELECT p.event, count(i.notification_id) AS deliveries
          FROM \(pushed) LEFT JOIN inserted i USING (notification_id) GROUP BY 1
        ),
        recorded AS (
          INSERT INTO handled_events (function, source, event_id, result, created_at)
          SELECT \(events[0].function), r.source, r.event_id,
            CASE WHEN c.deliveries IS NULL THEN r.result
              ELSE jsonb_set(r.result::jsonb, '{deliveries}', to_jsonb(c.deliveries))::text END,
            r.created_at
          FROM \(rows) LEFT JOIN counted c ON c.event = r.number
          ORDER BY r.source, r.event_id
        )
      SELECT event AS number, deliveries FROM counted
      """
  }
}
