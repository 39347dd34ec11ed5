import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// A bundle in sh, C and Python with tables of its own, and nothing of pushes: `Tests/Bundles`.
@Suite(.heavy)
struct ForeignBundleTests {
  private func bundle() async throws -> RunningRunner {
    let folder = House.root.appending(path: "Tests/Bundles").path
    let runner = try await RunningRunner(try House.text("Tests/Bundles/functions.json"))
    let project = runner.project.path
    // Swift comes with clang; there may be no other compiler.
    let script = """
      cp -r '\(folder)/.' '\(project)'
      "$(command -v cc || command -v clang)" -O1 -o '\(project)/functions/total' '\(project)/functions/total.c'
      """
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let copying = try await BuiltExecutables.run("/bin/sh", ["-ec", script], environment: ["PATH": path])
    try #require(copying.exit == 0, "\(copying.stderr)")
    return runner
  }

  private func order(_ runner: RunningRunner, _ id: Int, cents: Int) async throws {
    _ = try await runner.database.query("INSERT INTO shop.orders VALUES (\(id), 'ada', \(cents))")
  }

  private func lines(_ file: String, _ runner: RunningRunner) async throws -> [String] {
    try await BuiltExecutables.run("/bin/cat", ["\(runner.project.path)/\(file)"]).stdout
      .split(separator: "\n").map(String.init)
  }

  @Test func rowsCallsSchedulesAndDeadLettersGoTheirWay() async throws {
    let runner = try await bundle()
    let served = try await runner.start(environment: ["SHOP_FOLDER": runner.project.path])

    let tables = try await runner.database.query(
      "SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'runner') ORDER BY 1"
    )
    #expect(try tables.decode("tablename") == ["closings", "orders"])

    let total = try await served.call("total", #"{"cents": [250, 30, -5]}"#)
    let empty = try await served.call("total", "{}")
    #expect(total.status == 200 && total.json?["total"]?.intValue == 275)
    #expect(empty.status == 400 && empty.text.contains("There are no cents."))

    for id in 1...5 { try await order(runner, id, cents: 100) }
    try await order(runner, 6, cents: -100)
    try await runner.wait(until: "(SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries) = 0")
    let receipts = try await lines("receipts", runner).map { try RawJSON(validating: Array($0.utf8)[...]) }
    #expect(receipts.compactMap { $0["data"]?["record"]?["id"]?.intValue } == Array(1...6))
    #expect(try await lines("booked", runner).sorted() == ["1", "2", "3", "4", "5"])

    let dead = try await runner.run(["events", "dead"])
    #expect(dead.stdout.contains("bookkeeper") && dead.stdout.contains("An order cannot cost less than nothing."))
    try runner.project.write("", to: "refunds-allowed")
    #expect(try await runner.run(["events", "retry", "--all"]).stdout == "retried 1 dead letter\n")
    try await runner.wait(
      until: "(SELECT count(*) FROM runner.retries) + (SELECT count(*) FROM runner.dead_letters) = 0")
    #expect(try await lines("booked", runner).last == "6")
  }

  @Test func theClockShowsWhatTheBundleWritesDown() async throws {
    let runner = try await bundle()
    _ = try await runner.run(["migrate"])
    _ = try await runner.run(["clock", "set", "2026-10-24T12:00:00Z", "--any-local-database"])
    _ = try await runner.start(environment: ["SHOP_FOLDER": runner.project.path])
    try await runner.database.script(
      "INSERT INTO shop.closings VALUES ('2026-10-24T16:00:01Z', 3), ('2026-10-25T17:00:01Z', 0)")

    let clock = try await runner.run(["clock", "advance", "2d", "--any-local-database"], timeout: .seconds(200))
    let doctor = try await runner.run(["doctor"])
    let help = try await runner.run(["--help"])

    // Berlin leaves summer time on October 25.
    let printed = clock.stdout.split(separator: "\n").map(String.init)
    let days = printed.filter { $0.contains("bookkeeper  schedule  OK") }.map { $0.prefix(16) }
    #expect(days == ["2026-10-24 16:00", "2026-10-25 17:00"])
    #expect(printed.filter { $0.contains("closed the day") }.count == 1)
    #expect(printed.contains { $0.hasSuffix("bookkeeper  closed the day with 3 orders") })
    #expect(doctor.exit == 0, "\(doctor.stdout)\(doctor.stderr)")
    // The checkout's folder may have any name.
    let texts = doctor.stdout.split(separator: "\n").filter { !$0.contains("executables  ") }
    for line in texts + help.stdout.split(separator: "\n") {
      #expect(!["push", "vote", "deliver", "notification", "APNs"].contains(where: line.contains), "\(line)")
    }
  }
}
