import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Schedules as their users see them, on a serving runner whose clock is set.
@Suite(.heavy)
struct SchedulesTests {
  private static let note = "event=$(cat); printf '%s\\n' \"$event\" >> got"
  /// Ends when the test says so.
  private static let slow = "\(note); echo > started; while [ ! -e go ]; do sleep 0.02; done"

  private func runner(_ trigger: String, script: String = note, more: String = "") async throws -> RunningRunner {
    try await RunningRunner(
      #"""
      {"functions":{"tick":{"executable":"tick.sh","mode":"oneshot","triggers":[{"schedule":"0 * * * *"\#(trigger)}]}
      \#(more)}}
      """#,
      scripts: ["tick.sh": script])
  }

  private func serve(_ runner: RunningRunner, at instant: String = "2027-01-01T00:30:00Z") async throws -> Served {
    _ = try await runner.run(["migrate"])
    _ = try await runner.run(["clock", "set", instant, "--any-local-database"])
    let served = try await runner.start()
    try await served.program.line { $0.contains("Partitions taken") }
    try await runner.wait(until: "SELECT count(*) > 0 FROM runner.schedules WHERE next_at IS NOT NULL")
    return served
  }

  private func advance(_ runner: RunningRunner, _ span: String) async throws {
    let outcome = try await runner.run(["clock", "advance", span, "--any-local-database"])
    #expect(outcome.exit == 0, "\(outcome.stderr)")
  }

  private func json(_ runner: RunningRunner, _ words: String...) async throws -> [RawJSON] {
    let outcome = try await runner.run(["schedules"] + words + ["--json"])
    #expect(outcome.exit == 0, "\(outcome.stderr)")
    return try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
  }

  private func fires(_ runner: RunningRunner, _ count: Int) async throws {
    try await runner.wait(until: "SELECT count(*) = \(count) FROM runner.schedule_fires")
  }

  @Test(arguments: [("skip", 1, 1), ("queue", 2, 2), ("allow", 2, 2)])
  func anOccurrenceThatComesTooSoonIsLeftOutOrWaitsOrRunsBeside(
    _ overlap: String, _ inLine: Int, _ ran: Int
  ) async throws {
    let runner = try await runner(#","overlap":"\#(overlap)""#, script: Self.slow)
    _ = try await serve(runner)

    try await runner.jump(to: "2027-01-01T01:00:00Z")
    try await fires(runner, 1)
    try await runner.jump(to: "2027-01-01T02:00:00Z")
    try await fires(runner, 2)

    #expect(try await runner.database.query("SELECT 1 FROM runner.events").count == inLine)
    let skipped = try await json(runner, "history", "tick").compactMap { $0["skipped"]?.stringValue }
    #expect(skipped == (overlap == "skip" ? ["overlap"] : []))
    if overlap == "allow" {
      let both = "while [ $(wc -l < \(runner.project.path)/got) -lt 2 ]; do sleep 0.02; done"
      #expect(try await BuiltExecutables.run("/bin/sh", ["-c", both]).exit == 0)
    } else {
      #expect(try runner.got().count <= 1)
    }
    try runner.project.write("", to: "go")
    try await runner.wait(until: "NOT EXISTS (SELECT 1 FROM runner.events)")
    #expect(try runner.got().count == ran)
  }

  @Test func anOccurrenceWaitsForItsRetryOrIsLeftOutForIt() async throws {
    let runner = try await runner(
      #","overlap":"skip""#,
      script: #"cat >/dev/null; echo '{"error":{"message":"no","retryAfter":5400}}'; [ -e go ] || exit 75"#)
    _ = try await serve(runner)

    try await advance(runner, "31m")
    try runner.project.write("", to: "go")
    try await advance(runner, "2h")

    let history = try await json(runner, "history")
    #expect(
      history.map { $0["scheduledTime"]?.stringValue?.prefix(16) } == [
        "2027-01-01T03:00", "2027-01-01T02:00", "2027-01-01T01:00",
      ])
    #expect(history.map { $0["skipped"]?.stringValue } == [nil, "overlap", nil])
  }

  @Test func aPausedScheduleFiresNothingAndMakesNothingUp() async throws {
    let runner = try await runner(#","catchup":"all""#)
    _ = try await serve(runner)
    try await advance(runner, "1h")

    #expect(try await runner.run(["schedules", "pause", "tick"]).stdout == "tick is paused.\n")
    try await advance(runner, "3h")
    #expect(try runner.got().count == 1)
    let paused = try await json(runner, "list")
    #expect(paused.first?["pausedAt"]?.stringValue?.hasPrefix("2027-01-01T01:30") == true)
    #expect(paused.first?["next"] == nil)
    #expect(try await runner.run(["schedules"]).stdout.contains("paused"))
    _ = try await runner.run(["schedules", "resume", "tick"])
    try await advance(runner, "1h")

    let times = try runner.got().compactMap { $0["data"]?["scheduledTime"]?.stringValue?.prefix(13) }
    #expect(times == ["2027-01-01T01", "2027-01-01T05"])
  }

  /// The system's files may be replaced while a runner serves.
  @Test func newRulesOfAZoneCountWithoutARestart() async throws {
    let zones = try TemporaryDirectory()
    func use(_ zone: String) async throws {
      let script = "cp /usr/share/zoneinfo/\(zone) '\(zones.path)/new' && mv '\(zones.path)/new' '\(zones.path)/Town'"
      #expect(try await BuiltExecutables.run("/bin/sh", ["-c", script]).exit == 0)
    }
    try await use("Etc/UTC")
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"/bin/true","triggers":[{"schedule":"0 3 * * *","timezone":"Town"}]}}}"#,
      environment: ["TZDIR": zones.path])
    _ = try await runner.start()
    try await runner.wait(
      until: "EXISTS (SELECT FROM runner.schedules WHERE extract(hour FROM next_at AT TIME ZONE 'UTC') = 3)")

    try await use("Asia/Tokyo")
    try await runner.database.script("NOTIFY runner_control, 'clock'")

    try await runner.wait(
      until: "EXISTS (SELECT FROM runner.schedules WHERE extract(hour FROM next_at AT TIME ZONE 'UTC') = 18)")
  }

  @Test func aPausedScheduleStaysPausedOverARestart() async throws {
    let runner = try await runner("")
    let served = try await serve(runner)
    _ = try await runner.run(["schedules", "pause", "tick"])
    served.program.send(15)
    try await served.program.exit()

    _ = try await runner.start()
    try await advance(runner, "3h")

    #expect(try runner.got().isEmpty)
  }

  @Test func aRestartKeepsTheScheduleAndAChangeBeginsAnew() async throws {
    let runner = try await runner(#","catchup":"all""#, more: #","other":{"triggers":[{"schedule":"@daily"}]}"#)
    let first = try await serve(runner)
    first.program.send(15)
    try await first.program.exit()
    _ = try await runner.run(["clock", "set", "2027-01-01T02:30:00Z", "--any-local-database"])

    let second = try await runner.start()
    try await fires(runner, 2)
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.schedules WHERE next_at = '2027-01-01T03:00:00Z'")
    try await runner.wait(until: "NOT EXISTS (SELECT 1 FROM runner.events)")
    second.program.send(15)
    try await second.program.exit()
    try runner.project.write(
      #"{"functions":{"tick":{"executable":"tick.sh","mode":"oneshot","triggers":[{"schedule":"15 * * * *"}]}}}"#,
      to: "functions.json")
    _ = try await runner.run(["clock", "set", "2027-01-01T04:30:00Z", "--any-local-database"])
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.schedules WHERE next_at = '2027-01-01T05:15:00Z'")

    _ = try await runner.run(["migrate", "--prune"])
    #expect(
      try await runner.database.query("SELECT name FROM runner.schedules").decode("name", as: String.self) == ["tick"])
    #expect(
      try runner.got().compactMap { $0["data"]?["scheduledTime"]?.stringValue?.prefix(16) } == [
        "2027-01-01T01:00", "2027-01-01T02:00",
      ])
  }

  @Test func firingByHandStandsBesideTheSchedule() async throws {
    let runner = try await runner("")
    _ = try await serve(runner)

    let outcome = try await runner.run(["schedules", "fire", "tick", "--at", "2027-01-01T01:00:00Z", "--no-wait"])
    try await advance(runner, "1h")

    let id = String(outcome.stdout.dropLast())
    #expect(id.hasPrefix("tick@2027-01-01T01:00:00.000Z/manual-"))
    let events = try runner.got()
    #expect(events.compactMap { $0["id"]?.stringValue } == [id, "tick@2027-01-01T01:00:00.000Z"])
    #expect(
      events.map { $0["data"]?["manual"].map { String(decoding: $0.bytes, as: UTF8.self) } } == ["true", "false"])
    #expect(events.last?["data"]?["missedCount"]?.intValue == 0)
    let history = try await json(runner, "history", "tick")
    #expect(Set(history.compactMap { $0["event"]?.stringValue }) == Set(events.compactMap { $0["id"]?.stringValue }))
    #expect(history.allSatisfy { $0["outcome"]?.stringValue == "OK" })
  }

  @Test(arguments: [("", "OK"), ("; exit 65", "dead: INVALID_EVENT")])
  func firingByHandTellsWhatBecameOfIt(_ ending: String, _ outcome: String) async throws {
    let runner = try await runner("", script: Self.note + ending)
    _ = try await serve(runner)

    let text = try await runner.run(["schedules", "fire", "tick"])
    let program = try await runner.run(["schedules", "fire", "tick", "--json"])

    let ids = try runner.got().compactMap { $0["id"]?.stringValue }
    #expect(text.exit == 0 && ids.count == 2)
    #expect(text.stdout.hasPrefix("\(ids.first ?? ""): \(outcome) in "))
    let fire = try RawJSON(validating: Array(program.stdout.utf8)[...])
    #expect(fire["event"]?.stringValue == ids.last)
    #expect(fire["outcome"]?.stringValue == outcome)
    let history = try await json(runner, "history", "tick")
    #expect(history.map { $0["outcome"]?.stringValue } == [outcome, outcome])
    #expect(Set(history.compactMap { $0["event"]?.stringValue }) == Set(ids))
  }

  @Test func withoutARunnerAFireSaysWhereToLook() async throws {
    let runner = try await runner("")
    _ = try await runner.run(["migrate"])

    let outcome = try await runner.run(["schedules", "fire", "tick"])

    #expect(outcome.exit == 0)
    #expect(outcome.stdout.contains("has not ended yet; runner why tick@"))
  }

  @Test func listAndHistoryShowWhatBecameOfOccurrences() async throws {
    let runner = try await runner(
      #","timezone":"Europe/Berlin""#, script: "cat > /dev/null; exit 65",
      more: #","never":{"triggers":[{"schedule":"0 0 29 2 *"},{"schedule":"@yearly"}]}"#)
    _ = try await serve(runner)
    try await advance(runner, "1h")

    let list = try await json(runner, "list")
    #expect(list.compactMap { $0["name"]?.stringValue } == ["tick", "never-1", "never-2"])
    #expect(list.first?["next"]?.stringValue == "2027-01-01T02:00:00.000Z")
    #expect(list.first?["timezone"]?.stringValue == "Europe/Berlin")
    #expect(list.first?["last"]?["outcome"]?.stringValue == "dead: INVALID_EVENT")
    let shown = try await runner.run(["schedules", "list"]).stdout.split(separator: "\n").map(String.init)
    #expect(shown.count == 4)
    #expect(shown[1].contains("01-01 01:00:00Z"))
    #expect(shown[2].contains("02-29 00:00:00Z  never"))
    let history = try await runner.run(["schedules", "history"]).stdout
    #expect(history.contains("dead: INVALID_EVENT"))
  }

  @Test func nextShowsLocalTimeAndUTCAndWhatTheClockDoes() async throws {
    let outcome = try await BuiltExecutables.run(
      "runner",
      ["schedules", "next", "30 2 * * *", "--timezone", "America/New_York", "--from", "2026-03-07", "--count", "3"])

    #expect(
      outcome.stdout == """
        local                      UTC
        2026-03-07T02:30:00-05:00  2026-03-07T07:30:00Z
        2026-03-08T03:00:00-04:00  2026-03-08T07:00:00Z  in place of 02:30, which the clock skips
        2026-03-09T02:30:00-04:00  2026-03-09T06:30:00Z

        """)
    let named = try await json(runner(#","timezone":"Asia/Tokyo""#), "next", "tick", "--from", "2026-01-01T00:30:00Z")
    #expect(named.count == 5)
    #expect(named.first?["time"]?.stringValue == "2026-01-01T01:00:00Z")
    #expect(named.first?["local"]?.stringValue == "2026-01-01T10:00:00+09:00")
  }

  @Test func nextTakesTabsBetweenFields() async throws {
    let outcome = try await BuiltExecutables.run(
      "runner", ["schedules", "next", "0\t9\t*\t*\t*", "--from", "2026-03-07", "--count", "1"])

    #expect(outcome.exit == 0 && outcome.stdout.contains("2026-03-07T09:00:00Z"), "\(outcome.stderr)")
  }

  @Test(arguments: [
    (["next"], "Which expression"), (["next", "0 0 30 2 *"], "can never fire"),
    (["next", "TZ=Europe/Rome 0 2 * * *"], #"write "timezone": "Europe/Rome" beside it"#),
    (["next", "nobody"], "There is no schedule"),
    (["next", "@daily", "--timezone", "Nowhere"], "Nowhere"), (["next", "@daily", "--count", "0"], "--count"),
    (["next", "@daily", "--from", "soon"], "no instant"), (["fire"], "Which schedule"),
    (["pause", "tik"], "did you mean tick?"),
    (["dance"], "There is no command runner schedules dance"), (["history", "--count", "x"], "--count"),
  ])
  func badUsageHasItsExitStatusAndASentence(_ words: [String], _ sentence: String) async throws {
    let outcome = try await runner("").run(["schedules"] + words)

    #expect(outcome.exit == 64)
    #expect(outcome.stderr.contains(sentence), "\(outcome.stderr)")
  }
}
