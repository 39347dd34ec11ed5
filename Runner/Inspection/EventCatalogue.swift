package import Documents
import FoundationEssentials
package import FunctionKit
package import Manifest
package import Postgres
import Queue

/// Reads events wherever they are: waiting, retrying, dead or ended.
package struct EventCatalogue {
  package let database: Connection
  package let manifest: Manifest

  package init(database: Connection, manifest: Manifest) {
    (self.database, self.manifest) = (database, manifest)
  }

  /// The matching events, the newest first.
  package func list(_ filter: EventFilter, states: [EventSummary.State], count: Int) async throws -> [EventSummary] {
    let branches = states.map { state in
      "(\(select(state, filter)) ORDER BY e.at DESC LIMIT \(count))" as SQL
    }
    guard let first = branches.first else { return [] }
    let all = branches.dropFirst().reduce(first) { $0 + " UNION ALL " + $1 }
    return try await database.query("SELECT * FROM (\(all)) AS f ORDER BY f.at DESC, f.id DESC LIMIT \(count)")
      .map { row throws(PostgresError) in try EventSummary(row) }
  }

  /// Finds an event; `nil` if there is none.
  ///
  /// - Throws: ``FunctionError/Code/usage`` if events of several functions have the id and `function` is `nil`.
  package func find(_ id: EventID, function: String?) async throws -> EventSummary? {
    var filter = EventFilter()
    filter.function = function
    let queued: [EventSummary.State] = [.waiting, .retrying, .dead]
    // Only reading the whole queue finds an id that an event came with: that is done last where there is another way.
    var rounds: [(EventID, [EventSummary.State])] = [(id.onlyPlace ?? id, queued), (id, [.done, .failed])]
    if id.place != nil { rounds.append((id, queued)) }
    for (id, states) in rounds {
      filter.ids = [id]
      let found = try await list(filter, states: states, count: 100)
      let functions = Set(found.map(\.function)).sorted()
      guard functions.count < 2 else {
        throw FunctionError(
          .usage, "Events of \(functions.joined(separator: ", ")) have the id \(id.text); say --function NAME.")
      }
      if let event = found.max(by: { $0.endedAt ?? $0.at < $1.endedAt ?? $1.at }) { return event }
    }
    return nil
  }

  /// Finds an event.
  ///
  /// - Throws: also ``FunctionError/Code/noInput`` if there is none.
  package func get(_ id: EventID, function: String?) async throws -> EventSummary {
    guard let event = try await find(id, function: function) else {
      throw FunctionError(.noInput, "There is no event \(id.text); runner why \(id.text) may say more.")
    }
    return event
  }

  /// The attempts that have ended, in order.
  package func attempts(of event: EventSummary) async throws -> [EventAttempt] {
    try await database.query(
      """
      SELECT e.ended_at, e.code, e.exit_status, e.duration_us / 1000.0 AS milliseconds, e.error FROM runner.history AS e
      WHERE \(EventID(event.id).condition) AND e.function = \(event.function) ORDER BY e.recorded_at
      """
    ).map { row throws(PostgresError) in
      EventAttempt(
        endedAt: try row.decode("ended_at"), code: try row.decode("code"), exit: try row.optional("exit_status"),
        milliseconds: try row.decode("milliseconds"), error: try row.optional("error"))
    }
  }

  /// The whole CloudEvent with redacted members null; `nil` if it is no longer kept.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if `functions.json` does not say what to redact.
  package func document(of event: EventSummary) async throws -> RawJSON? {
    guard let entry = manifest[event.function] else {
      throw FunctionError(
        .misconfigured, "functions.json has no function \(event.function), so nobody knows what to redact.")
    }
    let rows = try await database.query(
      """
      SELECT \(QueuedEvent.columns(isLoaded: "true")) FROM (
        SELECT coalesce(e.partition, 0) AS partition, coalesce(e.id, 0) AS id, e.event_id, e.function, e.at, e.actor,
          e.traceparent, CASE WHEN \(!entry.hidesKey) THEN e.key END AS key, e.replayedfrom, e.source, e.type, e.op, e.table_schema,
          e.table_name, runner.redact(e.record, \(entry.redact)) AS record,
          runner.redact(e.old_record, \(entry.redact)) AS old_record, runner.redact(e.data, \(entry.redact)) AS data
        FROM runner.\(unescaped: event.state.table) AS e
        WHERE \(EventID(event.id).condition) AND e.function = \(event.function) ORDER BY e.at DESC LIMIT 1
      ) AS e, (SELECT NULL::text AS stamp) AS clock
      """)
    guard let row = rows.first, let line = try QueuedEvent.line(of: row), !line.isEmpty else { return nil }
    return RawJSON(trusting: line.dropLast())
  }

  private func select(_ state: EventSummary.State, _ filter: EventFilter) -> SQL {
    EventSummary.select(
      state, where: filter.condition(of: state),
      hidingKeysOf: manifest.functions.filter(\.hidesKey).map(\.name))
  }
}

extension EventSummary.State {
  /// The table that keeps whole events of this state.
  fileprivate var table: String {
    switch self {
    case .waiting, .running: "events"
    case .retrying: "retries"
    case .dead: "dead_letters"
    case .done, .failed: "payloads"
    }
  }
}

extension FunctionEntry {
  /// Whether its key is a redacted value.
  package var hidesKey: Bool { key.map(redact.contains) ?? false }
}
