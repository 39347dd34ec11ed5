import CLI
import Capture
import FoundationEssentials
import FunctionKit
import Manifest
package import Postgres

/// A waiting event that the runner has read.
package struct QueuedEvent: Sendable {
  /// Where its row stands.
  struct Place: Hashable, Sendable {
    var partition: Int
    var id: Int64
    var table: Table

    enum Table: String, Sendable, CaseIterable {
      case events, retries
    }
  }

  var place: Place
  var function: String
  /// Events of one key run one after the other.
  var key: String?
  /// How often it has been tried already.
  var attempt = 0
  /// How many of these tries ended with the death of the process, since one got further than all before.
  var crashes = 0
  /// The highest count of its progress that an attempt has reported.
  var progress: Int64 = 0
  /// Attempts before this one count no more: a later one got further than all before.
  var countedFrom = 0
  /// Whether a schedule has made it.
  var isOfSchedule = false
  /// The CloudEvents `id`.
  var eventID: String
  /// The whole CloudEvent on one line, with its end; empty where it is larger than a function takes.
  var line: [UInt8]
  /// The session of the database in which it was read.
  var session = 0
  /// Counts its function's starts, this event's last one included; 0 before it was started.
  var startNumber = 0

  /// Whether it can be given to a function at all.
  var isTooLarge: Bool { line.isEmpty || line.count > Envelope.maximumSize }

  /// When it happened, by the clock of the events.
  var time: Date? { Self.time(of: line).flatMap(RFC3339.date) }

  /// The `time` of a CloudEvent on a line.
  static func time(of line: [UInt8]) -> String? {
    (try? RawJSON(validating: line.dropLast()))?["time"]?.stringValue
  }
}

extension QueuedEvent {
  /// The columns that ``line(of:)`` reads, of a table or subquery `e` and of ``clock``.
  ///
  /// The document is put together here, not by PostgreSQL, for which it is several times the work.
  /// - Parameters:
  ///   - isLoaded: whether the body is wanted.
  ///   - attempt: how often it has been tried.
  ///   - crashes: how many of these ended with the death of the process.
  ///   - progress: two columns, how far it has come, and since which attempt.
  package static func columns(
    isLoaded: SQL, attempt: SQL = "NULL", crashes: SQL = "NULL", progress: SQL = "NULL, NULL"
  ) -> SQL {
    """
    e.partition, e.id, e.function, e.key, e.event_id, \(attempt), \(crashes), \(progress), \(isLoaded), \
    (e.op IS NOT NULL AND e.data = 'true') IS TRUE, e.source, e.type, e.at, e.actor, e.traceparent, e.replayedfrom, clock.stamp, e.op, e.table_schema, e.table_name, \
    CASE WHEN \(isLoaded) THEN e.record END, CASE WHEN \(isLoaded) THEN e.old_record END, \
    CASE WHEN \(isLoaded) THEN e.data END
    """
  }

  /// Joined to a query of ``columns(isLoaded:attempt:crashes:progress:)``: the time that functions are told while the clock is a
  /// virtual one.
  package static let clock: SQL = """
    (SELECT CASE WHEN "offset" <> '0' THEN to_json(runner.now())::text END AS stamp FROM runner.clock LIMIT 1)
    AS clock
    """

  /// The kind of an event, for people: from a row of `runner.events` or a table like it.
  package static let kind = SQL(
    unescaped: """
      coalesce(op || ' ' || CASE WHEN strpos(table_schema || table_name, '.') = 0
          THEN table_schema || '.' || table_name
          ELSE \(written("table_schema")) || '.' || \(written("table_name")) END,
        CASE type WHEN \(literal(EventType.schedule)) THEN 'schedule' ELSE 'queued' END)
      """)

  /// A part of a table's name, quoted where it has a dot.
  private static func written(_ part: String) -> String {
    "CASE WHEN strpos(\(part), '.') = 0 THEN \(part) ELSE '\"' || replace(\(part), '\"', '\"\"') || '\"' END"
  }

  /// The CloudEvent of a row of ``columns(isLoaded:attempt:crashes:progress:)``, as a function gets it.
  ///
  /// - Returns: `nil` where the body was left out; empty where it is larger than a function takes.
  package static func line(of row: Row) throws(PostgresError) -> [UInt8]? { try Self(row, table: .events)?.line }

  /// Their places, from the first of them.
  private enum Column {
    static let (partition, id, function, key, eventID, attempt, crashes, progress, countedFrom) = (
      0, 1, 2, 3, 4, 5, 6, 7, 8
    )
    static let (isLoaded, isTooLarge, source, type, time, actor, traceparent) = (9, 10, 11, 12, 13, 14, 15)
    static let (replayedFrom, now, operation, schema, table, record, oldRecord, data) = (16, 17, 18, 19, 20, 21, 22, 23)
  }

  /// Reads a row in which the columns begin at a position; `nil` where its body was left out.
  init?(_ row: Row, at first: Int = 0, table: Place.Table, session: Int = 0) throws(PostgresError) {
    guard try row.decode(at: first + Column.isLoaded, as: Bool.self) else { return nil }
    place = Place(
      partition: try row.decode(at: first + Column.partition), id: try row.decode(at: first + Column.id), table: table)
    function = try row.decode(at: first + Column.function)
    key = try row.decode(at: first + Column.key)
    eventID = try row.decode(at: first + Column.eventID) ?? "\(place.partition).\(place.id)"
    self.session = session
    if table == .retries {
      attempt = try row.decode(at: first + Column.attempt)
      crashes = try row.decode(at: first + Column.crashes)
      progress = try row.decode(at: first + Column.progress)
      countedFrom = try row.decode(at: first + Column.countedFrom)
    }
    isOfSchedule = row.withUTF8(at: first + Column.type) { $0.elementsEqual(EventType.schedule.utf8) } ?? false
    // A row change that its trigger has not kept because of its size bears a mark in `data`; what else stands there is
    // further members.
    let isTooLarge: Bool = try row.decode(at: first + Column.isTooLarge)
    line = isTooLarge ? [] : Self.line(row, first, id: eventID, attempt: attempt)
  }

  /// The whole CloudEvent with a line end.
  ///
  /// The `data` of a row change is, byte for byte, what a Supabase Database Webhook posts; behind it comes which partition
  /// a row of a partitioned table is in.
  private static func line(_ row: Row, _ first: Int, id: String, attempt: Int) -> [UInt8] {
    var line = EventLine()
    line.text(#"{"specversion":"1.0","id":"#)
    line.quoted(id)
    line.text(#","source":"#)
    if !line.quoted(row, first + Column.source) {
      line.text(#""/postgres/"#)
      line.escaped(row, first + Column.schema)
      line.text("/")
      line.escaped(row, first + Column.table)
      line.text("\"")
    }
    line.text(#","type":"#)
    if !line.quoted(row, first + Column.type) { line.quoted(EventType.row) }
    line.text(#","time":""#)
    line.time(row, first + Column.time)
    line.text("\"")
    line.member(#","partitionkey":"#, row, first + Column.key)
    line.member(#","actorid":"#, row, first + Column.actor)
    line.member(#","traceparent":"#, row, first + Column.traceparent)
    line.member(#","replayedfrom":"#, row, first + Column.replayedFrom)
    if attempt > 0 { line.text(",\"attempt\":\(attempt)") }
    line.member(#","now":"#, row, first + Column.now, isJSON: true)
    line.text(#","data":"#)
    if row.withUTF8(at: first + Column.operation, { _ in true }) == nil {
      line.json(row, first + Column.data)
    } else {
      line.text(#"{"type": "#)
      line.quoted(row, first + Column.operation)
      line.text(#", "table": "#)
      line.quoted(row, first + Column.table)
      line.text(#", "record": "#)
      line.json(row, first + Column.record)
      line.text(#", "schema": "#)
      line.quoted(row, first + Column.schema)
      line.text(#", "old_record": "#)
      line.json(row, first + Column.oldRecord)
      line.members(row, first + Column.data)
      line.text("}")
    }
    line.text("}\n")
    return line.bytes
  }
}

/// JSON text put together from the columns of a row, without a copy of any.
struct EventLine {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(512)
  }

  mutating func text(_ text: StaticString) {
    bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  mutating func text(_ text: String) {
    bytes += text.utf8
  }

  mutating func quoted(_ text: String) {
    var text = text
    text.withUTF8 { quoted($0) }
  }

  /// A column as a string; nothing, and `false`, for NULL.
  @discardableResult
  mutating func quoted(_ row: Row, _ position: Int) -> Bool {
    row.withUTF8(at: position) { quoted($0) } != nil
  }

  /// The inside of a string.
  mutating func escaped(_ row: Row, _ position: Int) {
    row.withUTF8(at: position) { escaped($0) }
  }

  /// A column that is JSON itself; `null` for NULL.
  mutating func json(_ row: Row, _ position: Int) {
    if row.withUTF8(at: position, { bytes += $0 }) == nil { text("null") }
  }

  /// A member with its name; nothing for NULL.
  mutating func member(_ name: StaticString, _ row: Row, _ position: Int, isJSON: Bool = false) {
    row.withUTF8(at: position) { value in
      text(name)
      if isJSON { bytes += value } else { quoted(value) }
    }
  }

  /// The members of a column that is a JSON object with some, behind those that are there; nothing for NULL.
  mutating func members(_ row: Row, _ position: Int) {
    row.withUTF8(at: position) { object in
      text(", ")
      bytes += object.dropFirst().dropLast()
    }
  }

  /// A time in UTC, from PostgreSQL's form `2026-01-02 03:04:05.6+00` to that of RFC 3339.
  mutating func time(_ row: Row, _ position: Int) {
    row.withUTF8(at: position) { time in
      let start = bytes.count
      bytes += time.dropLast(3)
      if bytes.count > start + 10 { bytes[start + 10] = UInt8(ascii: "T") }
      bytes.append(UInt8(ascii: "Z"))
    }
  }

  private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    escaped(text)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
    let isPlain = text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain {
      bytes += text
    } else {
      bytes += RawJSON(String(decoding: text, as: UTF8.self)).bytes.dropFirst().dropLast()
    }
  }
}
