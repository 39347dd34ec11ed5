import Foundation
import Postgres
import TestSupport
import Testing

/// A network that fails between the runner and its database.
@Suite(.heavy)
struct NetworkFaultTests {
  private let feedback = "c0000000-0000-4000-8000-000000000001"

  @Test func whenAnswersToCommitsAreLostNothingIsLostNorDoneTwice() async throws {
    let url = try await RunningRunner.makeDatabase()
    let link = try DatabaseLink(to: url)
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(
        Ledger.function("ledger"),
        #""vote-cast":{"triggers":[{"table":"votes","events":["INSERT"]}],"key":"feedback_id","#
          + #""environment":["DATABASE_URL"],"attempts":100}"#),
      scripts: ["ledger": Ledger.script("ledger")], database: url)
    _ = try await runner.start(environment: ["DATABASE_URL": link.linkedURL])
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    try await runner.waitUntilEmpty()
    let writers = (0..<4).map { number in
      Writer(number, url: url) { n, _ in
        ["INSERT INTO votes (feedback_id, user_id) VALUES (\(feedback)::uuid, \("n\(n)")) ON CONFLICT DO NOTHING"]
      }
    }

    link.loseAnswers(each: 9)
    try await writing(writers, pausing: .milliseconds(100)) {
      try await eventually("many answers are lost", within: .seconds(240)) { link.lost >= 30 }
    }
    link.loseAnswers(each: nil)
    try await runner.database.script(
      #"UPDATE runner.clock SET "offset" = '1 hour'; NOTIFY runner_control, 'clock'"#)
    try await runner.waitUntilEmpty(within: .seconds(240))

    try await runner.expectAllInOrder()
    try await runner.expectEachVoteDecidedOnce()
  }

  @Test func aRunnerNoticesAConnectionThatHasFallenSilent() async throws {
    let url = try await RunningRunner.makeDatabase()
    let link = try DatabaseLink(to: url)
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(
        Ledger.function("ledger"), #""told":{"executable":"told.sh","triggers":[{"notify":"signals"}]}"#),
      scripts: ["ledger": Ledger.script("ledger"), "told": Ledger.script("told")], database: url)
    try await runner.database.script("CREATE TABLE signals (id int)")
    _ = try await runner.start(environment: ["DATABASE_URL": link.linkedURL])
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i % 5 FROM generate_series(1, 100) AS i")
    try await runner.waitUntilEmpty()
    let told = try Ledger("told", of: runner).entries.count

    link.fallSilent()
    try await runner.database.script(
      """
      INSERT INTO entries SELECT i, 'k' || i % 5 FROM generate_series(101, 200) AS i; INSERT INTO signals VALUES (1)
      """)
    try await runner.wait(for: "ledger", within: .seconds(240)) { $0.numbers == Set(1...200) }
    try await runner.wait(for: "told", within: .seconds(240)) { $0.entries.count > told }
    try await runner.waitUntilEmpty()

    try await runner.database.script("INSERT INTO entries VALUES (201, 'k'); INSERT INTO signals VALUES (2)")
    try await runner.wait(for: "ledger") { $0.numbers.contains(201) }
    #expect(try Ledger("ledger", of: runner).misplaced().isEmpty)
  }

  @Test func theNetworkMayBreakAgainAndAgain() async throws {
    let url = try await RunningRunner.makeDatabase()
    let link = try DatabaseLink(to: url)
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")], database: url)
    _ = try await runner.start(environment: ["DATABASE_URL": link.linkedURL])
    let writers = (0..<4).map { Writer($0, url: url) }

    try await writing(writers, pausing: .milliseconds(5)) {
      for _ in 0..<10 {
        let known = try Ledger("ledger", of: runner).numbers.count
        try await runner.wait(for: "ledger") { $0.numbers.count > known + 50 }
        link.cut()
      }
    }
    try await runner.waitUntilEmpty()

    try await runner.expectAllInOrder()
  }
}
