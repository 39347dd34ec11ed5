import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner resend`, `export` and `resume`.
@Suite(.startsProcesses)
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
