import Foundation
import Postgres
import TestSupport
import Testing

/// More events than functions can take.
@Suite(.heavy)
struct BacklogTests {
  @Test func tenThousandRowsOfOneStatementArriveOnceAndInOrder() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")])
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 7 FROM generate_series(1, 10000) AS i")
    try await runner.waitUntilEmpty(within: .seconds(240))

    let ledger = try Ledger("ledger", of: runner)
    #expect(ledger.entries.count == 10_000)
    #expect(ledger.numbers == Set(1...10_000))
    #expect(Set(ledger.entries.map(\.id)).count == 10_000)
    #expect(ledger.misplaced().isEmpty)
  }

  @Test func aBacklogOfASlowFunctionDelaysNoOther() async throws {
    let slow = Ledger.script("slow", after: "sleep 0.2")
    let manifest = Ledger.manifest(
      Ledger.function("slow", ""),
      #""fast":{"executable":"fast.sh","triggers":[{"table":"urgent","events":["INSERT"]}]}"#)
    let runner = try await RunningRunner.withLedgers(
      manifest, scripts: ["slow": slow, "fast": Ledger.script("fast")])
    try await runner.database.script("CREATE TABLE urgent (number bigint PRIMARY KEY)")
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries VALUES (0, 'x'); INSERT INTO urgent VALUES (0)")
    try await runner.wait(for: "fast") { $0.numbers == [0] }
    try await runner.wait(for: "slow") { $0.numbers == [0] }

    try await runner.database.script(
      "INSERT INTO entries SELECT i, 'k', repeat('x', 1000) FROM generate_series(1, 50000) AS i")
    try await runner.wait(for: "slow") { $0.entries.count > 3 }
    // The backlog takes more than an hour: an event that had to wait behind it would not come at all.
    for number in 1...20 {
      try await runner.database.script("INSERT INTO urgent VALUES (\(number))")
      try await runner.wait(for: "fast") { $0.numbers.contains(number) }
    }

    #expect(try await runner.database.query("SELECT count(*)::int AS n FROM runner.events").only()["n"] != "0")
  }
}
