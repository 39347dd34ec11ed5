import FunctionKit
import Postgres

/// The statements of the queue: what has ended is settled and what waits is read in one round trip and one commit.
struct EventStore: Sendable {
  /// How many events one reading brings of each lane.
  static let batch = 500

  let database: Connection
  let owner: String

  /// The lanes that this runner holds, with the epoch under which it holds each.
  typealias Lease = [Int: Int64]

  /// What one reading saw.
  struct Reading: Sendable {
    var events: [QueuedEvent] = []
    /// Every transaction below has ended.
    var xmin: Int64 = 0
    /// No transaction from here on was visible.
    var xmax: Int64 = 0
    /// Seconds until the next retry is due, where one waits.
    var nextRetry: Double?
  }

  /// Takes every lane that nobody holds any more.
  func acquire(holder: Int, lifetime: Int) async throws(PostgresError) -> Lease {
    let rows = try await database.query(
      "SELECT lane, epoch FROM runner.acquire(\(owner)::uuid, \(holder)::int, make_interval(secs => \(lifetime)), 16)")
    var lease: Lease = [:]
    for row in rows { lease[try row.decode("lane")] = try row.decode("epoch", as: Int64.self) }
    return lease
  }

  /// Prolongs what is held; says how many lanes that still is.
  func renew(lifetime: Int) async throws(PostgresError) -> Int {
    try await database.query(
      "SELECT runner.renew(\(owner)::uuid, make_interval(secs => \(lifetime)))::int AS held"
    ).only().decode("held")
  }

  /// Gives everything back, so that another runner need not wait.
  func release() async throws(PostgresError) {
    _ = try await database.query("SELECT runner.release(\(owner)::uuid)")
  }

  /// Settles what has ended and, where `reads` says so, reads what waits: all or nothing.
  ///
  /// - Throws: SQLSTATE `RU001` when a lane has gone to another runner: nothing was settled.
  func turn(
    settling settled: [(QueuedEvent.Place, Settlement)], lease: Lease, cursors: [Int: LaneCursor],
    inFlightRetries: [QueuedEvent.Place], reads: Bool
  ) async throws(PostgresError) -> Reading {
    let lanes = lease.keys.sorted()
    var statements: [SQL] = [
      // A lost commit of this transaction means a second attempt, whose effect is the first one's.
      "SELECT set_config('synchronous_commit', 'off', true)",
      "SELECT runner.fence(\(owner)::uuid, \(lanes)::smallint[], \(lanes.map { lease[$0] ?? 0 })::bigint[])",
    ]
    statements += Self.settlements(settled)
    guard reads else {
      _ = try await database.pipeline(statements)
      return Reading()
    }
    statements.append(Self.reading(lanes, cursors))
    statements.append(Self.dueRetries(lanes, except: inFlightRetries))
    let results = try await database.pipeline(statements)
    return try Self.decode(results[results.count - 2], retries: results[results.count - 1])
  }

  private static func reading(_ lanes: [Int], _ cursors: [Int: LaneCursor]) -> SQL {
    let holes = lanes.flatMap { lane in (cursors[lane]?.holes ?? []).map { (lane: lane, ids: $0.ids) } }
    return """
      SELECT pg_snapshot_xmin(s.snapshot)::text::bigint AS xmin, pg_snapshot_xmax(s.snapshot)::text::bigint AS xmax, \
      \(QueuedEvent.columns)
      FROM (SELECT pg_current_snapshot() AS snapshot) AS s LEFT JOIN (
        SELECT e.* FROM unnest(\(lanes)::smallint[], \(lanes.map { cursors[$0]?.last ?? 0 })::bigint[]) AS c (lane, last)
        CROSS JOIN LATERAL (
          SELECT * FROM runner.events AS e WHERE e.lane = c.lane AND e.id > c.last ORDER BY e.id LIMIT \(batch)
        ) AS e
        UNION ALL
        SELECT e.* FROM unnest(\(holes.map(\.lane))::smallint[], \(holes.map(\.ids.lowerBound))::bigint[], \
      \(holes.map(\.ids.upperBound))::bigint[]) AS h (lane, low, high)
        JOIN runner.events AS e ON e.lane = h.lane AND e.id BETWEEN h.low AND h.high
      ) AS e ON true
      ORDER BY e.id
      """
  }

  private static func dueRetries(_ lanes: [Int], except running: [QueuedEvent.Place]) -> SQL {
    """
    SELECT e.attempt, extract(epoch FROM e.run_at - runner.now())::float8 AS due_in, \(QueuedEvent.columns)
    FROM runner.retries AS e
    WHERE e.lane = ANY (\(lanes)::smallint[]) AND NOT EXISTS (
      SELECT 1 FROM unnest(\(running.map(\.lane))::smallint[], \(running.map(\.id))::bigint[]) AS r (lane, id)
      WHERE r.lane = e.lane AND r.id = e.id)
    ORDER BY e.run_at LIMIT \(batch)
    """
  }

  private static func decode(_ rows: Rows, retries: Rows) throws(PostgresError) -> Reading {
    var reading = Reading()
    for row in rows {
      reading.xmin = try row.decode("xmin")
      reading.xmax = try row.decode("xmax")
      if row["lane"] != nil { reading.events.append(try QueuedEvent(row, table: .events)) }
    }
    for row in retries {
      let dueIn: Double = try row.decode("due_in")
      if dueIn > 0 {
        reading.nextRetry = dueIn
        break
      }
      reading.events.append(try QueuedEvent(row, table: .retries))
    }
    return reading
  }
}
