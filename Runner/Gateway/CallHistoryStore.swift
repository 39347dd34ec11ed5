import FunctionKit
import Postgres

/// The statements that write down calls over HTTP.
struct CallHistoryStore: Sendable {
  let database: Connection

  /// - Throws: where nothing was written. Whole events that could not be written are left out.
  func write(_ records: [CallRecord]) async throws(PostgresError) {
    _ = try await database.query(Self.history(records))
    try? await writePayloads(records.filter { $0.payload != nil })
  }

  /// One payload that jsonb cannot hold, having U+0000 or too large a number, does not cost the others theirs.
  private func writePayloads(_ records: [CallRecord]) async throws(PostgresError) {
    guard !records.isEmpty else { return }
    do {
      _ = try await database.query(Self.payloads(records))
    } catch {
      guard error.isOfData else { throw error }
      guard records.count > 1 else { return }
      let half = records.count / 2
      try await writePayloads(Array(records[..<half]))
      try await writePayloads(Array(records[half...]))
    }
  }

  // Calls end on the runner's clock, rows are stamped with the database's: so it is told how long ago.
  private static func history(_ records: [CallRecord]) -> SQL {
    let now = ContinuousClock.now
    return """
      INSERT INTO runner.history
        (ended_at, event_id, function, kind, at, attempt, code, exit_status, duration_us, error)
      SELECT t.now - c.ended * interval '1 second', c.event_id, c.function, 'http', t.now - c.began * interval '1 second',
        0, c.code, c.exit_status, c.duration_us, c.error
      FROM (SELECT runner.now() AS now) AS t, unnest(
        \(records.map { $0.began.duration(to: now) / .seconds(1) })::float8[],
        \(records.map { $0.ended.duration(to: now) / .seconds(1) })::float8[],
        \(records.map { storable($0.eventID) })::text[], \(records.map(\.function))::text[],
        \(records.map(\.code))::text[], \(records.map(\.exitStatus))::smallint[],
        \(records.map { Int($0.duration / .microseconds(1)) })::bigint[],
        \(records.map { $0.error.map(storable) })::text[])
        AS c (began, ended, event_id, function, code, exit_status, duration_us, error)
      """
  }

  private static func payloads(_ records: [CallRecord]) -> SQL {
    let now = ContinuousClock.now
    return """
      INSERT INTO runner.payloads (event_id, function, at, source, type, data, traceparent)
      SELECT c.event_id, c.function, t.now - c.began * interval '1 second', c.source, c.type, c.data::jsonb, c.traceparent
      FROM (SELECT runner.now() AS now) AS t, unnest(
        \(records.map { $0.began.duration(to: now) / .seconds(1) })::float8[],
        \(records.map { storable($0.eventID) })::text[], \(records.map(\.function))::text[],
        \(records.map(\.source))::text[], \(records.map { storable($0.type) })::text[],
        \(records.map { $0.payload.map { String(decoding: $0.bytes, as: UTF8.self) } })::text[],
        \(records.map { $0.traceparent.map(storable) })::text[])
        AS c (began, event_id, function, source, type, data, traceparent)
      """
  }

  /// PostgreSQL's text has no U+0000.
  private static func storable(_ text: String) -> String {
    text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0.value != 0 }) : text
  }
}
