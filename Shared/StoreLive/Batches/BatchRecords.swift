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
  /// Records the results of announcements and the changes of their rows, inserts deliveries, and returns how many each
  /// announcement has: `number, deliveries`.
  ///
  /// If another transaction has made one of the records meanwhile, the statement waits for its end and fails. The record
  /// of an event that has begun is there already, and that of the change of its row.
  static func record(_ announcements: [DecidedAnnouncement]) -> SQL {
    let pushes = announcements.enumerated().flatMap { number, announcement in
      (announcement.decided?.plans ?? []).filter(\.isPushed).map { (notification: $0.notification, event: number) }
    }
    let ended = announcements.enumerated().filter { $0.element.stage.isLast }
    var records: [(number: Int, source: String, id: String, document: String, time: Date)] = []
    for (number, announcement) in ended where !announcement.stage.isBegun {
      let (event, result) = (announcement.event, announcement.result)
      records.append((number, event.source, event.id, result.document.text, event.now))
    }
    // The change of a row about which there is no notice is left to other events.
    for (_, announcement) in ended where !announcement.stage.isBegun && announcement.decided != nil {
      let event = announcement.event
      guard let record = event.row?.record(of: event) else { continue }
      records.append((-1, record.source, record.id, record.document, event.now))
    }
    let rows: SQL = .rows(
      "r",
      [
        "number": "\(records.map(\.number))", "source": "\(records.map(\.source))",
        "event_id": "\(records.map(\.id))", "result": "\(records.map(\.document))",
        "created_at": "\(records.map(\.time))",
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
          SELECT \(announcements[0].event.function), r.source, r.event_id,
            CASE WHEN c.deliveries IS NULL THEN r.result
              ELSE jsonb_set(
                r.result::jsonb, '{deliveries}',
                to_jsonb((r.result::jsonb ->> 'deliveries')::bigint + c.deliveries))::text END,
            r.created_at
          FROM \(rows) LEFT JOIN counted c ON c.event = r.number
          ORDER BY r.source, r.event_id
        )\(advancing(ended.filter(\.element.stage.isBegun).map { ($0.offset, $0.element) }))
      SELECT event AS number, deliveries FROM counted
      """
  }

  /// Writes results or progress into the records of events that have begun, of which a batch has one at most.
  private static func advancing(_ announcements: [(number: Int, announcement: DecidedAnnouncement)]) -> SQL {
    announcements.reduce("") { parts, part in
      let deliveries: SQL = "coalesce((SELECT c.deliveries FROM counted c WHERE c.event = \(part.number)), 0)"
      let (event, result, end) = (part.announcement.event, part.announcement.result, part.announcement.stage.end)
      return "\(parts), advanced_\(unescaped: "\(part.number)") AS (\(event.advancing(result, after: end, deliveries)))"
    }
  }
}
