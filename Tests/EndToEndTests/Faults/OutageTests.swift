import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The database is away while calls, rows, schedules and deliveries go on.
@Suite(.heavy)
struct OutageTests {
  /// How much of each has been done.
  private struct Progress {
    let (rows, calls, ticks, pushes): (Int, Int, Int, Int)

    init(_ runner: RunningRunner) async throws {
      rows = try Ledger("ledger", of: runner).numbers.count
      calls = try Ledger("call", of: runner).numbers.count
      ticks = try Ledger("tick", of: runner).entries.count
      let accepted = try await runner.database.query("SELECT FROM deliveries WHERE state = 'accepted'")
      pushes = accepted.count
    }

    func isWellBeyond(_ other: Progress) -> Bool {
      rows > other.rows + 20 && calls > other.calls + 20 && ticks > other.ticks + 2 && pushes > other.pushes + 20
    }
  }

  @Test(arguments: Outage.possible)
  func afterAnOutageTheSameRunnerHasDoneAllThatIsCommitted(_ outage: Outage) async throws {
    let scene = try await OutageScene(outage)
    let runner = scene.runner
    let served = try await scene.serve()
    let phones = try Phones(served, project: runner.project.path)
    let (direct, queued) = (
      Caller(served, from: 1, isQueued: false), Caller(served, from: 1_000_000, isQueued: true)
    )
    var queuedBefore = 0

    try await writing(scene.writers(), pausing: .milliseconds(100)) {
      try await calling([direct, queued]) {
        try await progress(of: runner, "all goes well")
        if outage == .restored {
          try await scene.cluster.backUp()
          try await progress(of: runner, "what is lost is done")
        }

        try await scene.begin()
        let (calls, refusals) = (try direct.answers().count, try queued.numbers(503).count)
        try await eventually("calls meet the outage", within: .seconds(240)) {
          try direct.answers().count >= calls + 60 && queued.numbers(503).count > refusals
        }
        if outage == .restored { queuedBefore = try queued.answers().count }
        try await scene.end()

        try await progress(of: runner, "all goes on")
      }
    }
    try await eventually("nothing waits", within: .seconds(120)) {
      // Everything that failed meanwhile may be tried again at once.
      try await runner.database.script("UPDATE runner.retries SET run_at = runner.now() WHERE run_at > runner.now()")
      return try await runner.database.query("SELECT \(RunningRunner.isEmpty) AS yes").only().decode("yes")
    }
    try await runner.wait(within: .seconds(240), until: "NOT EXISTS (SELECT FROM deliveries WHERE state = 'queued')")

    #expect(try Set(direct.answers().map(\.status)) == [204])
    #expect(try Set(queued.answers().map(\.status)) == [202, 503])
    let done = try Ledger("call", of: runner)
    #expect(try direct.numbers(204).subtracting(done.numbers).isEmpty)
    #expect(try queued.numbers(202, after: queuedBefore).subtracting(done.numbers).isEmpty)
    try await expectRowsDone(runner, isRestored: outage == .restored)
    try await runner.expectEachShownOnce(phones, isRestored: outage == .restored)
    #expect(try await served.request("/_/ready").status == 200)
    #expect(kill(served.program.processID, 0) == 0)
  }

  private func progress(of runner: RunningRunner, _ what: String) async throws {
    var before: Progress?
    try await eventually(what, within: .seconds(180)) {
      guard let now = try? await Progress(runner) else { return false }
      if let before { return now.isWellBeyond(before) }
      before = now
      return false
    }
  }

  /// Each row's event has arrived, and each vote was decided on once.
  private func expectRowsDone(_ runner: RunningRunner, isRestored: Bool) async throws {
    let ledger = try Ledger("ledger", of: runner)
    let written = Set(try await runner.database.query("SELECT number FROM entries").decode("number", as: Int.self))
    #expect(written.subtracting(ledger.numbers).isEmpty)
    #expect(isRestored || ledger.numbers == written)
    #expect(ledger.misplaced(leavingOutFailed: true).isEmpty)
    try await runner.expectEachVoteDecidedOnce()
    let fired = try await runner.database.query(
      "SELECT event_id FROM runner.schedule_fires WHERE skipped IS NULL"
    ).decode("event_id", as: String.self)
    #expect(Set(fired).isSubset(of: try Ledger("tick", of: runner).entries.map(\.id)))
  }
}
