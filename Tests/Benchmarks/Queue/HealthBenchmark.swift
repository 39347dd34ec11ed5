import FunctionKit
import Postgres
import TestSupport

/// The size of the queue's table while events come and go all the time: alone, and beside an open transaction.
///
/// That transaction has a number, and so it keeps every dead row from being vacuumed away and every missing id in
/// question.
struct HealthBenchmark {
  let effort: Effort

  private static let eventsPerSecond = 3_000

  func findings() async throws -> [Finding] {
    let seconds = effort.choose(quick: 6, normal: 30, long: 300)
    return try await LocalCluster.with { cluster in
      let alone = try await course(cluster, seconds) { _, load in try await load() }
      let beside = try await course(cluster, seconds) { url, load in
        try await connected(to: url) { other in
          try await other.transaction(.repeatableRead) { transaction in
            _ = try await transaction.query("SELECT pg_current_xact_id()")
            return try await load()
          }
        }
      }
      return try alone.findings("health", sizeLimits: [.ratioAtMost(3)])
        + beside.findings("health beside a long transaction", sizeLimits: [])
    }
  }

  /// Puts a project under load, in one of these surroundings.
  private func course(
    _ cluster: LocalCluster, _ seconds: Int,
    _ surroundings: (String, () async throws -> [QueueSize]) async throws -> [QueueSize]
  ) async throws -> HealthCourse {
    let project = try await QueueProject(cluster, manifest: Orders.manifest(#""executable": "\#(Stamp.name)""#))
    let bench = try await PgBench(database: project.databaseURL)
    let runner = try await project.start()
    let sizes = try await surroundings(project.databaseURL) {
      async let load = bench.insert(into: "orders", seconds: seconds, rate: Self.eventsPerSecond)
      let sizes = try await connected(to: project.databaseURL) { database in
        var sizes: [QueueSize] = []
        for _ in 1..<seconds {
          try await Task.sleep(for: .seconds(1))
          sizes.append(try await QueueSize(database))
        }
        return sizes
      }
      _ = try await load
      try await project.waitUntilEmpty()
      return sizes
    }
    try await runner.stop()
    return HealthCourse(sizes: sizes, starts: try project.stamps().map(\.time))
  }
}
