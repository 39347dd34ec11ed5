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

  /// The newest events, and whether everything was looked through for them.
  package struct Newest: Sendable, Equatable {
    package var events: [EventSummary] = []
    /// `false` if there may be older ones that match.
    package var isWhole = true

    package init(events: [EventSummary] = []) {
      self.events = events
    }
  }

  /// The most pages of the history that are looked through.
  package static let mostPages = 20_000
  private static let firstPages = 128

  /// The newest of the matching events.
  ///
  /// Rows are only ever added to the history, so the newest are in the last pages of its newest day.
  ///
  /// - Parameter pages: how much of the history is looked through at most, in pages of PostgreSQL's.
  package func newest(
    _ filter: EventFilter, states: [EventSummary.State], count: Int, lookingThrough pages: Int = mostPages
  ) async throws(PostgresError) -> Newest {
    let (queued, ended) = (states.filter { !$0.isEnded }, states.filter(\.isEnded))
    let branches = queued.map { state in
      let part: SQL? = [.waiting, .running].contains(state) ? Self.lastOfPartitions(filter, count) : nil
      return "(\(select(state, filter, from: part)) ORDER BY e.at DESC LIMIT \(count))" as SQL
    }
    var newest = Newest(events: try await read(branches, count))
    guard !ended.isEmpty else { return newest }
    let (older, isWhole) = try await newestEnded(filter, ended, count, pages)
    newest.events = Array((newest.events + older).sorted { $0.at > $1.at }.prefix(count))
    newest.isWhole = isWhole || newest.events.count == count
    return newest
  }

  // A role that was let in may read the history, and none of its days' tables: so a day is named by its times, for
  // which PostgreSQL reads no other one.
  private func newestEnded(
    _ filter: EventFilter, _ states: [EventSummary.State], _ count: Int, _ most: Int
  ) async throws(PostgresError) -> (events: [EventSummary], isWhole: Bool) {
    let days = try await database.query(
      """
      SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint AS pages,
        CASE WHEN d.day IS NULL THEN format('e.tableoid = %s', c.oid)
          ELSE format('e.recorded_at >= ''%s 00:00Z'' AND e.recorded_at < ''%s 00:00Z''', d.day, d.day + 1) END AS place
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid CROSS JOIN LATERAL (
        SELECT CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END) AS d (day)
      WHERE i.inhparent = 'runner.history'::regclass ORDER BY c.relname DESC
      """)
    var (found, looked): ([EventSummary], Int) = ([], 0)
    for day in days {
      let (place, pages): (String, Int) = (try day.decode("place"), try day.decode("pages"))
      var (end, size) = (pages, Self.firstPages)
      while end > 0 {
        guard looked < most else { return (found, false) }
        let begin = max(0, end - size)
        let range = SQL(unescaped: "\(place) AND e.ctid >= '(\(begin),0)'::tid AND e.ctid < '(\(end),0)'::tid")
        let branches = states.map { state in
          "(\(select(state, filter, from: nil, also: range)) ORDER BY e.at DESC LIMIT \(count))" as SQL
        }
        found += try await read(branches, count)
        if found.count >= count { return (found, true) }
        looked += end - begin
        (end, size) = (begin, size * 8)
      }
    }
    return (found, true)
  }

  /// The last events of each partition, as its index has them.
  private static func lastOfPartitions(_ filter: EventFilter, _ count: Int) -> SQL {
    """
    (SELECT l.* FROM generate_series(0, 255) AS p(number), LATERAL (
      SELECT * FROM runner.events AS e WHERE e.partition = p.number AND \(filter.condition(of: .waiting))
      ORDER BY e.id DESC LIMIT \(count)) AS l)
    """
  }

  private func read(_ branches: [SQL], _ count: Int) async throws(PostgresError) -> [EventSummary] {
    guard let first = branches.first else { return [] }
    let all = branches.dropFirst().reduce(first) { $0 + " UNION ALL " + $1 }
    return try await database.query("SELECT * FROM (\(all)) AS f ORDER BY f.at DESC, f.id DESC LIMIT \(count)")
      .map { row throws(PostgresError) in try EventSummary(row) }
  }

  private func select(
    _ state: EventSummary.State, _ filter: EventFilter, from part: SQL?, also condition: SQL = "true"
  ) -> SQL {
    EventSummary.select(
      state, where: filter.condition(of: state) + " AND " + condition,
      hidingKeysOf: manifest.functions.filter(\.hidesKey).map(\.name), from: part)
  }

  /// The same events, the waiting ones with the failed event that keeps their key.
  ///
  /// - Parameter events: a page of a list: the tables of failed events are read once for all of them.
  package func withBlockers(_ events: [EventSummary]) async throws(PostgresError) -> [EventSummary] {
    let places = events.compactMap { event -> (partition: Int, number: Int64)? in
      guard event.state == .waiting, manifest[event.function]?.onFailure == .block, let partition = event.partition,
        let number = event.number
      else { return nil }
      return (partition, number)
    }
    guard !places.isEmpty else { return events }
    // Keys are compared in the database only, because a key may be a redacted value.
    let tables: [SQL] = ["retries", "dead_letters"]
    let failed = tables.map { table in
      "SELECT e.partition, e.function, e.key, e.id, \(EventID.column) AS blocker FROM runner.\(table) AS e" as SQL
    }
    let rows = try await database.query(
      """
      SELECT DISTINCT ON (e.partition, e.id) e.partition, e.id, f.blocker
      FROM unnest(\(places.map(\.partition))::smallint[], \(places.map(\.number))::bigint[]) AS l(partition, id)
      JOIN runner.events AS e USING (partition, id)
      JOIN (\(failed[0]) UNION ALL \(failed[1])) AS f
        ON f.partition = e.partition AND f.function = e.function AND f.key = e.key
      ORDER BY e.partition, e.id, f.id
      """)
    var blocked = events
    for row in rows {
      let (partition, number): (Int, Int64) = (try row.decode("partition"), try row.decode("id"))
      for index in blocked.indices where events[index].partition == partition && events[index].number == number {
        blocked[index].blocker = try row.decode("blocker")
      }
    }
    return blocked
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
