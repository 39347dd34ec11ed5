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
      if !done.isEmpty { statements.append(settle(done, removal(of: done, table), into: kept(from: "gone"))) }
      if !retries.isEmpty {
        statements.append(
          table == .events
            ? settle(retries, removal(of: retries, table), into: Self.retry) : settle(retries, Self.postponement))
      }
      if !dead.isEmpty { statements.append(settle(dead, removal(of: dead, table), into: Self.burial)) }
    }
    return statements
  }

  /// What nearly all events are: done at the first attempt.
  ///
  /// Ids that follow each other are looked up together, at half the cost for the database.
  private func successes(_ ended: [EndedAttempt]) -> SQL {
    """
    WITH gone AS MATERIALIZED (SELECT (event).*, duration_us FROM \(removed(ended)))\(kept(from: "gone"))
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
    )\(target)
    INSERT INTO runner.history (\(unescaped: Self.historyColumns))
    SELECT (SELECT runner.now()), lane, id, event_id, function, key, \(unescaped: Self.kind), at, attempts, code,
      exit_status, duration_us, error
    FROM gone
    """
  }

  /// The rows, taken out of their table, and how they have ended.
  private func removal(of ended: [EndedAttempt], _ table: QueuedEvent.Place.Table) -> SQL {
    switch table {
    case .events:
      """
      SELECT \(Self.settled)
      FROM (SELECT (event).* FROM \(removed(ended))) AS e JOIN f ON f.lane = e.lane AND f.id = e.id
      """
    case .retries:
      """
      DELETE FROM runner.retries AS e USING f WHERE e.lane = f.lane AND e.id = f.id RETURNING \(Self.settled)
      """
    }
  }

  private func removed(_ ended: [EndedAttempt]) -> SQL {
    let ended = ended.sorted { ($0.place.lane, $0.place.id) < ($1.place.lane, $1.place.id) }
    let ranges = IDRange.covering(ended.map(\.place))
    return """
      runner.remove(\(ranges.map(\.lane))::smallint[], \(ranges.map(\.low))::bigint[], \(ranges.map(\.high))::bigint[], \
      \(ranges.map(\.position))::integer[], \(ended.map(\.microseconds))::bigint[])
      """
  }

  private static let settled = SQL(
    unescaped: (eventColumns.map { "e.\($0)" } + [
      "f.attempts", "f.crashes", "f.delay", "f.code", "f.exit_status", "f.duration_us", "f.error",
    ]).joined(separator: ", "))

  private static let postponement: SQL = """
    UPDATE runner.retries AS e SET attempt = f.attempts + 1, crashes = f.crashes,
      run_at = runner.now() + f.delay * interval '1 second', code = f.code, error = f.error
    FROM f WHERE e.lane = f.lane AND e.id = f.id
    RETURNING \(settled)
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
