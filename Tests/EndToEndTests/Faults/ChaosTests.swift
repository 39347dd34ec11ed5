import Foundation
import Postgres
import TestSupport
import Testing

/// SIGKILL under load; `make chaos` has many more faults.
@Suite(.heavy)
struct ChaosTests {
  private static let seed = Seed("CHAOS_SEED")
  private static let feedback = "c0000000-0000-4000-8000-000000000001"

  /// The victims of a round.
  private enum Victim: CaseIterable {
    case runner, server, backend, worker
  }

  private func kill(
    _ victim: Victim, _ choice: UInt64, _ runner: RunningRunner, _ cluster: PrivateCluster, _ served: inout Served
  ) async throws {
    switch victim {
    case .runner:
      served.program.send(SIGKILL)
      try await served.program.exit()
      served = try await runner.start()
    case .server:
      try await cluster.kill()
      try await cluster.start()
    case .backend:
      var checkpointer: String?
      try await eventually("a session is killed") {
        let sessions = try? await runner.database.query(
          """
          SELECT pid, (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS checkpointer
          FROM pg_stat_activity WHERE application_name IN ('writer', 'vote-cast') OR application_name ~ '^runner'
          ORDER BY application_name, pid
          """)
        guard let session = sessions?.map(\.self).element(choice) else { return false }
        checkpointer = session["checkpointer"]
        return Glibc.kill(pid_t(try session.decode("pid", as: Int.self)), SIGKILL) == 0
      }
      // The server takes a moment to notice, and then starts all of its processes again.
      try await eventually("the server has started again") {
        let processes = try? await runner.database.query(
          "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
        return processes?.first.map { $0["pid"] != checkpointer } ?? false
      }
    case .worker:
      let workers = try await BuiltExecutables.run(
        "/bin/sh", ["-c", "pgrep -P \(served.program.processID) 'ledger|python|vote-cast'"]
      ).stdout.split(separator: "\n").compactMap { pid_t($0) }
      if let worker = workers.element(choice) { Glibc.kill(worker, SIGKILL) }
    }
  }

  /// `CHAOS_SEED` plays the same moments again.
  @Test(arguments: [Self.seed]) func anythingMayDieAtAnyMoment(_ seed: Seed) async throws {
    var choices = seed.choices
    // No third worker, since an event whose process crashes three times is a dead letter.
    let victims = (Victim.allCases + Victim.allCases).shuffled(using: &choices)
    // A server that dies is to forget everything that it may forget of asynchronous commits.
    let cluster = try await RunningRunner.cluster(settings: "wal_writer_delay = 10s")
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(
        Ledger.function("ledger"), Ledger.function("together", #","key":"key","batch":16"#),
        #"""
        "vote-cast":{"triggers":[{"table":"votes","events":["INSERT"]}],"key":"feedback_id",
          "environment":["DATABASE_URL"]}
        """#),
      scripts: ["ledger": Ledger.script("ledger"), "together": Ledger.batchScript("together")],
      database: cluster.url())
    var served = try await runner.start()
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    let writers = (0..<4).map { number in
      Writer(number, url: cluster.url()) { n, _ in
        ["INSERT INTO votes (feedback_id, user_id) VALUES (\(Self.feedback)::uuid, \("n\(n)")) ON CONFLICT DO NOTHING"]
      }
    }

    try await writing(writers) {
      for victim in victims {
        let (pause, choice) = (Int.random(in: 100...900, using: &choices), choices.next())
        try await Task.sleep(for: .milliseconds(pause))
        try await kill(victim, choice, runner, cluster, &served)
      }
    }
    // Retries need not be waited for.
    try await eventually("the clock is set on") {
      (try? await runner.database.script(
        #"UPDATE runner.clock SET "offset" = '1 hour'; NOTIFY runner_control, 'clock'"#)) != nil
    }
    try await runner.waitUntilEmpty(within: .seconds(240))

    let story: Comment = "\(seed): \(victims)"
    let written = try await runner.database.query("SELECT number FROM entries").decode("number", as: Int.self)
    #expect(written.count > 2 * victims.count, story)
    for name in ["ledger", "together"] {
      let ledger = try Ledger(name, of: runner)
      #expect(ledger.numbers.symmetricDifference(written).isEmpty, story)
      #expect(ledger.misplaced(leavingOutFailed: true).isEmpty, story)
    }
    let effects = try await runner.database.query(
      """
      SELECT (SELECT count(*) FROM votes) AS votes, (SELECT count(*) FROM runner.dead_letters) AS dead,
        (SELECT count(*) FROM handled_events WHERE function = 'vote-cast' AND source LIKE '/%') AS handled,
        (SELECT count(DISTINCT event_id) FROM decisions) AS events, (SELECT count(*) FROM decisions) AS decisions
      """
    ).only()
    #expect(effects["dead"] == "0", story)
    #expect(effects["handled"] == effects["votes"], story)
    #expect(effects["decisions"] == effects["events"], story)
  }

  @Test func anEndThatTheServerForgotIsWrittenDownAgain() async throws {
    let cluster = try await RunningRunner.cluster(settings: "wal_writer_delay = 10s")
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")],
      database: cluster.url())
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i FROM generate_series(1, 100) AS i")
    try await runner.waitUntilEmpty()

    try await cluster.kill()
    try await cluster.start()
    try await eventually("the server answers") { (try? await runner.database.query("SELECT 1")) != nil }
    try await runner.waitUntilEmpty()

    #expect(try Ledger("ledger", of: runner).numbers == Set(1...100))
  }
}

extension Array {
  /// One of them, by a number that was drawn before they were known.
  fileprivate func element(_ choice: UInt64) -> Element? { isEmpty ? nil : self[Int(choice % UInt64(count))] }
}
