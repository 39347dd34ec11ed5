import FunctionKit
import Postgres

extension QueuedEvent {
  /// The columns that ``init(_:table:)`` reads, of a table or subquery `e`.
  static let columns: SQL = """
    e.lane, e.id, e.function, e.key, coalesce(e.event_id, e.lane || '.' || e.id) AS event_id,
    to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, e.actor, e.traceparent,
    coalesce(e.source, '/postgres/' || e.table_schema || '/' || e.table_name) AS source,
    coalesce(e.type, \(unescaped: literal(EventType.row))) AS type,
    CASE WHEN e.op IS NULL THEN e.data ELSE jsonb_build_object('type', e.op, 'table', e.table_name,
      'record', e.record, 'schema', e.table_schema, 'old_record', e.old_record) END::text AS data
    """

  /// Reads a row.
  ///
  /// The body is written by PostgreSQL: for a row change it is what a Supabase Database Webhook posts.
  init(_ row: Row, table: Place.Table) throws(PostgresError) {
    place = Place(lane: try row.decode("lane"), id: try row.decode("id"), table: table)
    function = try row.decode("function")
    key = try row.optional("key")
    attempt = table == .retries ? try row.decode("attempt") : 0
    eventID = try row.decode("event_id")
    var extensions: [(String, RawJSON)] = [("time", RawJSON(try row.decode("at", as: String.self)))]
    if let key { extensions.append(("partitionkey", RawJSON(key))) }
    if let actor = row["actor"] { extensions.append(("actorid", RawJSON(actor))) }
    if let traceparent = row["traceparent"] { extensions.append(("traceparent", RawJSON(traceparent))) }
    if attempt > 0 { extensions.append(("attempt", RawJSON(attempt))) }
    let data = row.withUTF8(of: "data") { RawJSON(trusting: Array($0)) } ?? .null
    let envelope = Envelope(
      id: eventID, source: try row.decode("source"), type: try row.decode("type"), extensions: extensions, data: data)
    line = Array(envelope.document.bytes) + [0x0A]
  }
}
