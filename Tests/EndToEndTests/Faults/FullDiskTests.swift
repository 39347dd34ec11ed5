import Postgres
import TestSupport
import Testing

/// A server whose disk is full.
@Suite(.heavy)
struct FullDiskTests {
  @Test(.enabled(if: PrivateCluster.canMountDisks, "Only root may mount a small disk."))
  func afterAFullDiskEverythingThatWasCommittedIsProcessed() async throws {
    let cluster = try await PrivateCluster(disk: 96)
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger", #","key":"key","attempts":100"#)),
      scripts: ["ledger": Ledger.script("ledger")], database: cluster.url())
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 9 FROM generate_series(1, 100) AS i")
    try await runner.waitUntilEmpty()

    try await cluster.fillDisk()
    var committed = Set(1...100)
    var refused: [String] = []
    for batch in 1...50 where refused.count < 3 {
      let numbers = batch * 1_000..<batch * 1_000 + 500
      do {
        _ = try await runner.database.query(
          """
          INSERT INTO entries SELECT i, 'k' || i % 9, repeat('x', 500)
          FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) AS i
          """)
        committed.formUnion(numbers)
      } catch {
        refused.append(error.sqlState ?? "\(error.code)")
      }
    }
    #expect(!refused.isEmpty)

    try await cluster.freeDisk()
    // It may have ended itself over a full log.
    try? await cluster.start()
    try await eventually("the server writes again") {
      (try? await runner.database.query("INSERT INTO entries VALUES (1000000, 'last')")) != nil
    }
    committed.insert(1_000_000)
    try await runner.waitUntilEmpty(within: .seconds(240))

    let rows = try await runner.database.query("SELECT number FROM entries").decode("number", as: Int.self)
    let ledger = try Ledger("ledger", of: runner)
    #expect(committed.isSubset(of: rows))
    #expect(ledger.numbers == Set(rows))
    #expect(ledger.misplaced(leavingOutFailed: true).isEmpty)
  }
}
