import Postgres

extension EventStore {
  /// The statements that move or delete the rows of events that have ended, one for each way of ending.
  static func settlements(_ settled: [(QueuedEvent.Place, Settlement)]) -> [SQL] {
    var statements: [SQL] = []
    for table in [QueuedEvent.Place.Table.events, .retries] {
      let ours = settled.filter { $0.0.table == table }
      let done = ours.compactMap { if case .done = $0.1 { $0.0 } else { nil } }
      if !done.isEmpty { statements.append("\(deletion(table, done))") }
      let retries = ours.compactMap { Retry($0.0, $0.1) }
      if !retries.isEmpty { statements.append(table == .events ? retry(retries) : retryAgain(retries)) }
      let dead = ours.compactMap { DeadLetter($0.0, $0.1) }
      if !dead.isEmpty { statements.append(bury(table, dead)) }
    }
    return statements
  }

  private struct Retry {
    let place: QueuedEvent.Place
    let attempt: Int
    let delay: Double
    let code: String
    let error: String

    init?(_ place: QueuedEvent.Place, _ settlement: Settlement) {
      guard case .retry(let attempt, let delay, let code, let error) = settlement else { return nil }
      (self.place, self.attempt, self.delay, self.code, self.error) = (place, attempt, delay, code, error)
    }
  }

  private struct DeadLetter {
    let place: QueuedEvent.Place
    let attempts: Int
    let code: String
    let error: String

    init?(_ place: QueuedEvent.Place, _ settlement: Settlement) {
      guard case .deadLetter(let attempts, let code, let error) = settlement else { return nil }
      (self.place, self.attempts, self.code, self.error) = (place, attempts, code, error)
    }
  }

  private static func deletion(_ table: QueuedEvent.Place.Table, _ places: [QueuedEvent.Place]) -> SQL {
    """
    DELETE FROM runner.\(unescaped: table.rawValue) AS e
    USING unnest(\(places.map(\.lane))::smallint[], \(places.map(\.id))::bigint[]) AS d (lane, id)
    WHERE e.lane = d.lane AND e.id = d.id
    """
  }

  private static func retry(_ retries: [Retry]) -> SQL {
    """
    WITH f AS (\(failures(retries))), gone AS (
      DELETE FROM runner.events AS e USING f WHERE e.lane = f.lane AND e.id = f.id RETURNING e.*
    )
    INSERT INTO runner.retries (\(unescaped: eventColumns.joined(separator: ", ")), attempt, run_at, code, error)
    SELECT gone.*, f.attempt, runner.now() + f.delay * interval '1 second', f.code, f.error
    FROM gone JOIN f USING (lane, id)
    """
  }

  private static func retryAgain(_ retries: [Retry]) -> SQL {
    """
    UPDATE runner.retries AS e SET attempt = f.attempt, run_at = runner.now() + f.delay * interval '1 second',
      code = f.code, error = f.error
    FROM (\(failures(retries))) AS f WHERE e.lane = f.lane AND e.id = f.id
    """
  }

  private static func failures(_ retries: [Retry]) -> SQL {
    """
    SELECT * FROM unnest(\(retries.map(\.place.lane))::smallint[], \(retries.map(\.place.id))::bigint[], \
    \(retries.map(\.attempt))::integer[], \(retries.map(\.delay))::float8[], \(retries.map(\.code))::text[], \
    \(retries.map(\.error))::text[]) AS f (lane, id, attempt, delay, code, error)
    """
  }

  private static func bury(_ table: QueuedEvent.Place.Table, _ dead: [DeadLetter]) -> SQL {
    """
    WITH f AS (
      SELECT * FROM unnest(\(dead.map(\.place.lane))::smallint[], \(dead.map(\.place.id))::bigint[], \
    \(dead.map(\.attempts))::integer[], \(dead.map(\.code))::text[], \(dead.map(\.error))::text[])
        AS f (lane, id, attempts, code, error)
    ), gone AS (
      DELETE FROM runner.\(unescaped: table.rawValue) AS e USING f WHERE e.lane = f.lane AND e.id = f.id
      RETURNING \(unescaped: eventColumns.map { "e.\($0)" }.joined(separator: ", "))
    )
    INSERT INTO runner.dead_letters (\(unescaped: eventColumns.joined(separator: ", ")), attempts, code, error)
    SELECT gone.*, f.attempts, f.code, f.error FROM gone JOIN f USING (lane, id)
    """
  }

  private static let eventColumns = [
    "lane", "id", "function", "key", "event_id", "at", "actor", "traceparent", "source", "type", "op",
    "table_schema", "table_name", "record", "old_record", "data",
  ]
}
