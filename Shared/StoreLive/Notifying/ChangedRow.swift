import Formats
import FoundationEssentials
import FunctionKit
import Postgres

/// The change of a row that an event reports.
///
/// It is the same for an event from the table's trigger, by HTTP or through a pipe.
///
/// The row's id identifies an insert; the row's id and a new `updated_at` identify an update. Other updates cannot be
/// identified by their row. Within one source, another event id is another change: if a source reports an insert a
/// second time, the row was deleted and inserted again. The same is true if the row has another `created_at`. After the
/// cleanup has deleted the record, a row that is inserted again under its old id counts as new.
struct ChangedRow: Sendable {
  /// The `source` in `handled_events`; its space tells it from an event's source, which is a URI.
  private let source: String
  private var id: String
  /// When the row was made, if the event has the time.
  private let created: Date?

  /// The change of an event; `nil` if the row does not identify it.
  init?<Row>(_ event: Event<RowChange<Row>>) {
    let data = event.envelope.data
    guard let record = data["record"], let row = record["id"]?.stringValue.flatMap(UUID.init) else { return nil }
    switch event.data.type {
    case .insert:
      (id, created) = (row.lowercased, record.time("created_at"))
    case .update:
      guard let old = data["old_record"]?.time("updated_at"), let new = record.time("updated_at"), old != new
      else { return nil }
      (id, created) = ("\(row.lowercased)@\(RFC3339.string(new))", nil)
    case .delete: return nil
    }
    source = "row \(event.data.schema).\(event.data.table)"
  }

  /// The change for ``EventContext/part(_:)``.
  func part(_ name: String) -> ChangedRow {
    var part = self
    part.id += "/\(name)"
    return part
  }

  /// The event that took a change.
  struct Holder: Decodable {
    let source: String
    let event: String
  }

  /// Takes the change for an event, `taken` by the statement around it, unless an earlier event has it.
  ///
  /// The stored row names the event that has the change, and the id that each source gave it.
  func taking(_ event: EventContext) -> SQL {
    """
    INSERT INTO handled_events AS r (function, source, event_id, result, created_at)
    SELECT \(event.function), \(source), \(id), \(document(event)), \(event.now) FROM taken
    WHERE result IS NULL AND progress IS NULL
    ON CONFLICT (function, source, event_id) DO UPDATE SET
      result = CASE WHEN \(isAnother(event)) THEN excluded.result
        ELSE jsonb_set(r.result::jsonb, ARRAY['by', \(event.source)::text], to_jsonb(\(event.id)::text))::text END,
      created_at = CASE WHEN \(isAnother(event)) THEN excluded.created_at ELSE r.created_at END
    RETURNING result
    """
  }

  /// The record that an event takes the change with, if nobody has it: the source, the id and the document.
  func record(of event: EventContext) -> (source: String, id: String, document: String) {
    (source, id, document(event))
  }

  /// Finds the event that has the change, unless this event was handled on its own.
  func holder(for event: EventContext) -> SQL {
    """
    SELECT r.result FROM handled_events r
    WHERE r.function = \(event.function) AND r.source = \(source) AND r.event_id = \(id) AND NOT \(isAnother(event))
      AND NOT EXISTS (
        SELECT FROM handled_events e
        WHERE e.function = \(event.function) AND e.source = \(event.source) AND e.event_id = \(event.id)
          AND e.result::jsonb ->> 'event' = e.event_id)
    """
  }

  /// Gives it back if the event has notified nobody of it.
  func giving(_ event: EventContext) -> SQL {
    """
    DELETE FROM handled_events
    WHERE function = \(event.function) AND source = \(source) AND event_id = \(id) AND result = \(document(event))
    """
  }

  private func document(_ event: EventContext) -> String {
    let created = created.map { RawJSON(RFC3339.string($0)) }
    let members: [(String, RawJSON?)] = [
      ("source", RawJSON(event.source)), ("event", RawJSON(event.id)), ("created", created),
      ("by", RawJSON(object: [(event.source, RawJSON(event.id))])),
    ]
    return RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } }).text
  }

  /// Whether a row `r` is about an earlier row with the same id.
  ///
  /// Some formats of a time leave out the fraction of the second.
  private func isAnother(_ event: EventContext) -> SQL {
    """
    coalesce(
      r.result::jsonb -> 'by' ->> \(event.source)::text <> \(event.id)::text
        OR abs(extract(epoch FROM (r.result::jsonb ->> 'created')::timestamptz - \(created as Date?)::timestamptz)) >= 1, false)
    """
  }
}

extension RawJSON {
  fileprivate func time(_ name: String) -> Date? { self[name]?.stringValue.flatMap(RFC3339.date) }
}
