import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Queue

/// Signals of notified functions that stand in a table.
@Suite(.heavy)
struct SignalStoreTests {
  @Test func eachFunctionIsSignalledOnceAndOthersKeepTheirs() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    try await database.connection.script("INSERT INTO runner.signals VALUES ('a'), ('b'), ('a'), ('c')")
    let store = SignalStore(database: database.connection)

    #expect(try await store.take(["a", "b", "d"]).functions == ["a", "b"])
    #expect(try await store.take(["a", "b", "d"]).functions == [])
    #expect(try await store.take(["c"]).functions == ["c"])
  }

  /// A million signals stand there: for functions that nobody runs, for those that are run, or no longer.
  @Test(.qualifiesReleases, arguments: ["idle", "run"])
  func aLookReadsABoundedPartOfAMillion(function: String) async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let connection = database.connection
    try await connection.script(
      "INSERT INTO runner.signals SELECT '\(function)' FROM generate_series(1, 1000000)")
    for areTaken in [false, true] {
      if areTaken { try await connection.script("DELETE FROM runner.signals") }
      // As autovacuum does; the table keeps its size.
      try await connection.script("VACUUM ANALYZE runner.signals")
      try await connection.script("INSERT INTO runner.signals VALUES ('another')")

      let plan = try await connection.query(
        "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) \(SignalStore.deletion(of: ["another", "run"]))"
      ).decode("QUERY PLAN", as: String.self)

      let buffers = try #require(plan.first { $0.contains("Buffers: shared") })
      let pages = buffers.split(separator: " ").filter { $0.hasPrefix("hit=") || $0.hasPrefix("read=") }
        .reduce(0) { $0 + (Int($1.drop { !$0.isNumber }) ?? 0) }
      // Each row that is taken is touched three times; the table has 4,425 pages.
      let taken = function == "run" && !areTaken ? 10_000 : 1
      #expect(pages < 3 * taken + 1_500, "\(plan.joined(separator: "\n"))")
    }
  }
}
