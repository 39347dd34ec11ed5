import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner resend`, `export` and `resume`.
@Suite(.heavy)
struct ResendTests {
  @Test func aResentEventIsANewOneThatNamesTheOldOne() async throws {
    let runner = try await RecordedEvents.make(rows: true)

    let (finished, dead) = (
      try await RecordedEvents.json(runner, ["resend", "5.4"]),
      try await RecordedEvents.json(runner, ["resend", "5.3"])
    )
    try await runner.database.script("DELETE FROM runner.events WHERE id = 1")
    _ = try await runner.start()
    try await runner.wait(until: "NOT EXISTS (SELECT 1 FROM runner.events)")

    let events = try runner.got()
    let pairs = events.map { [$0["id"]?.stringValue, $0["replayedfrom"]?.stringValue] }
    #expect(pairs.contains([finished["id"]?.stringValue, "5.4"]))
    #expect(pairs.contains([dead["id"]?.stringValue, "5.3"]))
    #expect(events.allSatisfy { $0["source"]?.stringValue == "/postgres/public/items" })
    #expect(events.allSatisfy { $0["data"]?["record"]?["secret"]?.stringValue == "hush" })
    #expect(try await runner.database.query("SELECT 1 FROM runner.dead_letters").count == 1)
  }

  @Test func whatHasRunCanBeListedShownExportedAndResent() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1, 'a', 'hush')")
    try await runner.wait(until: "EXISTS (SELECT 1 FROM runner.history WHERE code = 'OK')")

    let listed = try await RecordedEvents.json(runner, ["events", "list"]).elements ?? []
    let id = listed.first?["id"]?.stringValue ?? ""
    let shown = try await RecordedEvents.json(runner, ["events", "show", id])
    let recorded = try await runner.run(["export", id])
    let again = try await RecordedEvents.json(runner, ["resend", id])["id"]?.stringValue ?? ""
    try await runner.wait(until: "(SELECT count(*) FROM runner.history WHERE code = 'OK') = 2")
    let why = try await RecordedEvents.json(runner, ["why", again])

    #expect(listed.map { $0["state"]?.stringValue } == ["done"])
    #expect(shown["attempts"]?.elements?.map { $0["exit"]?.intValue } == [0])
    #expect(why["reason"]?.stringValue == "done")
    let events = try runner.got()
    #expect(events.map { $0["id"]?.stringValue } == [id, again])
    #expect(events.last?["replayedfrom"]?.stringValue == id)
    let fixture = try RawJSON(validating: Array(recorded.stdout.utf8)[...])
    #expect(fixture["data"]?["record"]?["secret"]?.kind == .null)
    #expect(fixture.members.map(\.name) == events.first?.members.map(\.name))
    served.program.send(15)
    try await served.program.exit()
  }

  @Test func aCallOverHTTPCanBeResentFromTheQueue() async throws {
    let runner = try await RecordedEvents.make()

    let outcome = try await runner.run(["resend", "call-1"])

    #expect(outcome.exit == 0)
    let row = try await runner.database.query(
      "SELECT event_id, source, data ->> 'secret' AS secret FROM runner.events WHERE replayedfrom = 'call-1'"
    ).only()
    #expect([row["event_id"], row["source"], row["secret"]] == [nil, "/http/note", "hush"])
  }

  @Test func aChangedEventIsANewOneHoweverOftenItIsSent() async throws {
    let runner = try await RecordedEvents.make()
    let shown = try await runner.run(["export", "5.4"]).stdout
    let changed = shown.replacing(#""name": "k1""#, with: #""name": "new""#)
      .replacing(#""partitionkey": "k1""#, with: #""partitionkey": "other""#)
    #expect(changed != shown && shown.contains(#""secret": null"#))
    let file = try runner.project.write(changed, to: "changed.json")
    let words = ["resend", "5.4", "--event", file, "--event-id", "new-1"]

    async let one = RecordedEvents.json(runner, words)
    async let two = RecordedEvents.json(runner, words)
    let answers = try await [one, two]
    let late = try await RecordedEvents.json(runner, words)

    #expect(answers.count { $0["isNew"] == RawJSON(true) } == 1 && late["isNew"] == RawJSON(false))
    #expect((answers + [late]).allSatisfy { $0["id"]?.stringValue == "new-1" })
    let row = try await runner.database.query(
      """
      SELECT key, replayedfrom, op || ' ' || table_name AS place, record ->> 'name' AS name,
        record ->> 'secret' AS secret, record ->> 'id' AS number, source
      FROM runner.events WHERE event_id = 'new-1'
      """
    ).only()
    #expect([row["key"], row["replayedfrom"], row["place"], row["name"]] == ["other", "5.4", "INSERT items", "new"])
    #expect([row["secret"], row["number"], row["source"]] == ["hush", "9007199254740993", nil])

    // Nor is it sent again when it has ended.
    try await runner.database.script("DELETE FROM runner.events WHERE event_id IS NULL")
    _ = try await runner.start()
    try await runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE event_id = 'new-1')")
    #expect(try await RecordedEvents.json(runner, words)["isNew"] == RawJSON(false))
    #expect(try runner.got().filter { $0["id"]?.stringValue == "new-1" }.count == 1)
  }

  @Test func redactedValuesOfAChangedCallStay() async throws {
    let runner = try await RecordedEvents.make()
    let shown = try await runner.run(["export", "call-1"]).stdout
    let file = try runner.project.write(shown.replacing(#""id": 1"#, with: #""id": 2.50"#), to: "changed.json")

    let answer = try await RecordedEvents.json(runner, ["resend", "call-1", "--event", file])

    #expect(answer["isNew"] == RawJSON(true))
    let row = try await runner.database.query(
      "SELECT data::text AS data, source FROM runner.events WHERE replayedfrom = 'call-1'"
    ).only()
    #expect(row["data"] == #"{"record": {"id": 2.50, "secret": "hush"}, "secret": "hush"}"#)
    #expect(row["source"] == "/http/note")
  }

  @Test(arguments: [
    ("public", "other", "data.schema stays public"), (#""data""#, #""date""#, "it has no member date"),
    ("INSERT", "DELETE", "data.type stays INSERT"), ("/postgres/public/items", "/x", "source stays /postgres"),
    (#""partitionkey": "k1""#, #""partitionkey": 1"#, "partitionkey is a string"),
    (#""old_record""#, #""older""#, "data has the members type, table, record, schema, old_record"),
    (#""specversion""#, #""specversion": "1.0", "specversion""#, "specversion is given twice"),
    (#"{"#, "", "it is not one JSON object"), (#""k1""#, #""\u0000""#, "it has U+0000"),
    (#""name": "k1""#, #""name": "\u0000""#, "it has U+0000"),
  ])
  func anotherEventIsNoChangedOne(_ old: String, _ new: String, _ problem: String) async throws {
    let runner = try await RecordedEvents.make()
    let shown = try await runner.run(["export", "5.4"]).stdout
    let range = try #require(shown.firstRange(of: old))
    let place = old == "public" ? try #require(shown.ranges(of: old).last) : range
    let file = try runner.project.write(shown.replacingCharacters(in: place, with: new), to: "changed.json")

    let outcome = try await runner.run(["resend", "5.4", "--event", file])

    #expect(outcome.exit == 65 && outcome.stderr.contains(problem), "\(outcome)")
    #expect(try await runner.database.query("SELECT FROM runner.events WHERE replayedfrom IS NOT NULL").isEmpty)
  }

  @Test func whatCannotBeResentIsExplained() async throws {
    let runner = try await RecordedEvents.make()
    try await runner.database.script("DELETE FROM runner.payloads")

    let (gone, waiting, unknown) = (
      try await runner.run(["resend", "5.4"]), try await runner.run(["resend", "5.1"]),
      try await runner.run(["resend", "9.9"])
    )
    let record = try await runner.run(["export", "5.4"])

    #expect(gone.exit == 66)
    #expect(gone.stderr.contains("Of event 5.4 only its outcome is left: whole events are kept for about 24 hours"))
    #expect(waiting.exit == 64 && waiting.stderr.contains("has not ended yet: it is waiting"))
    #expect(unknown.exit == 66)
    #expect(record.exit == 66 && record.stdout.isEmpty)
  }

  @Test func anExportedEventIsAFixture() async throws {
    let runner = try await RecordedEvents.make()

    let record = try await runner.run(["export", "5.4"])
    let file = try runner.project.write(record.stdout, to: "fixture.json")
    let invoked = try await runner.run(["invoke", "echo", "--event", file])

    #expect(record.stdout.split(separator: "\n").count > 10)
    let (fixture, echo) = (
      try RawJSON(validating: Array(record.stdout.utf8)[...]), try RawJSON(validating: Array(invoked.stdout.utf8)[...])
    )
    #expect(invoked.exit == 0)
    #expect(fixture["specversion"]?.stringValue == "1.0")
    #expect(echo["id"] == fixture["id"])
    #expect(echo["data"]?["record"]?["id"] == RawJSON(9_007_199_254_740_993))
    #expect(echo["data"]?["record"]?["secret"]?.kind == .null)
  }

  @Test func aPausedFunctionIsResumed() async throws {
    let runner = try await RecordedEvents.make(
      scripts: ["note.sh": "[ -e mended ] || exit 78; cat >> got"], rows: false)
    let before = try await runner.run(["resume", "note"])
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1, 'a', 'x')")
    try await served.program.line { $0.contains("The function is paused") }
    try runner.project.write("", to: "mended")

    let outcome = try await runner.run(["resume", "note"])
    let unknown = try await runner.run(["resume", "noet"])

    #expect(before.exit == 0 && before.stdout.hasPrefix("No runner is up."))
    #expect(outcome.stdout == "note may start again.\n")
    #expect(unknown.exit == 64 && unknown.stderr.contains("There is no function noet; did you mean note?"))
    try await runner.wait(until: "NOT EXISTS (SELECT 1 FROM runner.events)")
    #expect(try runner.got().count == 1)
  }
}
