import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner why`, on real reasons why events wait.
@Suite(.heavy)
struct WhyCommandTests {
  private func why(_ runner: RunningRunner, _ id: String) async throws -> (reason: String?, text: String) {
    let json = try await RecordedEvents.json(runner, ["why", id])
    let text = try await runner.run(["why", id])
    #expect(text.exit == 0)
    let sentences = json["sentences"]?.elements?.compactMap(\.stringValue) ?? []
    // Between the two calls a minute may turn.
    let spans = #/\d+ (h|min|s)\b/#
    #expect(
      (sentences.joined(separator: "\n") + "\n").replacing(spans, with: "") == text.stdout.replacing(spans, with: ""))
    return (json["reason"]?.stringValue, text.stdout)
  }

  private func ids(_ runner: RunningRunner, _ table: String = "events") async throws -> [String] {
    try await runner.database.query(
      "SELECT partition || '.' || id AS id FROM runner.\(unescaped: table) ORDER BY id"
    ).decode("id", as: String.self)
  }

  @Test func saysWhatBecameOfEventsThatHaveEnded() async throws {
    let runner = try await RecordedEvents.make()

    let (done, dead, call) = (
      try await why(runner, "5.4"), try await why(runner, "5.3"), try await why(runner, "call-1")
    )

    #expect(done.reason == "done" && done.text.contains("note ended it at"))
    #expect(dead.reason == "dead" && dead.text.contains("because its process crashed 3 times"))
    #expect(dead.text.contains("runner events retry 5.3"))
    #expect(call.reason == "failed" && call.text.contains("WORKER_ERROR: no"))
  }

  @Test func withoutARunnerNothingRuns() async throws {
    let runner = try await RecordedEvents.make()

    let (waiting, retrying) = (try await why(runner, "5.1"), try await why(runner, "5.2"))

    #expect(waiting.reason == "noRunner" && waiting.text == "No runner is up: start one with runner serve.\n")
    #expect(retrying.reason == "retryDue" && retrying.text.contains("(in 1 h "))
    #expect(retrying.text.contains("No runner is up"))
  }

  @Test func anEventStandsBehindOthersOfItsKey() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    try await runner.database.script(
      "INSERT INTO items VALUES (1, 'same'); INSERT INTO items VALUES (2, 'same'); INSERT INTO items VALUES (3, 'same')"
    )
    let ids = try await ids(runner)

    let last = try await why(runner, ids[2])

    #expect(last.text.contains("2 events of its key stand in front of it; the first is \(ids[0])."))
  }

  @Test func anIdThatAnEventCameWithMayLookLikeAPlace() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    try await runner.database.script(
      """
      INSERT INTO runner.events (partition, id, function, event_id, type, data)
      VALUES (5, 900, 'note', '5.700', 't', '{}')
      """)
    func owner(_ function: String...) async throws -> String? {
      let options = function.isEmpty ? [] : ["--function", function[0]]
      return try await RecordedEvents.json(runner, ["events", "show", "5.700"] + options)["function"]?.stringValue
    }

    #expect(try await owner() == "note")
    try await runner.database.script(
      "INSERT INTO runner.events (partition, id, function, type, data) VALUES (5, 700, 'strict', 't', '{}')")
    #expect(try await owner() == "strict")
    #expect(try await owner("note") == "note")
  }

  @Test func aDeadLetterBlocksItsKeyWhereTheFunctionSaysSo() async throws {
    let runner = try await RecordedEvents.make(scripts: ["note.sh": "cat > /dev/null; exit 65"], rows: false)
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO orders VALUES (1, 'same')")
    try await runner.wait(until: "EXISTS (SELECT 1 FROM runner.dead_letters)")
    let dead = try await ids(runner, "dead_letters")[0]
    try await runner.database.script("INSERT INTO orders VALUES (2, 'same'); INSERT INTO orders VALUES (3, 'free')")
    try await runner.wait(until: "SELECT count(*) = 2 FROM runner.dead_letters")

    let report = try await why(runner, try await ids(runner)[0])

    #expect(report.reason == "blocked")
    #expect(report.text.hasPrefix(#"Its key "same" is blocked by the dead letter \#(dead) (INVALID_EVENT)"#))
    #expect(report.text.contains("runner events retry \(dead)"))
  }

  @Test func aPausedFunctionSaysWhatItMissesAndHowItIsResumed() async throws {
    let runner = try await RecordedEvents.make(
      scripts: [
        "note.sh": #"cat > /dev/null; echo '{"error":{"message":"no key of APNs"}}'; exit 78"#
      ], rows: false)
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1, 'a')")
    try await served.program.line { $0.contains("The function is paused") }

    let report = try await why(runner, try await ids(runner)[0])

    #expect(report.reason == "paused")
    #expect(report.text.contains("note is paused (CONFIG_ERROR: no key of APNs)"))
    #expect(report.text.contains("runner resume note"))
  }

  @Test func anUncommittedEventNamesTheConnectionsThatMayHoldIt() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    let writer = Connection(url: runner.databaseURL, applicationName: "slow writer")

    try await writer.transaction { transaction in
      _ = try await transaction.query("INSERT INTO items VALUES (1, 'a')")
      let id: String = try await transaction.query("SELECT partition || '.' || id AS id FROM runner.events").only()
        .decode("id")
      try await runner.wait(
        until: "EXISTS (SELECT 1 FROM pg_stat_activity WHERE xact_start < clock_timestamp() - interval '1.2 seconds'"
          + " AND application_name = 'slow writer')")

      let report = try await why(runner, id)

      #expect(report.reason == "uncommitted")
      #expect(report.text.contains("(slow writer, user "))
      #expect(report.text.contains("has written events that it has not committed"))
    }
    #expect(try await why(runner, "3.9000000000000").reason == "notDrawn")
    #expect(try await why(runner, "nobody").reason == "unknown")
  }

  @Test func aPausedScheduleMakesNoEvents() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    try await runner.database.script(
      """
      INSERT INTO runner.schedules (name, expression, timezone, since, paused_at)
      VALUES ('tick', '0 0 1 1 *', 'UTC', runner.now(), '2026-08-01 12:00:00Z')
      """)

    let report = try await why(runner, "tick@2099-01-01T00:00:00.000Z")

    #expect(report.reason == "schedulePaused")
    #expect(report.text.contains("The schedule tick has been paused since 2026-08-01 12:00:00Z"))
    #expect(report.text.contains("It is due at 2099-01-01 00:00:00Z"))
  }

  @Test func anEventOfAFunctionThatIsGoneSaysSo() async throws {
    let runner = try await RecordedEvents.make()
    try runner.project.write(#"{"functions":{"echo":{}}}"#, to: "functions.json")

    let report = try await why(runner, "5.1")

    #expect(report.reason == "unknownFunction")
    #expect(report.text.hasPrefix("functions.json has no function note"))
  }
}
