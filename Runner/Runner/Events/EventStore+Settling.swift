import FunctionKit
import Postgres

extension EventStore {
  /// The statements that move or delete the rows of events that have ended and write down how, one for each way.
  func settlements(_ ended: [EndedAttempt]) -> [SQL] {
    var statements: [SQL] = []
    let first = ended.filter { $0.isPlainSuccess }
    if !first.isEmpty { statements.append(successes(first)) }
    let others = first.count == ended.count ? [] : ended.filter { !$0.isPlainSuccess }
    for table in QueuedEvent.Place.Table.allCases {
      let here = others.filter { $0.place.table == table }
      let done = here.filter { if case .done = $0.settlement { true } else { false } }
      let retries = here.filter { if case .retry = $0.settlement { true } else { false } }
      let dead = here.filter { if case .deadLetter = $0.settlement { true } else { false } }
      if !done.isEmpty { statements.append(settle(done, removal(table), into: kept(from: "gone"))) }
      if !retries.isEmpty {
        statements.append(
          table == .events ? settle(retries, removal(table), into: Self.retry) : settle(retries, Self.postponement))
      }
      if !dead.isEmpty { statements.append(settle(dead, removal(table), into: Self.burial)) }
    }
    return statements
  }

  /// What nearly all events are: done at the first attempt.
  ///
  /// Ids that follow each other are looked up together, at half the cost for the database.
  private func successes(_ ended: [EndedAttempt]) -> SQL {
    let ended = ended.sorted { ($0.place.lane, $0.place.id) < ($1.place.lane, $1.place.id) }
    let ranges = IDRange.covering(ended.map(\.place))
    return """
      WITH gone AS (
        DELETE FROM runner.events AS e
        USING unnest(\(ranges.map(\.lane))::smallint[], \(ranges.map(\.low))::bigint[], \(ranges.map(\.high))::bigint[], \
      \(ranges.map(\.position))::integer[]) AS f (lane, low, high, position)
        WHERE e.lane = f.lane AND e.id BETWEEN f.low AND f.high
        RETURNING \(unescaped: returned),
          (\(ended.map(\.microseconds))::bigint[])[f.position + (e.id - f.low)::integer] AS duration_us
      )\(kept(from: "gone"))
      INSERT INTO runner.history (recorded_at, \(unescaped: Self.historyColumns))
      SELECT (SELECT clock_timestamp()), (SELECT runner.now()), lane, id, event_id, function, key, \
      \(unescaped: Self.kind), at, 0, 'OK', 0, duration_us, NULL
      FROM gone
      """
  }

  /// Any other end: what is done with the row, where it goes, and what is written down.
  private func settle(_ ended: [EndedAttempt], _ change: SQL, into target: SQL = "") -> SQL {
    """
    WITH f AS (
      SELECT * FROM unnest(\(ended.map(\.place.lane))::smallint[], \(ended.map(\.place.id))::bigint[], \
    \(ended.map(\.attempt))::integer[], \(ended.map(\.crashes))::integer[], \(ended.map(\.delay))::float8[], \
    \(ended.map(\.code))::text[], \(ended.map(\.exitStatus))::smallint[], \(ended.map(\.microseconds))::bigint[], \
    \(ended.map(\.error))::text[])
        AS f (lane, id, attempts, crashes, delay, code, exit_status, duration_us, error)
    ), gone AS (
      \(change)
      RETURNING \(unescaped: Self.eventColumns.map { "e.\($0)" }.joined(separator: ", ")), f.attempts, f.crashes,
        f.delay, f.code, f.exit_status, f.duration_us, f.error
    )\(target)
    INSERT INTO runner.history (\(unescaped: Self.historyColumns))
    SELECT (SELECT runner.now()), lane, id, event_id, function, key, \(unescaped: Self.kind), at, attempts, code,
      exit_status, duration_us, error
    FROM gone
    """
  }

  private func removal(_ table: QueuedEvent.Place.Table) -> SQL {
    "DELETE FROM runner.\(unescaped: table.rawValue) AS e USING f WHERE e.lane = f.lane AND e.id = f.id"
  }

  private static let postponement: SQL = """
    UPDATE runner.retries AS e SET attempt = f.attempts + 1, crashes = f.crashes,
      run_at = runner.now() + f.delay * interval '1 second', code = f.code, error = f.error
    FROM f WHERE e.lane = f.lane AND e.id = f.id
    """

  private static let retry: SQL = """
    , moved AS (
      INSERT INTO runner.retries (\(unescaped: eventColumns.joined(separator: ", ")), attempt, crashes, run_at, code, error)
      SELECT \(unescaped: eventColumns.joined(separator: ", ")), attempts + 1, crashes,
        runner.now() + delay * interval '1 second', code, error
      FROM gone
    )
    """

  private static let burial: SQL = """
    , moved AS (
      INSERT INTO runner.dead_letters (\(unescaped: eventColumns.joined(separator: ", ")), attempts, crashes, code, error)
      SELECT \(unescaped: eventColumns.joined(separator: ", ")), attempts + 1, crashes, code, error FROM gone
    )
    """

  /// Keeps the whole events, where that is wanted.
  private func kept(from source: SQL) -> SQL {
    guard history.keepsPayloads else { return "" }
    return """
      , kept AS (
        INSERT INTO runner.payloads (\(unescaped: Self.eventColumns.joined(separator: ", ")))
        SELECT \(unescaped: Self.eventColumns.joined(separator: ", ")) FROM \(source)
      )
      """
  }

  /// The columns of an event that are needed once it is done.
  private var returned: String {
    let columns =
      history.keepsPayloads
      ? Self.eventColumns
      : ["lane", "id", "function", "key", "event_id", "at", "source", "type", "op", "table_schema", "table_name"]
    return columns.map { "e.\($0)" }.joined(separator: ", ")
  }

  /// All that an event's row consists of.
  static let eventColumns = [
    "lane", "id", "function", "key", "event_id", "at", "actor", "traceparent", "source", "type", "op",
    "table_schema", "table_name", "record", "old_record", "data", "replayedfrom",
  ]

  private static let historyColumns = """
    ended_at, lane, id, event_id, function, key, kind, at, attempt, code, exit_status, duration_us, error
    """

  /// What the event was, for people.
  static let kind = """
    coalesce(op || ' ' || table_schema || '.' || table_name,
      CASE type WHEN \(literal(EventType.schedule)) THEN 'schedule' ELSE 'queued' END)
    """
}

extension EndedAttempt {
  fileprivate var isPlainSuccess: Bool {
    if case .done = settlement { place.table == .events } else { false }
  }

  fileprivate var delay: Double {
    if case .retry(let delay) = settlement { delay } else { 0 }
  }
}
