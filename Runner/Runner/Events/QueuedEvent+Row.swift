import FunctionKit
import Postgres

extension QueuedEvent {
  /// The columns that ``init(_:table:)`` reads, of a table or subquery `e`, where `isLoaded` says whether with the body.
  ///
  /// The line is written by PostgreSQL: for a row change its `data` is, byte for byte, what a Supabase Database Webhook
  /// posts. `clock` is the virtual one's stamp, see ``clock``.
  static func columns(isLoaded: SQL, attempt: SQL = "0", crashes: SQL = "0") -> SQL {
    """
    e.lane, e.id, e.function, e.key, coalesce(e.event_id, e.lane || '.' || e.id) AS event_id, \(attempt) AS attempt, \
    \(crashes) AS crashes, CASE WHEN NOT (\(isLoaded)) THEN NULL WHEN \(isTooLarge) THEN '' ELSE concat(
      '{"specversion":"1.0","id":', to_json(coalesce(e.event_id, e.lane || '.' || e.id)),
      ',"source":', to_json(coalesce(e.source, '/postgres/' || e.table_schema || '/' || e.table_name)),
      ',"type":', to_json(coalesce(e.type, \(unescaped: literal(EventType.row)))), ',"time":', to_json(e.at),
      ',"partitionkey":' || to_json(e.key), ',"actorid":' || to_json(e.actor),
      ',"traceparent":' || to_json(e.traceparent), ',"attempt":' || nullif(\(attempt), 0), ',"now":' || clock.stamp,
      ',"data":', CASE WHEN e.op IS NULL THEN coalesce(e.data::text, 'null') ELSE concat(
        '{"type": "', e.op, '", "table": ', to_json(e.table_name), ', "record": ', coalesce(e.record::text, 'null'),
        ', "schema": ', to_json(e.table_schema), ', "old_record": ', coalesce(e.old_record::text, 'null'), '}') END,
      '}') END AS line
    """
  }

  /// Joined to a query of ``columns(isLoaded:attempt:crashes:)``: the time that functions are told while the clock is a
  /// virtual one.
  static let clock: SQL = """
    (SELECT CASE WHEN "offset" <> '0' THEN to_json(runner.now()) END AS stamp FROM runner.clock) AS clock
    """

  /// A row change that its trigger has not kept because of its size bears a mark in `data`.
  private static let isTooLarge: SQL = "e.op IS NOT NULL AND e.data IS NOT NULL"

  /// How many columns ``columns(isLoaded:attempt:crashes:)`` are.
  static let columnCount = 8

  /// Reads a row in which the columns begin at a position; `nil` where its body was left out.
  init?(_ row: Row, at first: Int = 0, table: Place.Table) throws(PostgresError) {
    var line: [UInt8]?
    line = row.withUTF8(at: first + 7) { text in
      text.isEmpty
        ? []
        : Array(unsafeUninitializedCapacity: text.count + 1) { buffer, count in
          _ = buffer.initialize(from: text)
          buffer[text.count] = 0x0A
          count = text.count + 1
        }
    }
    guard let line else { return nil }
    self.line = line
    place = Place(lane: try row.decode(at: first), id: try row.decode(at: first + 1), table: table)
    function = try row.decode(at: first + 2)
    key = try row.decode(at: first + 3)
    eventID = try row.decode(at: first + 4)
    attempt = try row.decode(at: first + 5)
    crashes = try row.decode(at: first + 6)
  }
}
