import Postgres

/// The backlog of events while no runner is up, and how it drains.
struct Backlog {
  let count: Int
  private let database: Connection
  /// The last event of each partition.
  private let partitions: [Int]
  private let last: [Int64]

  init(_ database: Connection) async throws {
    self.database = database
    let rows = try await database.query(
      "SELECT partition, max(id) AS last, count(*) AS events FROM runner.events GROUP BY 1")
    (partitions, last) = (try rows.decode("partition"), try rows.decode("last"))
    count = try rows.decode("events", as: Int.self).reduce(0, +)
  }

  /// Waits until a runner has taken a partition and then until all events are gone: the time between, true to 10 ms.
  func drained(within limit: Duration) async throws -> Duration {
    let deadline = ContinuousClock.now + limit
    try await wait(until: deadline, "SELECT bool_or(owner IS NOT NULL) AS is_so FROM runner.leases")
    let start = ContinuousClock.now
    // Looking only for the last ones costs almost nothing; counting the rest would slow the drain down.
    try await wait(
      until: deadline,
      """
      SELECT NOT EXISTS (
        SELECT FROM runner.events JOIN unnest(\(partitions)::smallint[], \(last)::bigint[]) AS l (partition, id)
          USING (partition, id)
      ) AS is_so
      """)
    try await wait(until: deadline, "SELECT NOT EXISTS (SELECT FROM runner.events) AS is_so")
    return .now - start
  }

  /// Throws unless every event has ended well, once.
  func verify() async throws {
    let row = try await database.query(
      """
      SELECT (SELECT count(*) FROM runner.retries) + (SELECT count(*) FROM runner.dead_letters) AS failed,
        (SELECT count(*) FROM runner.history WHERE code = 'OK') AS recorded,
        (SELECT count(DISTINCT (partition, id)) FROM runner.history WHERE code = 'OK') AS different
      """
    ).only()
    let failed: Int = try row.decode("failed")
    let (recorded, different): (Int, Int) = (try row.decode("recorded"), try row.decode("different"))
    guard failed == 0, recorded == count, different == count else {
      throw BenchmarkError(
        "Of \(count) events, \(failed) failed and the history has \(recorded) (\(different) different).")
    }
  }

  private func wait(until deadline: ContinuousClock.Instant, _ condition: SQL) async throws {
    while try await !database.query(condition).only().decode("is_so", as: Bool.self) {
      guard ContinuousClock.now < deadline else { throw BenchmarkError("Events are still waiting: \(count) at first.") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
