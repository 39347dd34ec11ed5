import Postgres
import TestSupport
import Testing

/// The two psql sessions that lost an event: the younger transaction has the lower id and commits last.
@Suite(.heavy)
struct YoungerWriterTests {
  @Test func itsEventRunsWhenItCommitsAlthoughTheOlderOnesHasRunLongSince() async throws {
    // A server of its own, on which nobody else has a transaction.
    let cluster = try await RunningRunner.cluster()
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")],
      database: cluster.url())
    _ = try await runner.start()
    let (older, younger) = (
      Connection(url: runner.databaseURL, applicationName: "A"),
      Connection(url: runner.databaseURL, applicationName: "B")
    )

    for round in 0..<3 {
      let (late, early) = (round * 10 + 1, round * 10 + 2)
      try await runner.wait(
        until: """
          (SELECT count(*) FROM pg_locks
            WHERE locktype = 'advisory' AND classid = \(RunnerLock.sleep) AND mode = 'ExclusiveLock') >= 16
          """, "the runner sleeps")
      try await younger.transaction { b in
        try await older.transaction { a in
          _ = try await a.query("SELECT pg_current_xact_id()")
          _ = try await b.query("SELECT pg_current_xact_id()")
          _ = try await b.query("INSERT INTO entries VALUES (\(late), 'k')")
          _ = try await a.query("INSERT INTO entries VALUES (\(early), 'k')")
        }
        try await runner.wait(for: "ledger") { $0.numbers.contains(early) }
        try await runner.waitUntilEmpty()
      }
      // The second net would find it, too, but logs that, which fails every test.
      try await runner.wait(for: "ledger") { $0.numbers.contains(late) }
    }

    #expect(try Ledger("ledger", of: runner).entries.map(\.n) == [2, 1, 12, 11, 22, 21])
  }
}
