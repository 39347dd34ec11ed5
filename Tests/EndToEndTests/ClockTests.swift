import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner clock` on a serving runner.
@Suite(.heavy)
struct ClockTests {
  /// Writes down what each function was told.
  static let note = "event=$(cat); printf '%s\\n' \"$event\" >> got"

  /// Runs `runner clock` to its end and reads what it printed.
  func clock(_ runner: RunningRunner, _ words: String...) async throws -> [RawJSON] {
    let outcome = try await runner.run(
      ["clock"] + words + ["--any-local-database", "--json"], timeout: .seconds(200))
    #expect(outcome.exit == 0, "\(outcome.stderr)")
    return try outcome.stdout.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
  }

  func minute(_ line: RawJSON) -> String {
    String(line["time"]?.stringValue?.prefix(16) ?? "")
  }

  func runner(
    _ functions: String, scripts: [String: String] = ["note.sh": note]
  ) async throws -> RunningRunner {
    try await RunningRunner(#"{"functions":{\#(functions)}}"#, scripts: scripts)
  }

  static let hourly =
    #""note":{"executable":"note.sh","mode":"oneshot","triggers":[{"schedule":"0 * * * *"}]}"#

  func occurrences(_ runner: RunningRunner) async throws -> [String] {
    try runner.got().compactMap { $0["id"]?.stringValue }
  }

  @Test func whatComesDueOnTheWayHappensInOrderAndOnce() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{
        "remind":{"executable":"note.sh","mode":"oneshot",
          "triggers":[{"schedule":"30 1 * * *","timezone":"America/New_York"}]},
        "fail":{"executable":"fail.sh","mode":"oneshot","attempts":3,
          "triggers":[{"table":"items","events":["INSERT"]}]},
        "wake":{"executable":"wake.sh","mode":"oneshot","triggers":[{"notify":"others"}]}
      }}
      """#,
      scripts: [
        "note.sh": Self.note,
        "fail.sh": #"cat >/dev/null; echo '{"error":{"message":"no","retryAfter":7200}}'; exit 75"#,
        "wake.sh": #"cat >/dev/null; [ -e woken ] || echo '{"wakeAt":"2026-11-02T12:00:00Z"}'; touch woken"#,
      ])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY); CREATE TABLE others ()")
    _ = try await runner.run(["migrate"])
    _ = try await clock(runner, "set", "2026-10-30T00:00:00Z")
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.wakeups")
    try await runner.database.script("INSERT INTO items VALUES (1)")

    let lines = try await clock(runner, "advance", "8d")

    // New York leaves summer time on November 1.
    let reminders = lines.filter { $0["function"]?.stringValue == "remind" }
    #expect(
      reminders.map(minute) == [
        "2026-10-30T05:30", "2026-10-31T05:30", "2026-11-01T05:30", "2026-11-02T06:30", "2026-11-03T06:30",
        "2026-11-04T06:30", "2026-11-05T06:30", "2026-11-06T06:30",
      ])
    let failures = lines.filter { $0["function"]?.stringValue == "fail" }
    #expect(failures.map(minute).suffix(2) == ["2026-10-30T02:00", "2026-10-30T04:00"])
    #expect(try await runner.database.query("SELECT 1 FROM runner.dead_letters WHERE attempts = 3").count == 1)
    #expect(lines.filter { $0["kind"]?.stringValue == "wake-up" }.map(minute) == ["2026-11-02T12:00"])
    let times = lines.compactMap { $0["time"]?.stringValue }
    #expect(times == times.sorted())
    #expect(lines.last?["now"]?.stringValue?.hasPrefix("2026-11-07T00:0") == true)
    let ids = try runner.got().compactMap { $0["id"]?.stringValue }
    #expect(ids.count == 8)
    #expect(Set(ids).count == 8)
    #expect(ids.first == "remind@2026-10-30T05:30:00.000Z")
    #expect(try runner.got().last?["data"]?["firedAt"]?.stringValue?.hasPrefix("2026-11-06T06:30:00") == true)
  }

  @Test func runUntilIdleEndsWithTheLastRetryOrWakeUpNotWithSchedules() async throws {
    let runner = try await runner(
      Self.hourly + #","wake":{"executable":"wake.sh","mode":"oneshot","triggers":[{"notify":"items"}]}"#,
      scripts: [
        "note.sh": Self.note,
        "wake.sh": #"cat >/dev/null; [ -e woken ] || echo '{"wakeAt":"2027-01-01T02:30:00Z"}'; touch woken"#,
      ])
    try await runner.database.script("CREATE TABLE items ()")
    _ = try await runner.run(["migrate"])
    _ = try await clock(runner, "set", "2027-01-01T00:30:00Z")
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.wakeups")

    let lines = try await clock(runner, "run-until-idle")

    #expect(lines.dropLast().map(minute) == ["2027-01-01T01:00", "2027-01-01T02:00", "2027-01-01T02:30"])
    #expect(lines.last?["now"]?.stringValue?.hasPrefix("2027-01-01T02:30") == true)
    #expect(try await clock(runner, "run-until-idle").count == 1)
  }

  @Test func runUntilIdleEndsAtItsLimit() async throws {
    let runner = try await runner(
      #""wake":{"executable":"wake.sh","mode":"oneshot","triggers":[{"notify":"items"}]}"#,
      scripts: ["wake.sh": #"cat >/dev/null; echo '{"wakeAt":"2030-01-01T00:00:00Z"}'"#])
    try await runner.database.script("CREATE TABLE items ()")
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.wakeups")

    let lines = try await clock(runner, "run-until-idle", "--limit", "2d")

    #expect(lines.count == 1)
    #expect((172_790...172_800).contains(lines.last?["offset"]?.doubleValue ?? 0))
  }

  @Test func theLastWishIsStoredAlsoWhereItCameWhileAnEarlierOneWasBeingStored() async throws {
    let runner = try await runner(
      #""wake":{"executable":"wake.sh","mode":"oneshot","triggers":[{"notify":"items"}]}"#,
      scripts: [
        "wake.sh": #"""
        cat >/dev/null; echo run >> runs
        echo "{\"wakeAt\":\"2030-01-01T00:00:$(printf %02d $(wc -l < runs))Z\"}"
        """#
      ])
    try await runner.database.script("CREATE TABLE items ()")
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.wakeups")
    func runs() throws -> Int {
      try String(contentsOfFile: "\(runner.project.path)/runs", encoding: .utf8).split(separator: "\n").count
    }

    let before = try runs()
    let signals = Connection(url: runner.databaseURL, applicationName: "test")
    try await runner.database.transaction { transaction in
      _ = try await transaction.query("LOCK TABLE runner.wakeups IN SHARE MODE")
      for count in 1...3 {
        try await signals.script("NOTIFY runner_notify, 'wake'")
        try await eventually("run \(count)") { try runs() >= before + count }
      }
    }

    try await runner.wait(
      until:
        "SELECT at = '2029-12-31T23:59:59Z'::timestamptz + make_interval(secs => 1 + \(try runs())) FROM runner.wakeups"
    )
  }

  @Test func setBackNothingFiresTwiceAndSetForwardTheCatchUpPolicyDecides() async throws {
    let runner = try await runner(Self.hourly)
    _ = try await runner.run(["migrate"])
    _ = try await clock(runner, "set", "2027-01-01T00:30:00Z")
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(*) = 1 FROM runner.schedules WHERE next_at = '2027-01-01T01:00:00Z'")
    _ = try await clock(runner, "advance", "90m")
    #expect(try await occurrences(runner).count == 2)

    // The clock is set as an administrator would set it: nobody says a word.
    try await runner.database.script(
      #"UPDATE runner.clock SET "offset" = "offset" - interval '1 hour'; NOTIFY runner_control, 'clock'"#)
    _ = try await clock(runner, "advance", "1h")
    #expect(try await occurrences(runner).count == 2)
    try await runner.database.script(
      #"UPDATE runner.clock SET "offset" = "offset" + interval '5 hours 10 minutes'; NOTIFY runner_control, 'clock'"#)
    _ = try await clock(runner, "advance", "1s")

    let ticks = try runner.got().compactMap { $0["data"] }
    #expect(
      ticks.compactMap { $0["scheduledTime"]?.stringValue?.prefix(16) } == [
        "2027-01-01T01:00", "2027-01-01T02:00", "2027-01-01T07:00",
      ])
    #expect(ticks.last?["missedCount"]?.intValue == 4)
    #expect(ticks.last?["isPastDue"] == RawJSON(trusting: Array("true".utf8)))
  }

  @Test func twoRunnersFollowAndDoEachThingOnce() async throws {
    let runner = try await runner(Self.hourly + #","echo":{}"#)
    let (first, second) = (try await runner.start(), try await runner.start())
    #expect(try await first.call("echo").json?["now"] == nil)
    let given = #"{"specversion":"1.0","id":"1","source":"s","type":"t","now":"2020-01-01T00:00:00Z"}"#
    #expect(try await first.call("echo", given).json?["now"] == nil, "a caller does not say what time it is")

    _ = try await clock(runner, "advance", "1d")

    let ids = try await occurrences(runner)
    #expect(ids.count == 24)
    #expect(Set(ids).count == 24)
    let ahead = Date.now.addingTimeInterval(86_000)
    for (served, body) in [(first, "{}"), (second, given)] {
      let now = try await served.call("echo", body).json?["now"]?.stringValue.flatMap(RFC3339.date)
      #expect((now ?? .distantPast) > ahead)
    }
  }

  @Test func theClockIsNotSetBackWhileRowsAreStampedLater() async throws {
    let runner = try await runner(Self.hourly)
    try await runner.database.script(
      """
      CREATE TABLE items (id int, made_at timestamptz DEFAULT now(), due timestamptz);
      INSERT INTO items (id) VALUES (1);
      """)
    _ = try await runner.start()
    _ = try await clock(runner, "advance", "3h")
    _ = try await runner.database.query(
      "INSERT INTO items SELECT 2, runner.now(), runner.now() + interval '1 hour'")

    for (words, rows) in [(["realtime"], 1), (["set", "2026-01-01"], 2)] {
      let refused = try await runner.run(["clock"] + words + ["--any-local-database"])
      #expect(refused.exit == 64)
      #expect(refused.stderr.contains("public.items.made_at: \(rows) rows"))
      #expect(refused.stderr.contains("runner.schedules.last_scheduled_time: 1 rows"))
      #expect(!refused.stderr.contains("items.due"))
      #expect(refused.stderr.contains("'runner reset'"))
    }
    let offset = try await clock(runner, "now").last?["offset"].map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(offset.flatMap(Double.init) ?? 0 > 10_000)
  }

  @Test func withoutARunnerTheClockIsShownAndSetAndNothingElse() async throws {
    let runner = try await runner(Self.hourly)
    _ = try await runner.run(["migrate"])

    let now = try await runner.run(["clock"])
    #expect(now.stdout.contains("real time"))
    let advance = try await runner.run(["clock", "advance", "1d", "--any-local-database"])
    #expect(advance.exit == 75)
    #expect(advance.stderr.contains("start one first"))
    let set = try await runner.run(["clock", "set", "2030-01-01", "--any-local-database"])
    #expect(set.stdout.hasPrefix("2030-01-01 00:00:0"))
    #expect(set.stdout.contains("ahead of real time"))
    #expect(try await clock(runner, "realtime").last?["offset"]?.intValue == 0)
  }

  @Test func aDatabaseThatIsNotTheProjectsIsNotSetUnasked() async throws {
    let runner = try await runner(Self.hourly)
    _ = try await runner.run(["migrate"])

    let outcome = try await runner.run(["clock", "set", "2030-01-01"])

    #expect(outcome.exit == 78)
    #expect(outcome.stderr.contains("--any-local-database"))
    #expect(try await clock(runner, "now").last?["offset"]?.intValue == 0)
  }

  @Test(arguments: [
    ["advance"], ["advance", "x"], ["advance", "24:00"], ["set", "tomorrow"], ["sleep"], ["advance", "1d", "2d"],
    ["run-until-idle", "--limit", "0s"],
  ])
  func badUsageHasItsExitStatusAndASentence(_ words: [String]) async throws {
    let outcome = try await runner(Self.hourly).run(["clock"] + words)

    #expect(outcome.exit == 64)
    #expect(outcome.stderr.hasPrefix("runner: "))
  }
}

extension RawJSON {
  fileprivate var doubleValue: Double? { Double(String(decoding: bytes, as: UTF8.self)) }
}
