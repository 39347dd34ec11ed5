import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// A clock that is set back by a person or a time server.
@Suite(.heavy)
struct ClockFaultTests {
  private func setBack(_ runner: RunningRunner, by interval: String) async throws {
    _ = try await runner.database.query(#"UPDATE runner.clock SET "offset" = "offset" - \#(interval)::interval"#)
    try await runner.database.script("NOTIFY runner_control, 'clock'")
  }

  @Test func aScheduleFiresNoOccurrenceTwiceAndGoesOn() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"tick":{"executable":"tick.sh","mode":"oneshot","triggers":[{"schedule":"* * * * * *"}]}}}"#,
      scripts: ["tick.sh": "cat >> ticks"])
    _ = try await runner.start()
    try await runner.wait(until: "(SELECT count(*) FROM runner.schedule_fires) >= 3")

    try await setBack(runner, by: "4 seconds")
    let last = try await runner.database.query("SELECT max(scheduled_time)::text AS at FROM runner.schedule_fires")
      .only()
    try await runner.wait(
      until: """
        (SELECT count(*) FROM runner.schedule_fires WHERE scheduled_time > \(last["at"] ?? "")::timestamptz) >= 2
        """)
    try await runner.waitUntilEmpty()

    let text = try String(contentsOfFile: "\(runner.project.path)/ticks", encoding: .utf8)
    let ids = try text.split(separator: "\n").compactMap {
      try RawJSON(validating: Array($0.utf8)[...])["id"]?.stringValue
    }
    #expect(ids.count >= 5)
    #expect(Set(ids).count == ids.count)
  }

  @Test func retriesComeAllTheSame() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger", #","key":"key","mode":"oneshot""#)),
      scripts: ["ledger": Ledger.script("ledger", after: "[ $attempt != 0 ] || exit 1")])
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i FROM generate_series(1, 5) AS i")
    try await runner.wait(for: "ledger") { $0.numbers.count == 5 }

    try await setBack(runner, by: "3 seconds")
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i FROM generate_series(6, 10) AS i")
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("ledger", of: runner)
    for number in 1...10 { #expect(ledger.entries.filter { $0.n == number }.map(\.attempt) == [0, 1]) }
  }
}
