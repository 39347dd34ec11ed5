import Foundation
import Postgres
import TestSupport
import Testing

/// Applications with PREPARE TRANSACTION, such as those of XA: a server that allows it has writers that never NOTIFY.
@Suite(.heavy)
struct PreparedTransactionTests {
  private static let told = #""told":{"executable":"told.sh","triggers":[{"notify":"entries"}]}"#

  private func runner(_ cluster: PrivateCluster) async throws -> RunningRunner {
    try await .withLedgers(
      Ledger.manifest(Ledger.function("ledger"), Self.told),
      scripts: [
        "ledger": Ledger.script("ledger"),
        "told": #"""
        while IFS= read -r line; do
          id=${line#*'"id":"'} id=${id%%'"'*}
          echo "$id" >> told.got
          printf '{"id":"%s","exit":0}\n' "$id"
        done
        """#,
      ], database: cluster.url())
  }

  private func prepare(_ number: Int, as name: String, _ database: Connection) async throws {
    try await database.script(
      "BEGIN; INSERT INTO entries VALUES (\(number), 'k'); PREPARE TRANSACTION '\(name)'")
  }

  @Test func anEventOfAPreparedTransactionRunsAtItsCommit() async throws {
    let cluster = try await RunningRunner.cluster(settings: "max_prepared_transactions = 5")
    let runner = try await runner(cluster)
    _ = try await runner.start()
    try await runner.wait(until: "EXISTS (SELECT FROM runner.leases WHERE owner IS NOT NULL)")

    for number in 1...5 { try await prepare(number, as: "p\(number)", runner.database) }
    _ = try await runner.database.query("INSERT INTO entries SELECT i, 'k' FROM generate_series(11, 20) AS i")
    try await runner.wait(for: "ledger") { $0.entries.count == 10 }
    for number in [3, 1, 5] {
      try await runner.database.script("COMMIT PREPARED 'p\(number)'")
      try await runner.wait(for: "ledger") { $0.numbers.contains(number) }
    }
    try await runner.database.script("ROLLBACK PREPARED 'p2'")
    #expect(try Ledger("ledger", of: runner).entries.map(\.n) == Array(11...20) + [3, 1, 5])

    try await runner.database.script("COMMIT PREPARED 'p4'")
    try await runner.waitUntilEmpty()
    #expect(try Ledger("ledger", of: runner).entries.map(\.n).dropFirst(13) == [4])
  }

  @Test func oneThatWasPreparedBeforeTheServerDiedRunsWhenItCommits() async throws {
    let cluster = try await RunningRunner.cluster(settings: "max_prepared_transactions = 5")
    let runner = try await runner(cluster)
    _ = try await runner.start()
    try await prepare(1, as: "p", runner.database)
    _ = try await runner.database.query("INSERT INTO entries VALUES (2, 'k')")
    try await runner.wait(for: "ledger") { $0.entries.count == 1 }

    try await cluster.kill()
    try await cluster.start()
    try await eventually("the server is back") { (try? await runner.database.query("SELECT")) != nil }
    _ = try await runner.database.query("INSERT INTO entries VALUES (3, 'k')")
    try await runner.wait(for: "ledger") { $0.numbers == [2, 3] }
    try await runner.database.script("COMMIT PREPARED 'p'")
    try await runner.wait(for: "ledger") { $0.numbers == [1, 2, 3] }
  }

  @Test func aNotifiedFunctionIsRunForAPreparedTransaction() async throws {
    let cluster = try await RunningRunner.cluster(settings: "max_prepared_transactions = 5")
    let runner = try await runner(cluster)
    _ = try await runner.start()
    func told() -> Int {
      let text = try? String(contentsOfFile: "\(runner.project.path)/told.got", encoding: .utf8)
      return text?.split(separator: "\n").count ?? 0
    }
    try await eventually("the run at the start") { told() > 0 }

    try await prepare(1, as: "p", runner.database)
    let before = told()
    try await runner.database.script("COMMIT PREPARED 'p'")

    // The function also runs now and then without a signal, and then leaves the signal where it is.
    try await runner.wait(until: "NOT EXISTS (SELECT FROM runner.signals)")
    try await eventually("a run for the committed row") { told() > before }
  }
}
