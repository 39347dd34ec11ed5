import Postgres

/// The speed of PostgreSQL itself on this machine: the yardstick of all that follows.
struct PgBenchBenchmark {
  let effort: Effort

  func findings() async throws -> [Finding] {
    let seconds = effort.choose(quick: 2, normal: 10)
    return try await LocalCluster.with { cluster in
      let url = try await cluster.makeDatabase()
      try await connected(to: url) { try await $0.script(Orders.table()) }
      let bench = try await PgBench(database: url)
      try await bench.initialize(scale: 10)
      let read = try await bench.load(["--select-only"], seconds: seconds)
      let write = try await bench.insert(into: "orders", seconds: seconds)
      return [
        Finding(what: "pgbench: \(PgBench.clients) clients, select only", perSecond: read, isYardstick: true),
        Finding(what: "pgbench: \(PgBench.clients) clients, single-row inserts", perSecond: write, isYardstick: true),
      ]
    }
  }
}
