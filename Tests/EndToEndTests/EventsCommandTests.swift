import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner events list`, `show`, `dead`, `retry` and `purge`, as their users type them.
@Suite(.heavy)
struct EventsCommandTests {
  @Test func listsEventsOfAllStatesNewestFirst() async throws {
    let runner = try await RecordedEvents.make()

    let events = try await RecordedEvents.json(runner, ["events", "list"]).elements ?? []

    #expect(
      events.map { $0["state"]?.stringValue } == ["failed", "done", "dead", "retrying", "waiting"])
    #expect(events.map { $0["id"]?.stringValue } == ["call-1", "5.4", "5.3", "5.2", "5.1"])
    #expect(events.map { $0["attempts"]?.intValue } == [1, 2, 3, 1, 0])
    #expect(events.map { $0["code"]?.stringValue } == ["WORKER_ERROR", "OK", "WORKER_CRASH", "UNAVAILABLE", nil])
    #expect(
      events.map { $0["kind"]?.stringValue } == ["http", "INSERT public.items"]
        + .init(repeating: "INSERT public.items", count: 3))
    let table = try await runner.run(["events", "list"]).stdout.split(separator: "\n")
    #expect(table.count == 6)
    #expect(
      table[0].split(separator: " ").map(String.init) == [
        "id", "state", "at", "function", "kind", "key", "attempts", "code",
      ])
  }

  @Test(arguments: [
    (["--state", "dead"], ["5.3"]), (["--state", "done"], ["5.4"]), (["--state", "failed"], ["call-1"]),
    (["--key", "k1"], ["5.4", "5.3", "5.2", "5.1"]), (["--key", "other"], []), (["--function", "tick"], []),
    (["--count", "2"], ["call-1", "5.4"]), (["--since", "150s"], ["call-1", "5.4"]),
  ])
  func aListCanBeNarrowed(_ options: [String], _ ids: [String]) async throws {
    let runner = try await RecordedEvents.make()

    let events = try await RecordedEvents.json(runner, ["events", "list"] + options).elements

    #expect(events?.compactMap { $0["id"]?.stringValue } == ids)
  }

  @Test func anEventThatIsBeingHandledIsListedAsRunning() async throws {
    let runner = try await RecordedEvents.make(
      scripts: ["note.sh": "cat > /dev/null; echo > started; while [ ! -e go ]; do sleep 0.02; done"], rows: false)
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1, 'a')")
    let id: String = try await runner.database.query("SELECT partition || '.' || id AS id FROM runner.events").only()
      .decode("id")
    let started = "while [ ! -e \(runner.project.path)/started ]; do sleep 0.02; done"
    #expect(try await BuiltExecutables.run("/bin/sh", ["-c", started]).exit == 0)

    let events = try await RecordedEvents.json(runner, ["events", "list", "--state", "running"]).elements
    let why = try await RecordedEvents.json(runner, ["why", id])
    try runner.project.write("", to: "go")
    try await runner.wait(until: "NOT EXISTS (SELECT 1 FROM runner.events)")

    #expect(events?.map { $0["id"]?.stringValue } == [id])
    #expect(events?.map { $0["state"]?.stringValue } == ["running"])
    #expect(why["reason"]?.stringValue == "running")
    #expect(try await runner.run(["events", "list", "--state", "running"]).stdout == "No events.\n")
  }

  @Test func showsEveryAttemptAndTheBody() async throws {
    let runner = try await RecordedEvents.make()

    let event = try await RecordedEvents.json(runner, ["events", "show", "5.4"])
    let text = try await runner.run(["events", "show", "5.4"]).stdout

    let attempts = event["attempts"]?.elements ?? []
    #expect(attempts.map { $0["code"]?.stringValue } == ["UNAVAILABLE", "OK"])
    #expect(attempts.map { $0["exit"]?.intValue } == [75, 0])
    #expect(attempts.first?["error"]?.stringValue == "busy\nno place")
    #expect(event["event"]?["id"]?.stringValue == "5.4")
    #expect(event["event"]?["data"]?["record"]?["id"]?.intValue == 9_007_199_254_740_993)
    #expect(text.contains("state     done"))
    #expect(text.contains("no place"))
    #expect(text.contains(#""id": 9007199254740993"#))
  }

  @Test(arguments: ["5.1", "5.2", "5.3", "5.4", "call-1"])
  func redactedValuesNeverLeaveTheDatabase(_ id: String) async throws {
    let runner = try await RecordedEvents.make()

    for words in [
      ["show", id], ["show", id, "--json"], ["list"], ["list", "--json"], ["dead", "--json"], ["why", id],
    ] {
      let outcome = try await runner.run(["events"] + words)
      #expect(outcome.exit == 0, "\(words)")
      #expect(!outcome.stdout.contains("hush") && !outcome.stderr.contains("hush"), "\(words)")
    }
    let record = try await runner.run(["export", id])
    #expect(record.exit == 0)
    #expect(record.stdout.contains(#""secret": null"#))
    #expect(!record.stdout.contains("hush"))
  }

  @Test func listsDeadLettersWithTheirReason() async throws {
    let runner = try await RecordedEvents.make()

    let outcome = try await runner.run(["events", "dead"])

    let line = outcome.stdout.split(separator: "\n").last ?? ""
    #expect(line.hasPrefix("5.3 "))
    #expect(line.contains("WORKER_CRASH"))
    #expect(line.hasSuffix("ended by signal 11"))
    #expect(!outcome.stdout.contains("second line"))
    #expect(try await runner.run(["events", "dead", "--code", "OTHER"]).stdout == "No dead letters.\n")
  }

  @Test func aReplayedDeadLetterIsHandledUnderItsID() async throws {
    let runner = try await RecordedEvents.make(
      scripts: ["note.sh": "cat >> got; [ -e mended ] || exit 65"], rows: false)
    _ = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1, 'k1', 'x')")
    try await runner.wait(until: "EXISTS (SELECT 1 FROM runner.dead_letters)")
    let dead = try await RecordedEvents.json(runner, ["events", "dead"]).elements ?? []
    let id = dead.first?["id"]?.stringValue ?? ""
    try runner.project.write("", to: "mended")

    let outcome = try await runner.run(["events", "retry", id])

    #expect(outcome.stdout == "retried 1 dead letter\n")
    try await runner.wait(
      until: "(SELECT count(*) FROM runner.retries) + (SELECT count(*) FROM runner.dead_letters) = 0")
    let got = try String(contentsOfFile: "\(runner.project.path)/got", encoding: .utf8)
    #expect(got.split(separator: "\n").count == 2)
    #expect(got.split(separator: "\n").allSatisfy { $0.contains(#""id":"\#(id)""#) })
  }

  @Test func aReplayedDeadLetterBeginsAnew() async throws {
    let runner = try await RecordedEvents.make()

    let outcome = try await RecordedEvents.json(runner, ["events", "retry", "--all"])

    #expect(outcome["retried"]?.elements?.compactMap(\.stringValue) == ["5.3"])
    let row = try await runner.database.query(
      "SELECT attempt, crashes, run_at <= runner.now() AS due, data IS NULL AS row FROM runner.retries WHERE id = 3"
    ).only()
    #expect(try (row.decode("attempt", as: Int.self), row.decode("crashes", as: Int.self)) == (0, 0))
    #expect(try row.decode("due", as: Bool.self))
  }

  @Test(arguments: ["retry", "purge"])
  func whatIsNoDeadLetterIsNamed(_ action: String) async throws {
    let runner = try await RecordedEvents.make()

    let (partly, nothing) = (
      try await runner.run(["events", action, "5.3", "5.1"]), try await runner.run(["events", action, "--code", "X"])
    )
    let unclear = try await runner.run(["events", action])

    #expect(partly.exit == 66)
    #expect(partly.stdout == "\(action == "purge" ? "purged" : "retried") 1 dead letter\n")
    #expect(partly.stderr == "runner: No dead letter has the id 5.1.\n")
    #expect(nothing.exit == 66)
    #expect(nothing.stderr == "runner: No dead letter matches.\n")
    #expect(unclear.exit == 64)
  }

  @Test func purgingDeletesOnlyWhatIsOldEnough() async throws {
    let runner = try await RecordedEvents.make()

    let young = try await runner.run(["events", "purge", "--dead", "--older-than", "1h"])
    let old = try await runner.run(["events", "purge", "--dead", "--older-than", "10s"])

    #expect(young.exit == 66)
    #expect(old.stdout == "purged 1 dead letter\n")
    #expect(try await runner.database.query("SELECT 1 FROM runner.dead_letters").isEmpty)
    let left = try await RecordedEvents.json(runner, ["events", "show", "5.3"])
    #expect(left["state"]?.stringValue == "failed")
    #expect(left["event"]?.kind == .null)
  }

  @Test(arguments: [
    (["events"], 64, "See runner events --help"), (["events", "lsit"], 64, "did you mean list?"),
    (["events", "list", "--funtcion", "x"], 64, "did you mean --function?"),
    (["events", "list", "--state", "gone"], 64, "waiting, running, retrying, dead, done, failed"),
    (["events", "list", "--since", "soon"], 64, "write 90s, 15m, 36h"), (["events", "show"], 64, "Which event?"),
    (["events", "show", "7.7"], 66, "There is no event 7.7"), (["event", "list"], 64, "did you mean events?"),
    (["events", "list", "--state", "running"], 75, "No runner"),
    (["events", "list", "--function", "noet"], 64, "There is no function noet; did you mean note?"),
    (["events", "dead", "--function", "tik"], 64, "did you mean tick?"),
    (["events", "retry", "--function", "ehco"], 64, "did you mean echo?"),
  ])
  func mistakesAreExplained(_ words: [String], _ status: Int, _ sentence: String) async throws {
    let runner = try await RecordedEvents.make()

    let outcome = try await runner.run(words)

    #expect(Int(outcome.exit) == status)
    #expect(outcome.stdout.isEmpty)
    #expect(outcome.stderr.contains(sentence))
  }

  @Test func aDatabaseThatIsNotThereIsASentence() async throws {
    let runner = try await RunningRunner(RecordedEvents.manifest, isMigrated: false)

    let bare = try await runner.run(["events", "list"])
    let away = try await BuiltExecutables.run(
      "runner", ["events", "list", "--project", runner.project.path],
      environment: ["DATABASE_URL": "postgresql://nobody:word@127.0.0.1:1/none"])
    let none = try await BuiltExecutables.run("runner", ["events", "list", "--project", runner.project.path])

    #expect(bare.exit == 78 && bare.stderr.contains("run \"runner migrate\" first"))
    #expect(away.exit == 75 && away.stderr.contains("The database does not answer"))
    #expect(!away.stderr.contains("word@"))
    #expect(!away.stderr.contains("is the runner up?") && !away.stderr.contains("?."), "\(away.stderr)")
    #expect(none.exit == 78 && none.stderr.contains("set DATABASE_URL"))
  }
}
