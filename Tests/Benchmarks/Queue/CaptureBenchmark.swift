import Postgres
import TestSupport

/// An UPDATE of 20,000 rows with capture for one function, against the same UPDATE without.
struct CaptureBenchmark {
  let effort: Effort

  private static let tables = ["plain_orders", "orders"]

  func findings() async throws -> [Finding] {
    let count = effort.choose(quick: 2_000, normal: 20_000)
    return try await LocalCluster.with { cluster in
      let project = try await QueueProject(
        cluster, manifest: Orders.manifest(#""mode": "discard""#, event: "UPDATE"),
        tables: Self.tables.map { Orders.table($0) + Orders.rows(count, into: $0) }.joined())
      let times = try await connected(to: project.databaseURL) { try await measure($0) }
      let (plain, captured) = (Samples(times[0]), Samples(times[1]))
      return [
        Finding(what: "capture: UPDATE of \(count) rows, not captured", p50: plain.p50, isYardstick: true),
        Finding(
          what: "capture: UPDATE of \(count) rows, captured for one function", p50: captured.p50,
          ratio: captured.p50 / plain.p50, limits: [.ratioAtMost(8)], goal: .ratioAtMost(4)),
      ]
    }
  }

  /// The milliseconds of each round, of each table; the first round fills the caches and does not count.
  private func measure(_ database: Connection) async throws -> [[Double]] {
    var times: [[Double]] = Self.tables.map { _ in [] }
    for round in 0...effort.choose(quick: 3, normal: 9) {
      for (index, table) in Self.tables.enumerated() {
        for statement in ["TRUNCATE runner.events", "VACUUM \(table)"] { try await database.script(statement) }
        let start = ContinuousClock.now
        try await database.script("UPDATE \(table) SET status = 'state \(round)'")
        if round > 0 { times[index].append((ContinuousClock.now - start).milliseconds) }
      }
    }
    return times
  }
}
