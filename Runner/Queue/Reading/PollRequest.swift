import Capture
import Postgres

/// The work of one poll: it settles and reads, in one round trip and one commit.
struct PollRequest: Sendable {
  var lease: EventStore.Lease
  /// The only session of the database in which it may be carried out; `nil` for any.
  var session: Int?
  var ended: [EndedAttempt] = []
  /// The partitions to read, with how far each has been read; empty where nothing is read.
  var cursors: [Int: PartitionCursor] = [:]
  /// Whether what is new is read as well, or only the backlog.
  var readsNew = true
  /// Whether the cursors' holes are looked into.
  var readsHoles = true
  /// The partitions from which the poll takes nothing, because it does not look into their holes.
  var withheld: Set<Int> = []
  /// Whether the poll must have a transaction number, assigned before it reads.
  var needsNumber = false
  /// The runner's functions: events of others are passed by; `nil` for all.
  var own: [String]?
  /// Functions whose new events are only counted, because there is no room for them.
  var full: [String] = []
  /// Functions that have no room for late events either; their events are not even read from a hole of more than a batch.
  var crowded: [String] = []
  /// The ranges of the backlog that are read.
  var backlog: [BacklogRange] = []
  /// Functions whose failed events may be tried again.
  var retried: [String] = []
  var retrying: [QueuedEvent.Place] = []
  /// Whether to find out which transactions can still fill holes.
  var asksForAllocators = false
  var gate = NotifyGate.Request()

  /// Whether the poll takes events from a partition.
  func brings(_ partition: Int) -> Bool { cursors[partition] != nil && !withheld.contains(partition) }
}

// How far it has read.
extension PollRequest {
  /// Leaves out of its answer what stands above the end of a reading that has left the rest of a hole: that comes first.
  ///
  /// - Returns: these ends, by partition.
  func cut(_ answer: inout PollAnswer) -> [Int: Int64] {
    let late = Dictionary(grouping: answer.newEvents.prefix { $0.isLate }.map(\.place), by: \.partition)
    var ends: [Int: Int64] = [:]
    for (partition, places) in late {
      ends[partition] = cursors[partition]?.end(ofReading: places.map(\.id), most: EventStore.batch)
    }
    guard !ends.isEmpty else { return [:] }
    answer.newEvents.removeAll { new in ends[new.place.partition].map { new.place.id > $0 } ?? false }
    return ends
  }

  /// The ids in holes that were not read, by partition.
  ///
  /// These are the ids above the end of a reading. In a hole of more than a batch, they are also the ids below it: the
  /// reading leaves out the events of functions without room.
  func unread(above ends: [Int: Int64]) -> [Int: [ClosedRange<Int64>]] {
    var unread = ends.mapValues { [$0 + 1...Int64.max] }
    guard !crowded.isEmpty else { return unread }
    for (partition, cursor) in cursors {
      let end = ends[partition] ?? .max
      for hole in cursor.holes where hole.exceeds(EventStore.batch) && hole.ids.lowerBound <= end {
        unread[partition, default: []].append(hole.ids.lowerBound...min(hole.ids.upperBound, end))
      }
    }
    return unread
  }
}

/// Ids of one function, or of one of its keys, whose events were left in the database.
struct BacklogRange: Sendable {
  var function: String
  var key: String?
  var partition: Int
  var backlog: Backlog
  /// How many events are read at most.
  var most: Int
}

/// A statement of a poll, with what its rows say: the poll's answer is read from the list that was asked.
struct PollStatement: Sendable {
  enum Content: Equatable, Sendable {
    case nothing
    /// The partitions whose locks were taken.
    case locked
    /// The oldest open transaction of each partition that has drawn an id.
    case openAllocators
    case newEvents
    case backlog
    case retries
  }

  let sql: SQL
  let content: Content

  init(_ sql: SQL, says content: Content = .nothing) {
    (self.sql, self.content) = (sql, content)
  }
}

extension EventStore {
  /// Settles what has ended and reads what waits: all or nothing.
  ///
  /// - Throws: SQLSTATE `RU001` when a partition has gone to another runner, ``PostgresError/Code/otherSession`` when the
  ///   session was lost: nothing was settled.
  func poll(_ request: PollRequest) async throws(PostgresError) -> PollReply {
    let statements = statements(request)
    let (rows, session) = try await database.pipeline(statements.map(\.sql), in: request.session)
    return PollReply(request: request, contents: statements.map(\.content), rows: rows, session: session)
  }

  private func statements(_ request: PollRequest) -> [PollStatement] {
    var statements = settling(request)
    if request.needsNumber { statements.append(PollStatement("SELECT pg_current_xact_id()")) }
    statements += request.gate.statements
    guard !request.cursors.isEmpty else { return statements }
    let partitions = request.cursors.keys.sorted()
    if request.readsNew {
      if request.asksForAllocators {
        statements.append(PollStatement(Self.openAllocators(partitions), says: .openAllocators))
      }
      statements.append(PollStatement(newEvents(partitions, request), says: .newEvents))
    }
    if !request.backlog.isEmpty { statements.append(PollStatement(backlog(request.backlog), says: .backlog)) }
    if !request.retried.isEmpty {
      let due = dueRetries(partitions, request.retried, except: request.retrying)
      statements.append(PollStatement(due, says: .retries))
    }
    return statements
  }

  private func settling(_ request: PollRequest) -> [PollStatement] {
    guard !request.ended.isEmpty else { return [] }
    let partitions = request.lease.keys.sorted()
    let fence: SQL = """
      SELECT runner.fence(\(owner)::uuid, \(partitions)::smallint[], \
      \(partitions.map { request.lease[$0] ?? 0 })::bigint[])
      """
    return
      (["SELECT set_config('synchronous_commit', 'off', true)", fence]
      + settlements(request.ended, in: request.session)).map { PollStatement($0) }
  }
}

extension NotifyGate.Request {
  var statements: [PollStatement] {
    // Before anything is read: a transaction that found a lock free is then one that the snapshot knows.
    (releases ? [PollStatement("SELECT pg_advisory_unlock_all()")] : [])
      + (takes.isEmpty
        ? []
        : [
          PollStatement(
            "SELECT p FROM unnest(\(takes)::int[]) AS p WHERE pg_try_advisory_lock(\(AdvisoryLock.sleep), p)",
            says: .locked)
        ])
  }
}

extension EventStore {
  /// How many events one poll brings of each partition, and of each hole.
  static let batch = 300
  /// Larger bodies, in bytes as they are stored, are read alone.
  static let smallBody = 32_768
  /// The most bytes of the backlog that are read at once.
  static let mostBacklogBytes = 4 << 20

  /// The events that are new in each partition that is still this runner's, and those that have come into its holes.
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
