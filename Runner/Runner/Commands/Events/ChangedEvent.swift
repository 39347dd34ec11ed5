import FunctionKit
import Glibc
import Inspection
import Manifest
import Postgres

/// The changes of an event that is sent again: other data, another key or another actor.
struct ChangedEvent {
  private let document: RawJSON

  /// - Parameter path: the file with the whole event, or `-` for stdin.
  /// - Throws: ``FunctionError/Code/noInput`` if it cannot be read, ``FunctionError/Code/invalidEvent`` if it is no event.
  init(at path: String) throws(FunctionError) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FunctionError(.noInput, "The event \(path) cannot be read.") }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    guard let bytes = StandardStreams.readAll(descriptor, limit: Envelope.maximumSize) else {
      throw Self.invalid("it is larger than \(Envelope.maximumSize) bytes")
    }
    guard let document = try? RawJSON(validating: bytes[...]), document.kind == .object else {
      throw Self.invalid("it is not one JSON object")
    }
    self.document = document
  }

  /// Says what may not be changed.
  ///
  /// - Parameter original: the event that is sent again, as the runner shows it.
  func check(against original: RawJSON) throws(FunctionError) {
    let names = document.members.map(\.name)
    for name in names {
      guard names.count(where: { $0 == name }) == 1 else { throw Self.invalid("\(name) is given twice") }
      guard Self.members.contains(name) else { throw Self.invalid("it has no member \(name)") }
    }
    for name in ["specversion", "source", "type"] where document[name]?.stringValue != original[name]?.stringValue {
      throw Self.invalid("\(name) stays \(original[name]?.stringValue ?? "away")")
    }
    guard let data = document["data"] else { throw Self.invalid("data is missing") }
    for name in ["partitionkey", "actorid"] {
      if let value = document[name], value.stringValue == nil { throw Self.invalid("\(name) is a string") }
    }
    // The columns of a row may be changed, and not which table it is of.
    guard original["type"]?.stringValue == EventType.row, let row = original["data"], row["table"] != nil else {
      return
    }
    guard data.members.map(\.name).sorted() == row.members.map(\.name).sorted() else {
      throw Self.invalid("data has the members \(row.members.map(\.name).joined(separator: ", "))")
    }
    for name in ["type", "schema", "table"] where data[name]?.stringValue != row[name]?.stringValue {
      throw Self.invalid("data.\(name) stays \(row[name]?.stringValue ?? "away")")
    }
    for name in ["schema", "table"]
    where data["partition"]?[name]?.stringValue != row["partition"]?[name]?.stringValue {
      throw Self.invalid("data.partition.\(name) stays \(row["partition"]?[name]?.stringValue ?? "away")")
    }
  }

  /// The columns of the new event that differ from those of a row `e`, as one `jsonb`.
  ///
  /// Redacted values have never left the database: what is null in their places stays as it is there.
  func columns(for entry: FunctionEntry) -> SQL {
    let data: SQL = "\(String(decoding: (document["data"] ?? .null).bytes, as: UTF8.self))::jsonb"
    func kept(_ changed: SQL, _ original: SQL) -> SQL {
      """
      CASE WHEN jsonb_typeof(\(changed)) = 'object' AND jsonb_typeof(\(original)) = 'object'
        THEN \(changed) || coalesce((SELECT jsonb_object_agg(m, \(original) -> m) FROM unnest(\(entry.redact)::text[]) AS m
          WHERE \(changed) -> m = 'null' AND \(original) ? m), '{}')
        ELSE \(changed) END
      """
    }
    func nested(_ member: SQL) -> SQL {
      """
      CASE WHEN jsonb_typeof(d.new -> \(member)) = 'object' AND jsonb_typeof(e.data -> \(member)) = 'object'
        THEN jsonb_build_object(\(member), \(kept("(d.new -> \(member))", "(e.data -> \(member))"))) ELSE '{}' END
      """
    }
    func text(_ member: String) -> SQL { document[member]?.stringValue.map { "\($0)::text" } ?? "NULL::text" }
    let key: SQL = entry.hidesKey && document["partitionkey"] == nil ? "e.key" : text("partitionkey")
    return """
      (SELECT jsonb_build_object('key', \(key), 'actor', \(text("actorid"))) || CASE
        WHEN e.op IS NOT NULL THEN jsonb_build_object('record', \(kept("(d.new -> 'record')", "e.record")),
          'old_record', \(kept("(d.new -> 'old_record')", "e.old_record")))
        ELSE jsonb_build_object('data', CASE WHEN jsonb_typeof(d.new) = 'object'
          THEN \(kept("d.new", "e.data")) || \(nested("'record'")) || \(nested("'old_record'")) ELSE d.new END) END
      FROM (SELECT \(data) AS new) AS d)
      """
  }

  /// The members of an event as the runner shows it.
  private static let members: Set = [
    "specversion", "id", "source", "type", "time", "partitionkey", "actorid", "traceparent", "replayedfrom", "attempt",
    "now", "data",
  ]

  private static func invalid(_ problem: String) -> FunctionError {
    FunctionError(.invalidEvent, "That is not the event with other data: \(problem).")
  }
}
