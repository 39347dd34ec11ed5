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
    return row.map { [own, RecordKey(source: $0.source, id: $0.id)] } ?? [own]
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
    var records = ended.filter { !$0.element.stage.isBegun }.map { RecordRow(number: $0.offset, $0.element) }
    // The change of a row about which there is no notice is left to other events.
    for (_, announcement) in ended where !announcement.stage.isBegun && announcement.decided != nil {
      let event = announcement.event
      guard let record = event.row?.record(of: event) else { continue }
      records.append(
        RecordRow(number: -1, source: record.source, id: record.id, head: record.document, time: event.now))
    }
    let rows: SQL = .rows(
      "r",
      [
        "number": "\(records.map(\.number))", "source": "\(records.map(\.source))",
        "event_id": "\(records.map(\.id))", "head": "\(records.map(\.head))",
        "deliveries": "\(records.map(\.deliveries))", "tail": "\(records.map(\.tail))",
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
            concat(r.head, r.deliveries + coalesce(c.deliveries, 0), r.tail), r.created_at
          FROM \(rows) LEFT JOIN counted c ON c.event = r.number
          ORDER BY r.source, r.event_id
        )\(advancing(ended.filter(\.element.stage.isBegun).map { ($0.offset, $0.element) }))
      SELECT event AS number, deliveries FROM counted
      """
  }

  /// Writes results or progress into the records of events that have begun; a batch has one at most.
  private static func advancing(_ announcements: [(number: Int, announcement: DecidedAnnouncement)]) -> SQL {
    announcements.reduce("") { parts, part in
      let deliveries: SQL = "coalesce((SELECT c.deliveries FROM counted c WHERE c.event = \(part.number)), 0)"
      let (event, result, end) = (part.announcement.event, part.announcement.result, part.announcement.stage.end)
      return "\(parts), advanced_\(unescaped: "\(part.number)") AS (\(event.advancing(result, after: end, deliveries)))"
    }
  }
}

/// A row of `handled_events` that is to be written.
///
/// A result is sent in two parts, between which the server puts the number of deliveries; any other document is whole.
private struct RecordRow {
  /// The number of its announcement among those that are written together; -1 for the record of a row's change.
  let number: Int
  let source: String
  let id: String
  let head: String
  var deliveries: Int?
  var tail: String?
  let time: Date
}

extension RecordRow {
  init(number: Int, _ announcement: DecidedAnnouncement) {
    let (event, result) = (announcement.event, announcement.result)
    let (head, tail) = result.documentAroundDeliveries
    self.init(
      number: number, source: event.source, id: event.id, head: String(decoding: head, as: UTF8.self),
      deliveries: result.deliveries, tail: String(decoding: tail, as: UTF8.self), time: event.now)
  }
}
