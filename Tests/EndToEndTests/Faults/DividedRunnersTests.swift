import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Runners that divide the functions of a database among them.
@Suite(.heavy)
struct DividedRunnersTests {
  /// Writes each event into a ledger of the place where the runner runs.
  private static func script(_ name: String) -> String {
    Ledger.script(name, before: #"exec 3>> "\#(name)-$PLACE.ledger""#)
  }

  private static func function(_ name: String, _ settings: String = "") -> String {
    Ledger.function(name, #","key":"key","environment":["PLACE"]\#(settings)"#)
  }

  private func runner() async throws -> RunningRunner {
    try await .withLedgers(
      Ledger.manifest(Self.function("here"), Self.function("there")),
      scripts: ["here": Self.script("here"), "there": Self.script("there")])
  }

  private func write(_ runner: RunningRunner, _ numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      try await runner.database.script("INSERT INTO entries VALUES (\(number), 'k\(number % 5)')")
    }
  }

  @Test func eachRunnerGetsTheEventsOfItsFunctionsAndNoOthers() async throws {
    let runner = try await runner()
    let first = try await runner.start(options: ["--only", "here"], environment: ["PLACE": "first"])
    try await write(runner, 1...100)
    try await runner.wait(for: "here-first") { $0.numbers == Set(1...100) }
    let findings = try await runner.run(["doctor"])
    #expect(findings.stdout.contains("100 waiting for there, which no living runner has"))

    let second = try await runner.start(options: ["--except", "here"], environment: ["PLACE": "second"])
    try await runner.wait(for: "there-second") { $0.numbers == Set(1...100) }
    try await write(runner, 101...200)
    try await runner.waitUntilEmpty()

    for name in ["here-first", "there-second"] {
      let ledger = try Ledger(name, of: runner)
      #expect(ledger.entries.count == 200)
      #expect(ledger.misplaced().isEmpty)
    }
    #expect(try Ledger("here-second", of: runner).entries.isEmpty)
    #expect(try Ledger("there-first", of: runner).entries.isEmpty)

    #expect(try await first.call("here").status != 404)
    let elsewhere = try await first.call("there")
    #expect(elsewhere.status == 404)
    #expect(elsewhere.text.contains("another one does"))
    withExtendedLifetime(second) {}
  }

  @Test func aRunnerMayLeaveCallsAndSchedulesToOthers() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(
        Self.function("here"),
        #""tick":{"executable":"tick.sh","mode":"oneshot","triggers":[{"schedule":"* * * * * *"}]}"#),
      scripts: ["here": Self.script("here"), "tick": "cat >/dev/null; echo '{}'"])
    let events = try await runner.start(options: ["--no-http", "--no-schedules"], environment: ["PLACE": "first"])
    try await write(runner, 1...20)
    try await runner.wait(for: "here-first") { $0.numbers == Set(1...20) }

    let refused = try await events.call("here")
    #expect(refused.status == 404)
    #expect(refused.text.contains("--no-http"))
    #expect(try await events.request("/_/ready").status == 200)
    #expect(try await runner.database.query("SELECT FROM runner.schedules").isEmpty)

    let whole = try await runner.start(environment: ["PLACE": "second"])
    #expect(try await whole.call("here", #"{"record":{"number":0,"key":"k"}}"#).status != 404)
    try await runner.wait(until: "(SELECT count(*) FROM runner.history WHERE function = 'tick') > 1")
    events.program.send(SIGTERM)
    #expect(try await events.program.exit() == 0)
    #expect(try await runner.database.query("SELECT FROM runner.schedules").count == 1)
  }

  /// A runner looks at its lease every 200 seconds here: what happens sooner, another runner has asked for.
  @Test func whoJoinsAndWhoLeavesIsNoticedAtOnce() async throws {
    let runner = try await runner()
    let first = try await runner.start(options: ["--lease", "600"], environment: ["PLACE": "first"])
    try await first.program.line { $0.contains(#""held":"16""#) }

    let second = try await runner.start(options: ["--lease", "600"], environment: ["PLACE": "second"])
    try await second.program.line { $0.contains(#""held":"8""#) }
    second.program.send(SIGTERM)
    try await second.program.exit()

    try await first.program.line { $0.contains(#""partitions":"8","held":"16""#) }
  }

  @Test func whenOneOfAGroupIsKilledOnlyItsGroupTakesItsWork() async throws {
    let runner = try await runner()
    let first = try await runner.start(options: ["--only", "here"], environment: ["PLACE": "first"])
    _ = try await runner.start(options: ["--except", "here"], environment: ["PLACE": "second"])
    try await write(runner, 1...50)
    try await runner.wait(for: "here-first") { $0.numbers == Set(1...50) }

    first.program.send(SIGKILL)
    try await first.program.exit()
    try await write(runner, 51...100)
    try await runner.wait(for: "there-second") { $0.numbers == Set(1...100) }
    #expect(try Ledger("here-second", of: runner).entries.isEmpty)

    _ = try await runner.start(options: ["--only", "here"], environment: ["PLACE": "third"])
    try await runner.waitUntilEmpty()
    #expect(
      try Ledger("here-third", of: runner).numbers.union(try Ledger("here-first", of: runner).numbers) == Set(1...100))
  }

  @Test func aRunnerThatHasAnothersFunctionsIsRefused() async throws {
    let runner = try await runner()
    let first = try await runner.start(environment: ["PLACE": "first"])
    try await first.program.line { $0.contains("Partitions taken") }

    let refused = try await runner.run([
      "serve", "--port", "0", "--only", "here", "--state-dir", "\(runner.project.path)/other",
    ])

    #expect(refused.exit == 75)
    #expect(refused.stderr.contains(#"the runner "process \#(first.program.processID)" has here"#))
    try await write(runner, 1...10)
    try await runner.wait(for: "here-first") { $0.numbers == Set(1...10) }
  }

  @Test func twoBundlesServeOneDatabase() async throws {
    let first = try await runner()
    let second = try await RunningRunner(
      #"{"bundle":"other","functions":{\#(Self.function("else")),"tick":{"mode":"discard","triggers":[{"schedule":"@daily"}]}}}"#,
      scripts: ["else.sh": Self.script("else")], database: first.databaseURL)
    _ = try await first.start(environment: ["PLACE": "x"])
    let other = try await second.start(environment: ["PLACE": "y"])
    try await write(first, 1...50)

    try await first.wait(for: "here-x") { $0.numbers == Set(1...50) }
    try await first.wait(for: "there-x") { $0.numbers == Set(1...50) }
    try await second.wait(for: "else-y") { $0.numbers == Set(1...50) }
    try await first.waitUntilEmpty()
    #expect(!other.program.lines.contains { $0.contains("functions.json does not have") })
    try await first.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE name = 'tick' AND bundle = 'other')")
  }
}
