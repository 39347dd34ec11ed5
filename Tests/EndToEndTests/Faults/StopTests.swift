import Foundation
import Postgres
import TestSupport
import Testing

/// A runner that is told to end while its functions do not.
@Suite(.heavy)
struct StopTests {
  private static let script = Ledger.script("stuck", before: ": > begun; until [ -e goes ]; do sleep 0.1; done")

  /// All in one process, one in each, and several handed over at once.
  @Test(arguments: ["", #","mode":"oneshot""#, #","batch":8"#])
  func itBreaksOffEventsThatDoNotEndAndTheyRunLaterAtNoCost(_ settings: String) async throws {
    let function = Ledger.function("stuck", #","key":"key","timeout":300"# + settings)
    let runner = try await RunningRunner.withLedgers(Ledger.manifest(function), scripts: ["stuck": Self.script])
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT n, 'k' || n % 5 FROM generate_series(1, 20) n")
    try await eventually("an event runs") {
      FileManager.default.fileExists(atPath: "\(runner.project.path)/begun")
    }

    served.program.send(SIGTERM)
    #expect(try await served.program.exit() == 0)

    let left = try await runner.database.query(
      """
      SELECT (SELECT count(*) FROM runner.events)::int AS events, (SELECT count(*) FROM runner.retries)::int AS retries,
        (SELECT count(*) FROM runner.history)::int AS attempts
      """
    ).only()
    #expect(try (left.decode("events"), left.decode("retries"), left.decode("attempts")) == (20, 0, 0))
    #expect(served.program.lines.allSatisfy { !$0.contains("paused") })
    try runner.project.write("", to: "goes")
    _ = try await runner.start()
    try await runner.waitUntilEmpty()
    let ledger = try Ledger("stuck", of: runner)
    #expect(ledger.entries.map(\.n).sorted() == Array(1...20))
    #expect(ledger.entries.allSatisfy { $0.attempt == 0 } && ledger.misplaced().isEmpty)
  }
}
