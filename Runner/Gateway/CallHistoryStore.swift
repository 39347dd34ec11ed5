import FunctionKit
import Postgres

/// The statements that record HTTP calls.
struct CallHistoryStore: Sendable {
  let database: Connection

  /// - Throws: if nothing was written. Whole events that could not be written are left out.
  func write(_ records: [CallRecord]) async throws(PostgresError) {
    _ = try await database.query(Self.history(records))
    try? await writePayloads(records.filter { $0.payload != nil })
  }

  /// A payload that jsonb cannot hold, with U+0000 or too large a number, must not stop the others.
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

  /// The database's time, the same for all columns of a statement.
  ///
  /// Without OFFSET the planner puts the function in place of each `t.now`, and a call could begin after its end.
  private static let instant: SQL = "(SELECT runner.now() AS now OFFSET 0) AS t"

  // Calls end by the runner's clock, but rows have the database's time. So the statement says how long ago it was.
  private static func history(_ records: [CallRecord]) -> SQL {
    let now = ContinuousClock.now
    let calls: SQL = .rows(
      "c",
      [
        "began": "\(records.map { $0.began.duration(to: now) / .seconds(1) })::float8[]",
        "ended": "\(records.map { $0.ended.duration(to: now) / .seconds(1) })::float8[]",
        "event_id": "\(records.map { storable($0.eventID) })::text[]", "function": "\(records.map(\.function))::text[]",
        "code": "\(records.map(\.code))::text[]", "exit_status": "\(records.map(\.exitStatus))::smallint[]",
        "duration_us": "\(records.map { Int($0.duration / .microseconds(1)) })::bigint[]",
        "error": "\(records.map(\.error))::text[]",
      ])
    let insertion: SQL = .insert(
      into: "runner.history",
      [
        "ended_at": "t.now - c.ended * interval '1 second'", "event_id": "c.event_id", "function": "c.function",
        "kind": "'http'", "at": "t.now - c.began * interval '1 second'", "attempt": "0", "code": "c.code",
        "exit_status": "c.exit_status", "duration_us": "c.duration_us", "error": "c.error",
      ])
    return "\(insertion) FROM \(instant), \(calls)"
  }

  private static func payloads(_ records: [CallRecord]) -> SQL {
    let now = ContinuousClock.now
    let calls: SQL = .rows(
      "c",
      [
        "began": "\(records.map { $0.began.duration(to: now) / .seconds(1) })::float8[]",
        "event_id": "\(records.map { storable($0.eventID) })::text[]", "function": "\(records.map(\.function))::text[]",
        "source": "\(records.map(\.source))::text[]", "type": "\(records.map { storable($0.type) })::text[]",
        "data": "\(records.map { $0.payload.map { String(decoding: $0.bytes, as: UTF8.self) } })::text[]",
        "traceparent": "\(records.map { $0.traceparent.map(storable) })::text[]",
      ])
    let insertion: SQL = .insert(
      into: "runner.payloads",
      [
        "event_id": "c.event_id", "function": "c.function", "at": "t.now - c.began * interval '1 second'",
        "source": "c.source", "type": "c.type", "data": "c.data::jsonb", "traceparent": "c.traceparent",
      ])
    return "\(insertion) FROM \(instant), \(calls)"
  }

  /// PostgreSQL's text has no U+0000.
  private static func storable(_ text: String) -> String {
    text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0.value != 0 }) : text
  }
}
