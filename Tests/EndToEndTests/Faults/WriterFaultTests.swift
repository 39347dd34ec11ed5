import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Things that writers do to the queue: they roll back, commit late, write too much, or may hardly write at all.
@Suite(.heavy)
struct WriterFaultTests {
  private func runner(_ cluster: PrivateCluster? = nil) async throws -> RunningRunner {
    try await .withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")], database: cluster?.url()
    )
  }

  @Test func onlyWhatIsCommittedOfATransactionWithSavepointsMakesEvents() async throws {
    let runner = try await runner()
    _ = try await runner.start()

    try await runner.database.script(
      """
      BEGIN;
      INSERT INTO entries VALUES (1, 'k');
      SAVEPOINT a; INSERT INTO entries VALUES (2, 'k'); ROLLBACK TO a;
      SAVEPOINT b; INSERT INTO entries VALUES (3, 'k'); RELEASE b;
      SAVEPOINT c; INSERT INTO entries VALUES (4, 'k'); SAVEPOINT d; INSERT INTO entries VALUES (5, 'k'); ROLLBACK TO c;
      INSERT INTO entries VALUES (6, 'k');
      COMMIT;
      BEGIN; INSERT INTO entries VALUES (7, 'k'); ROLLBACK;
      INSERT INTO entries VALUES (8, 'k');
      """)
    try await runner.waitUntilEmpty()

    #expect(try Ledger("ledger", of: runner).entries.map(\.n) == [1, 3, 6, 8])
  }

  @Test func aWriterStalledBeforeItsCommitIsNotMissedAndHoldsUpNobody() async throws {
    let runner = try await runner()
    _ = try await runner.start()
    let stalled = Connection(url: runner.databaseURL, applicationName: "stalled")

    try await stalled.transaction { transaction in
      // An id of every partition is drawn and not yet committed.
      _ = try await transaction.query("INSERT INTO entries SELECT i, 'late' || i FROM generate_series(1, 100) AS i")
      for batch in 1...10 {
        _ = try await runner.database.query(
          "INSERT INTO entries SELECT \(batch) * 1000 + i, 'k' || i % 50 FROM generate_series(0, 499) AS i")
      }
      try await runner.wait(for: "ledger", within: .seconds(240)) { $0.numbers.count == 5_000 }
      try await runner.waitUntilEmpty()
    }
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("ledger", of: runner)
    #expect(ledger.entries.count == 5_100)
    #expect(ledger.numbers.isSuperset(of: 1...100))
    #expect(ledger.misplaced().isEmpty)
  }

  /// A transaction that began after another of its keys had ended runs after it, also when many ids had been missing.
  @Test(arguments: ["continue", "block"])
  func aLaterChangeOfAKeyRunsAfterAnImportThatWasMissing(_ onFailure: String) async throws {
    let settings = #","key":"key","onFailure":"\#(onFailure)""#
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger", settings)), scripts: ["ledger": Ledger.script("ledger")])
    _ = try await runner.start()
    let (importer, other) = (
      Connection(url: runner.databaseURL, applicationName: "importer"),
      Connection(url: runner.databaseURL, applicationName: "other")
    )

    for round in 0..<4 {
      let first = round * 10_000
      try await importer.transaction { rows in
        try await other.transaction { others in
          for n in 0..<300 {
            _ = try await rows.query("INSERT INTO entries VALUES (\(first + n), \("import\(n % 10)"))")
            _ = try await others.query("INSERT INTO entries VALUES (\(first + 1_000 + n), \("other\(n % 50)"))")
          }
        }
        try await runner.wait(for: "ledger") { $0.entries.count == round * 610 + 300 }
      }
      for n in 0..<10 {
        _ = try await importer.query("INSERT INTO entries VALUES (\(first + 2_000 + n), \("import\(n)"))")
      }
      try await runner.waitUntilEmpty()
    }

    let ledger = try Ledger("ledger", of: runner)
    #expect(ledger.entries.count == 4 * 610)
    #expect(ledger.misplaced().isEmpty)
  }

  @Test func aLaterChangeOfAKeyRunsAfterAnImportOfMoreRowsThanAPollBrings() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger", #","key":"key""#)), scripts: ["ledger": Ledger.script("ledger")])
    _ = try await runner.start()
    let importer = Connection(url: runner.databaseURL, applicationName: "importer")

    try await importer.transaction { rows in
      _ = try await rows.query("INSERT INTO entries SELECT i, 'import' FROM generate_series(1, 1000) AS i")
      // Their partition has a newer id, and the runner has seen it.
      _ = try await runner.database.query(
        "INSERT INTO entries SELECT 1000 + i, 'other' || i FROM generate_series(1, 100) AS i")
      try await runner.wait(for: "ledger") { $0.entries.count == 100 }
    }
    _ = try await importer.query("INSERT INTO entries VALUES (2000, 'import')")
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("ledger", of: runner)
    #expect(ledger.entries.count == 1_101)
    #expect(ledger.misplaced().isEmpty)
  }

  @Test func gapsOfRolledBackRowsUnderALongTransactionDelayNothing() async throws {
    // A server of its own: the transactions of other tests would keep the gaps open as well.
    let cluster = try await RunningRunner.cluster()
    let runner = try await runner(cluster)
    _ = try await runner.start()
    let long = Connection(url: runner.databaseURL, applicationName: "long")
    let failing = Connection(url: runner.databaseURL, applicationName: "failing")

    try await long.transaction { transaction in
      _ = try await transaction.query("SELECT pg_current_xact_id()")
      for number in 1...1_000 {
        // The second row breaks the primary key, and with it the whole statement.
        _ = try? await failing.query("INSERT INTO entries VALUES (-1, \("k\(number % 40)")), (-1, 'same')")
        if number % 4 == 0 {
          _ = try await runner.database.query("INSERT INTO entries VALUES (\(number), \("k\(number % 40)"))")
        }
      }
      try await runner.wait(for: "ledger") { $0.numbers.count == 250 }
      for number in 2_001...2_020 {
        _ = try await runner.database.query("INSERT INTO entries VALUES (\(number), 'after')")
        try await runner.wait(for: "ledger") { $0.numbers.contains(number) }
      }
    }
    // A runner that looks for missing numbers only as long as they may still come has nothing more to look for.
    try await runner.waitUntilEmpty()
    try await eventually("the runner looks as seldom as ever") { try await looks(of: runner) < 20 }
  }

  /// In how many of thirty tenths of a second the runner began a statement.
  private func looks(of runner: RunningRunner) async throws -> Int {
    var begun: Set<String> = []
    for _ in 0..<30 {
      let last = try await runner.database.query(
        """
        SELECT max(query_start)::text AS at, pg_sleep(0.1) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name ~ '^runner'
        """)
      begun.insert(last.first?["at"] ?? "")
    }
    return begun.count
  }

  @Test func aChangeTooLargeForAnEventFailsNobodyAndIsADeadLetter() async throws {
    let runner = try await runner()
    _ = try await runner.start()

    try await runner.database.script(
      """
      INSERT INTO entries SELECT 1, 'k', string_agg(md5(i::text), '') FROM generate_series(1, 40000) AS i;
      INSERT INTO entries VALUES (2, 'k');
      """)
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")
    try await runner.waitUntilEmpty()

    let letter = try await runner.database.query("SELECT code, function FROM runner.dead_letters").only()
    #expect(letter["code"] == "TOO_LARGE")
    #expect(try Ledger("ledger", of: runner).entries.map(\.n) == [2])
    #expect(try await runner.database.query("SELECT 1 FROM entries").count == 2)
  }

  @Test func anAppThatMayNotTouchTheRunnersSchemaMakesEvents() async throws {
    let runner = try await runner()
    _ = try await runner.start()
    let role = "app_\(try await runner.database.query("SELECT current_database() AS name").only()["name"] ?? "")"
    try await runner.database.script(
      """
      CREATE ROLE \(role) LOGIN; GRANT INSERT, SELECT ON entries TO \(role);
      REVOKE ALL ON SCHEMA runner FROM PUBLIC; REVOKE ALL ON ALL TABLES IN SCHEMA runner FROM PUBLIC;
      """)
    let url = runner.databaseURL.replacing("user=postgres", with: "user=\(role)")
    let app = Connection(url: url, applicationName: "app")

    _ = try await app.query("INSERT INTO entries VALUES (1, 'k')")
    await #expect(throws: PostgresError.self) { try await app.query("SELECT 1 FROM runner.events") }
    try await runner.waitUntilEmpty()

    #expect(try Ledger("ledger", of: runner).entries.map(\.n) == [1])
    await app.close()
    try await runner.database.script("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test func columnsMayHaveAnyName() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{"note":{"executable":"note.sh","mode":"oneshot","key":"o",
        "triggers":[{"table":"odd","events":["INSERT","UPDATE","DELETE"]}]}}}
      """#,
      scripts: ["note.sh": "cat >> got"])
    try await runner.database.script(
      #"CREATE TABLE odd (n int PRIMARY KEY, o text, c text, l text, record text, lane int, "a ""b" text)"#)
    _ = try await runner.start()

    try await runner.database.script(
      #"""
      INSERT INTO odd VALUES (1, 'o', 'c', 'l', 'r', 4, 'x'); UPDATE odd SET c = 'd'; UPDATE odd SET n = 2; DELETE FROM odd
      """#)
    try await runner.waitUntilEmpty()

    let text = try String(contentsOfFile: "\(runner.project.path)/got", encoding: .utf8)
    let events = try text.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
    #expect(events.count == 4)
    let inserted = events.first?["data"]?["record"]
    #expect(inserted?["n"]?.intValue == 1)
    #expect(inserted?["o"]?.stringValue == "o")
    #expect(inserted?[#"a "b"#]?.stringValue == "x")
    #expect(events.last?["data"]?["old_record"]?["n"]?.intValue == 2)
  }
}
