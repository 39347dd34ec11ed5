import FoundationEssentials
import FunctionKit
import Postgres

/// The one change of a row that an event tells of.
///
/// It is the same no matter how the event came: from the table's trigger, by HTTP or through a pipe.
///
/// An insertion is identified by the row's id, an update by the row's id and a new `updated_at`; other updates cannot
/// be identified by their row. Ids tell the events of one source apart: if a source tells of an insertion a second
/// time, the row was deleted and is there again. The same holds if the row has another `created_at`. What was told is
/// known until the cleanup deletes it; after that, a row that is inserted again under its old id counts as new.
struct ChangedRow: Sendable {
  /// The source under which `handled_events` has it; that of an event is a URI, which holds no space.
  private let source: String
  private var id: String
  /// When the row was made, where its event says so.
  private let created: Date?

  /// The change of an event; `nil` where the row does not tell which one it is.
  init?<Row>(_ event: Event<RowChange<Row>>) {
    let data = event.envelope.data
    guard let record = data["record"], let row = record["id"]?.stringValue.flatMap(UUID.init) else { return nil }
    switch event.data.type {
    case .insert:
      (id, created) = (row.uuidString.lowercased(), record.time("created_at"))
    case .update:
      guard let old = data["old_record"]?.time("updated_at"), let new = record.time("updated_at"), old != new
      else { return nil }
      (id, created) = ("\(row.uuidString.lowercased())@\(RFC3339.string(new))", nil)
    case .delete: return nil
    }
    source = "row \(event.data.schema).\(event.data.table)"
  }

  /// What ``Occurrence/part(_:)`` says of it.
  func part(_ name: String) -> ChangedRow {
    var part = self
    part.id += "/\(name)"
    return part
  }

  /// The event that told of a change.
  struct Holder: Decodable {
    let source: String
    let event: String
  }

  /// Takes the change for an event, `taken` by the statement around it, unless an earlier event tells of it.
  ///
  /// The row that is there says which event tells of the change, and the id that each source gives it.
  func taking(_ event: Occurrence) -> SQL {
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

  /// Finds which event tells of it, unless this one has been told by itself.
  func holder(for event: Occurrence) -> SQL {
    """
    SELECT r.result FROM handled_events r
    WHERE r.function = \(event.function) AND r.source = \(source) AND r.event_id = \(id) AND NOT \(isAnother(event))
      AND NOT EXISTS (
        SELECT FROM handled_events e
        WHERE e.function = \(event.function) AND e.source = \(event.source) AND e.event_id = \(event.id)
          AND e.result::jsonb ->> 'event' = e.event_id)
    """
  }

  /// Gives it back, where the event has told nobody of it.
  func giving(_ event: Occurrence) -> SQL {
    """
    DELETE FROM handled_events
    WHERE function = \(event.function) AND source = \(source) AND event_id = \(id) AND result = \(document(event))
    """
  }

  private func document(_ event: Occurrence) -> String {
    let created = created.map { RawJSON(RFC3339.string($0)) }
    let members: [(String, RawJSON?)] = [
      ("source", RawJSON(event.source)), ("event", RawJSON(event.id)), ("created", created),
      ("by", RawJSON(object: [(event.source, RawJSON(event.id))])),
    ]
    return RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } }).text
  }

  /// Whether a row `r` is about an earlier row with the same id.
  ///
  /// Some ways of writing a time leave out the fractions of its second.
  private func isAnother(_ event: Occurrence) -> SQL {
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
