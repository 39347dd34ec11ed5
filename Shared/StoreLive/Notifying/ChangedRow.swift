import Formats
import FoundationEssentials
package import FunctionKit
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
  let source: String
  /// The `event_id` in `handled_events`.
  private(set) var id: String
  /// When the row was made, if the event has the time.
  private let created: Date?

  /// The change of an event; `nil` if the row does not identify it.
  init?<Row>(_ event: Event<RowChange<Row>>) {
    let data = event.envelope.data
    guard let record = data["record"], let row = record["id"]?.stringValue.flatMap({ UUID(text: $0[...]) })
    else { return nil }
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

  /// The record of a change: the event that told of it, and the id that each source gave it.
  struct Holder: Decodable {
    let source: String
    let event: String
    let created: Date?
    let by: [String: String]?
  }

  /// The record that an event takes the change with, if nobody has it: the source, the id and the document.
  func record(of event: EventContext) -> (source: String, id: String, document: String) {
    (source, id, document(event))
  }

  /// Whether a row of `handled_events` is the record of the change.
  func isRecord(of event: EventContext) -> SQL {
    "function = \(event.function) AND source = \(source) AND event_id = \(id)"
  }

  /// Deletes a record of the change, unless another process has changed it meanwhile.
  func clearing(_ document: String, of event: EventContext) -> SQL {
    "DELETE FROM handled_events WHERE \(isRecord(of: event)) AND result = \(document)"
  }

  /// Records the result of an earlier event about the change for another event, and the id of that one for its source.
  func recording(_ result: String, alsoFor event: EventContext) -> [SQL] {
    [
      """
      UPDATE handled_events
      SET result = jsonb_set(result::jsonb, ARRAY['by', \(event.source)::text], to_jsonb(\(event.id)::text))::text
      WHERE \(isRecord(of: event))
      """,
      """
      INSERT INTO handled_events (function, source, event_id, result, created_at)
      VALUES (\(event.function), \(event.source), \(event.id), \(result), \(event.now))
      """,
    ]
  }

  private func document(_ event: EventContext) -> String {
    let created = created.map { RawJSON(RFC3339.string($0)) }
    let members: [(String, RawJSON?)] = [
      ("source", RawJSON(event.source)), ("event", RawJSON(event.id)), ("created", created),
      ("by", RawJSON(object: [(event.source, RawJSON(event.id))])),
    ]
    return RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } }).text
  }

  /// Whether the record of the change is about an earlier row with the same id.
  ///
  /// Some formats of a time leave out the fraction of the second.
  func isAnother(than holder: Holder, _ event: EventContext) -> Bool {
    if let id = holder.by?[event.source], id != event.id { return true }
    guard let created, let earlier = holder.created else { return false }
    return abs(created.timeIntervalSince(earlier)) >= 1
  }
}

extension RawJSON {
  fileprivate func time(_ name: String) -> Date? { self[name]?.stringValue.flatMap(RFC3339.date) }
}

extension RowChange {
  /// The row of an insertion into a table.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func inserted(into table: String) throws(FunctionError) -> Record {
    try expect(.insert, table)
    return try record.orMissing("record")
  }

  /// The row before and after an update in a table.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func updated(in table: String) throws(FunctionError) -> (old: Record, new: Record) {
    try expect(.update, table)
    return (try oldRecord.orMissing("old_record"), try record.orMissing("record"))
  }

  /// The row before and after an insert or update in a table; before an insert it is `nil`.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func insertedOrUpdated(in table: String) throws(FunctionError) -> (old: Record?, new: Record) {
    guard type == .update else { return (nil, try inserted(into: table)) }
    return try updated(in: table)
  }

  /// The row of a deletion from a table.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` with the name of the field, for any other event.
  package func deleted(from table: String) throws(FunctionError) -> Record {
    try expect(.delete, table)
    return try oldRecord.orMissing("old_record")
  }

  private func expect(_ operation: Operation, _ table: String) throws(FunctionError) {
    guard self.table == table else {
      throw FunctionError(.invalidEvent, "table must be \"\(table)\".")
    }
    guard type == operation else {
      throw FunctionError(.invalidEvent, "type must be \"\(operation.rawValue)\".")
    }
  }
}

extension Optional {
  fileprivate func orMissing(_ field: String) throws(FunctionError) -> Wrapped {
    guard let self else { throw FunctionError(.invalidEvent, "\(field) is missing.") }
    return self
  }
}
