import Postgres

/// The runner of 1.0, as far as its database sees it.
///
/// These are the statements of that version, and stay as they are: a later version migrates beside a runner that sends
/// them, unless one of its migrations says that it must not.
struct ReleasedRunner: Sendable {
  private let events: Connection
  /// Its session shows that this runner lives.
  private let life: Connection
  private let holder: Int
  private let owner = "10000000-0000-4000-8000-000000000001"

  init(_ url: String) async throws {
    events = Connection(
      url: url, applicationName: "runner events", statementTimeout: .seconds(8), idleInTransactionTimeout: .seconds(10),
      parameters: [
        ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("enable_bitmapscan", "off"),
        ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("max_parallel_workers_per_gather", "0"),
        ("jit", "off"),
      ])
    life = Connection(url: url, applicationName: "runner")
    holder = try await life.query("SELECT nextval('runner.holders')::int AS holder").only().decode("holder")
    _ = try await life.query("SELECT pg_try_advisory_lock(7265827, \(holder)::int)")
  }

  /// Says that it lives, reads what waits, and settles it: each tenth event fails and is to be tried again.
  ///
  /// - Returns: how many events it has settled, and how many partitions it holds under which epochs.
  func turn() async throws -> (settled: Int, lease: [Int: Int64]) {
    let held = try await events.query(
      """
      SELECT partition, epoch, share, elsewhere, clock_timestamp() AS time FROM runner.hold(\(owner)::uuid, \(holder)::int,
        'the runner of 1.0', make_interval(secs => 20), '', '{}'::text[])
      """)
    var lease: [Int: Int64] = [:]
    for row in held {
      guard let partition: Int = try row.optional("partition") else { continue }
      lease[partition] = try row.decode("epoch", as: Int64.self)
    }
    let partitions = lease.keys.sorted()
    let rows = try await events.query(
      """
      SELECT e.partition, e.id FROM runner.events AS e WHERE e.partition = ANY (\(partitions)::smallint[])
      ORDER BY e.partition, e.id LIMIT 200
      """)
    var (done, failed): ([(Int, Int64)], [(Int, Int64)]) = ([], [])
    for row in rows {
      let place: (Int, Int64) = (try row.decode("partition"), try row.decode("id"))
      if place.1 % 10 == 0 { failed.append(place) } else { done.append(place) }
    }
    guard !rows.isEmpty else { return (0, lease) }
    try await events.transaction { transaction in
      _ = try await transaction.query("SELECT set_config('synchronous_commit', 'off', true)")
      _ = try await transaction.query(
        """
        SELECT runner.fence(\(owner)::uuid, \(partitions)::smallint[], \
        \(partitions.map { lease[$0] ?? 0 })::bigint[])
        """)
      if !done.isEmpty { _ = try await transaction.query(Self.successes(done)) }
      if !failed.isEmpty { _ = try await transaction.query(Self.failures(failed)) }
    }
    return (rows.count, lease)
  }

  /// Gives its partitions back.
  func leave() async throws {
    _ = try await events.query("SELECT runner.release(\(owner)::uuid)")
    await life.close()
    await events.close()
  }

  private static let columns = """
    partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record,
    old_record, data, replayedfrom
    """
  private static let historyColumns = """
    ended_at, partition, id, event_id, function, key, kind, at, attempt, code, exit_status, duration_us, error
    """
  private static let kind = """
    coalesce(op || ' ' || table_schema || '.' || table_name, CASE type WHEN 'schedule' THEN 'schedule' ELSE 'queued' END)
    """

  private static func removed(_ places: [(Int, Int64)]) -> SQL {
    """
    runner.remove(\(places.map(\.0))::smallint[], \(places.map(\.1))::bigint[], \(places.map(\.1))::bigint[], \
    \(Array(1...places.count))::integer[], \(places.map { _ in 1000 })::bigint[])
    """
  }

  private static func successes(_ places: [(Int, Int64)]) -> SQL {
    """
    WITH gone AS MATERIALIZED (SELECT (event).*, duration_us FROM \(removed(places))), kept AS (
      INSERT INTO runner.payloads (\(unescaped: columns)) SELECT \(unescaped: columns) FROM gone
    )
    INSERT INTO runner.history (recorded_at, \(unescaped: historyColumns))
    SELECT (SELECT clock_timestamp()), (SELECT runner.now()), partition, id, event_id, function, key, \
    \(unescaped: kind), at, 0, 'OK', 0, duration_us, NULL
    FROM gone
    """
  }

  private static func failures(_ places: [(Int, Int64)]) -> SQL {
    """
    WITH gone AS MATERIALIZED (SELECT (event).*, duration_us FROM \(removed(places))), moved AS (
      INSERT INTO runner.retries (\(unescaped: columns), attempt, crashes, progress, counted_from, run_at, code, error)
      SELECT \(unescaped: columns), 1, 0, 0, 0, runner.now() + 3600 * interval '1 second', 'UNAVAILABLE', 'later' FROM gone
    )
    INSERT INTO runner.history (\(unescaped: historyColumns))
    SELECT (SELECT runner.now()), partition, id, event_id, function, key, \(unescaped: kind), at, 0, 'UNAVAILABLE', 69, \
    duration_us, 'later'
    FROM gone
    """
  }
}
