import Postgres

extension EventStore {
  /// How many events one poll brings of each partition, and of each hole.
  static let batch = 300
  /// Larger bodies, in bytes as they are stored, are read alone.
  static let smallBody = 32_768
  /// The most bytes of the backlog that are read at once.
  static let mostBacklogBytes = 4 << 20

  /// What is new in each partition that is still this runner's, and what has come into its holes.
  ///
  /// The answer always has a row, with the snapshot, even if nothing is new. A late event comes whole, whatever its
  /// size. If its function has no room, it comes without its body. From a hole of more than a batch, events of such
  /// functions do not come at all: they would keep others from being read.
  func newEvents(_ partitions: [Int], _ request: PollRequest) -> SQL {
    let holes =
      request.readsHoles
      ? partitions.flatMap { partition in
        (request.cursors[partition]?.holes ?? []).map { (partition: partition, ids: $0.ids) }
      } : []
    let partitions = partitions.filter(request.brings)
    let cursors: SQL = .rows(
      "c",
      [
        "partition": "\(partitions)::smallint[]",
        "last": "\(partitions.map { request.cursors[$0]?.last ?? 0 })::bigint[]",
      ])
    let gaps: SQL = .rows(
      "h",
      [
        "partition": "\(holes.map(\.partition))::smallint[]", "low": "\(holes.map(\.ids.lowerBound))::bigint[]",
        "high": "\(holes.map(\.ids.upperBound))::bigint[]",
      ])
    return """
      SELECT s.xmin, s.own, s.is_notified, e.writer, \(QueuedEvent.columns(isLoaded: "e.is_loaded"))
      FROM \(Self.snapshot) AS s CROSS JOIN \(QueuedEvent.clock) LEFT JOIN (
        SELECT e.*, NULL::bigint AS writer
        FROM \(cursors)
        JOIN runner.leases AS l ON l.partition = c.partition AND l.owner = \(owner)::uuid
        CROSS JOIN LATERAL (
          SELECT *, coalesce(function = ANY (\(request.own as [String]?)::text[]), true) AND function <> ALL (\(request.full)) AND \(Self.size) <= \(unescaped: "\(Self.smallBody)") AS is_loaded
          FROM runner.events AS e WHERE e.partition = c.partition AND e.id > c.last ORDER BY e.id
          LIMIT \(unescaped: "\(Self.batch)")
        ) AS e
        UNION ALL
        SELECT e.*
        FROM \(gaps)
        JOIN runner.leases AS l ON l.partition = h.partition AND l.owner = \(owner)::uuid
        -- Hole by hole, also by a plan from when the queue was empty, to which a walk over all of it seemed as good.
        CROSS JOIN LATERAL (
          SELECT *, coalesce(function = ANY (\(request.own as [String]?)::text[]), true) AND function <> ALL (\(request.crowded)) AS is_loaded, e.xmin::text::bigint AS writer
          FROM runner.events AS e WHERE e.partition = h.partition AND e.id BETWEEN h.low AND h.high
            AND (h.high - h.low < \(unescaped: "\(Self.batch)") OR function <> ALL (\(request.crowded)))
          ORDER BY e.id
          LIMIT \(unescaped: "\(Self.batch)")
        ) AS e
      ) AS e ON true
      """
  }

  /// The statement's snapshot; kept by OFFSET from being taken apart again for each row.
  private static let snapshot: SQL = """
    (SELECT pg_snapshot_xmin(now)::text::bigint AS xmin, pg_current_xact_id_if_assigned()::text::bigint AS own, \
    current_setting('max_prepared_transactions') = '0' AS is_notified \
    FROM pg_current_snapshot() AS now OFFSET 0)
    """

  /// How much a body takes as it is stored.
  private static let size: SQL = """
    coalesce(pg_column_size(e.record), 0) + coalesce(pg_column_size(e.old_record), 0) \
    + coalesce(pg_column_size(e.data), 0)
    """

  /// Events of the backlog, from all ranges at once, each with the number of its range.
  ///
  /// Each range loads bodies until they have ``mostBacklogBytes``, the one that crosses this among them.
  func backlog(_ ranges: [BacklogRange]) -> SQL {
    let wanted: SQL = .rows(
      "r",
      [
        "function": "\(ranges.map(\.function))", "key": "\(ranges.map(\.key))::text[]",
        "partition": "\(ranges.map(\.partition))::smallint[]", "after": "\(ranges.map(\.backlog.after))::bigint[]",
        "through": "\(ranges.map(\.backlog.through))::bigint[]", "most": "\(ranges.map(\.most))::integer[]",
      ], numbered: "range")
    return """
      SELECT e.range, \(QueuedEvent.columns(isLoaded: "e.before < \(unescaped: "\(Self.mostBacklogBytes)")"))
      FROM \(QueuedEvent.clock), \(wanted)
      JOIN runner.leases AS l ON l.partition = r.partition AND l.owner = \(owner)::uuid
      CROSS JOIN LATERAL (
        SELECT e.*, r.range, coalesce(sum(\(Self.size)) OVER (
          ORDER BY e.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM (
          SELECT * FROM runner.events AS e
          WHERE e.partition = r.partition AND e.id > r.after AND e.id <= r.through AND e.function = r.function
            AND (r.key IS NULL OR e.key = r.key)
          ORDER BY e.id LIMIT r.most
        ) AS e
      ) AS e
      """
  }

  /// The oldest transaction that has drawn an id of each partition and has not ended, where there is one.
  ///
  /// A transaction that draws from a sequence holds a lock on it to its end, and gives it up only after its rows can be
  /// seen. So a hole need not wait for a transaction that has nothing to do with its partition, however long it runs.
  static func openAllocators(_ partitions: [Int]) -> SQL {
    """
    SELECT s.partition, min(coalesce(
      x.xmax + ((t.transactionid::text::bigint - x.xmax % 4294967296 + 2147483648 + 4294967296) % 4294967296)
        - 2147483648, 0))
    FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax) AS x,
      (SELECT p AS partition, format('runner.partition_%s', p)::regclass AS sequence
      FROM unnest(\(partitions)::smallint[]) AS p) AS s
      JOIN pg_locks AS l ON l.locktype = 'relation' AND l.relation = s.sequence AND l.mode = 'RowExclusiveLock'
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      LEFT JOIN pg_locks AS t ON t.virtualtransaction = l.virtualtransaction AND t.locktype = 'transactionid'
        AND t.mode = 'ExclusiveLock' AND t.granted
    GROUP BY s.partition
    """
  }

  /// Failed events whose time has come, and the first whose time has not.
  func dueRetries(_ partitions: [Int], _ functions: [String], except running: [QueuedEvent.Place]) -> SQL {
    """
    SELECT extract(epoch FROM e.run_at - runner.now())::float8, \
    \(QueuedEvent.columns(
      isLoaded: "e.run_at <= runner.now()", attempt: "e.attempt", crashes: "e.crashes", progress: "e.progress, e.counted_from"))
    FROM \(QueuedEvent.clock), (
      SELECT * FROM runner.retries AS e
      WHERE e.partition = ANY (\(partitions)::smallint[]) AND e.partition IN (
        SELECT l.partition FROM runner.leases AS l WHERE l.owner = \(owner)::uuid)
        AND e.function = ANY (\(functions)) AND (e.partition, e.id) NOT IN (
        SELECT * FROM unnest(\(running.map(\.partition))::smallint[], \(running.map(\.id))::bigint[]))
      ORDER BY e.run_at LIMIT \(unescaped: "\(Self.batch)")
    ) AS e
    ORDER BY e.run_at
    """
  }
}
