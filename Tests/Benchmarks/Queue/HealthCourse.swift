import Postgres

/// How large the queue's table is at one moment.
struct QueueSize {
  /// Bytes.
  var table = 0.0
  /// Bytes.
  var index = 0.0
  /// Bytes.
  var toast = 0.0
  var deadRows = 0.0

  var total: Double { table + index + toast }

  init(_ database: Connection) async throws {
    let row = try await database.query(
      """
      SELECT pg_relation_size(c.oid)::float8 AS table, pg_indexes_size(c.oid)::float8 AS index,
        coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)::float8 AS toast,
        pg_stat_get_dead_tuples(c.oid)::float8 AS dead
      FROM pg_class AS c WHERE c.oid = 'runner.events'::regclass
      """
    ).only()
    (table, index) = (try row.decode("table"), try row.decode("index"))
    (toast, deadRows) = (try row.decode("toast"), try row.decode("dead"))
  }
}

/// How the queue fared over a time of constant load.
struct HealthCourse {
  /// One for each second.
  let sizes: [QueueSize]
  /// When each event started, in nanoseconds.
  let starts: [Int64]

  func findings(_ name: String, sizeLimits: [Limit]) throws -> [Finding] {
    guard let end = sizes.last, let first = starts.min(), let last = starts.max() else {
      throw BenchmarkError("No event started.")
    }
    let third = (last - first) / 3
    let early = starts.count { $0 < first + third }
    let late = starts.count { $0 >= last - third }
    return [
      Finding(
        what: "\(name): MB of the table and its index at the end, against the middle", ratio: end.total / middle.total,
        value: end.total / 1e6, limits: sizeLimits),
      Finding(what: "\(name): MB of the index alone", value: end.index / 1e6),
      Finding(what: "\(name): MB of TOAST alone", value: end.toast / 1e6),
      Finding(what: "\(name): dead rows at the end", value: end.deadRows),
      Finding(
        what: "\(name): events started in the last third, against the first",
        perSecond: Double(late) / (Double(third) / 1e9), ratio: Double(late) / Double(early),
        limits: [.ratioAtLeast(0.8)]),
    ]
  }

  private var middle: QueueSize { sizes[sizes.count / 2] }
}
