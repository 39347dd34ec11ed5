import Postgres
import TestSupport
import Testing

/// The deeds of the console's forms, which they do once.
@Suite(.heavy)
struct ConsoleDeedsTests {
  private static let root = "/_/console/"

  @Test func anIDMayBeginWithAHyphen() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("--all", "-h", "one")
    let event = try await console.get(Self.root + "event/--all?function=bad")
    #expect(event.text.contains("runner export --function bad -- &#39;--all&#39;"))

    let one = try await console.post(
      Self.root + "event/--all/purge", [("function", "bad"), ("token", event.token)])
    #expect(one.status == 303, "\(one.text)")
    let chosen = [("act", "purge"), ("chosen", "bad -h"), ("token", event.token)]
    let two = try await console.post(Self.root + "dead/chosen", chosen)
    #expect(two["location"] == "/_/console/dead?done=purged&number=1")
    let left = try await console.served.runner.database.query("SELECT event_id FROM runner.dead_letters")
    #expect(try left.map { try $0.decode("event_id", as: String.self) } == ["one"])
  }

  @Test func manyAreRetriedOnlyAfterAQuestionAndWhatWasDoneIsSaid() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two")
    try console.served.runner.project.write("", to: "mended")
    let token = try await console.get(Self.root + "dead").token
    let form = [("act", "retry"), ("chosen", "bad one"), ("chosen", "bad two"), ("token", token)]

    let question = try await console.post(Self.root + "dead/chosen", form)
    #expect(question.status == 200 && question.text.contains("Retry 2 dead letters?"))
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 2)
    // A word that no command takes keeps all of them from being run.
    let wrong = try await console.post(
      Self.root + "dead/chosen", form + [("chosen", "-x one"), ("sure", "3")])
    #expect(wrong.status == 400)
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 2)
    // The second command fails after the first has retried.
    let part = try await console.post(
      Self.root + "dead/chosen", form + [("chosen", "gone one"), ("sure", "3")])
    #expect(part.status == 409 && part.text.contains("<h1>Only a part was done</h1>"))
    #expect(part.text.contains("2 dead letters were retried. It ended at those of gone: There is no function gone"))
    try await console.served.runner.wait(
      until: "(SELECT count(*) FROM runner.history WHERE function = 'bad' AND code = 'OK') = 2")
  }

  @Test func aScheduleIsFiredAndPaused() async throws {
    let console = try await ServedConsole.start()
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")

    let page = try await console.get(Self.root + "schedules/tick")
    #expect(page.text.contains("Europe/Berlin") && page.text.contains(", 03:00"))
    let paused = try await console.post(Self.root + "schedules/tick/pause", [("token", page.token)])
    #expect(paused.status == 303)
    #expect(try await console.get(Self.root + "schedules/tick").text.contains("nothing will be made up"))
    _ = try await console.post(Self.root + "schedules/tick/resume", [("token", page.token)])
    let form = try #require(page.text.firstMatch(of: /name="sure" value="([^"]+)"/).map { String($0.1) })
    let token = page.token
    @Sendable func fire(_ form: String) async throws -> String? {
      try await console.post(
        Self.root + "schedules/tick/fire", [("sure", form), ("token", token)])["location"]
    }
    // Two presses at once, and a third one later, fire one.
    async let one = fire(form)
    async let two = fire(form)
    let fired = try await [one, two, fire(form)]
    #expect(Set(fired).count == 1 && fired[0]?.hasPrefix("/_/console/event/tick%40") == true)
    let fires: SQL = "SELECT FROM runner.schedule_fires WHERE manual"
    #expect(try await console.served.runner.database.query(fires).count == 1)
    let later = try await console.get(Self.root + "schedules/tick")
    let other = try #require(later.text.firstMatch(of: /name="sure" value="([^"]+)"/).map { String($0.1) })
    #expect(try await fire(other) != fired[0])
    #expect(try await console.served.runner.database.query(fires).count == 2)
    let preview = try await console.get(Self.root + "clock?span=8d")
    #expect(preview.text.contains("/_/console/schedules/tick") && preview.text.contains("Move the clock to"))
    #expect(try await console.get(Self.root + "clock?span=100000d").status == 400)
  }

  @Test func theClockGoesWhereTheButtonSaysAndBackToRealTime() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"good":{"executable":"good.sh","mode":"oneshot"}}}"#, scripts: ServedConsole.scripts)
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    // Only the clock of a project's own database is moved.
    try runner.project.write(runner.databaseURL, to: ".runner/database-url")
    let path = Self.root + "clock/advance"
    let page = try await console.get(Self.root + "clock?span=2h")
    let said = try #require(page.text.firstMatch(of: /name="to" value="([-0-9]+ [:0-9]+Z)"/)).1
    #expect(page.text.contains("Move the clock to ") && !page.text.contains("Back to real time"))

    let moved = try await console.post(path, [("to", String(said)), ("token", page.token)])
    #expect(moved.status == 303, "\(moved.text)")
    let reached = try await runner.database.query(
      "SELECT runner.now() BETWEEN \(String(said))::timestamptz AND \(String(said))::timestamptz + '1 min' AS yes")
    #expect(try reached.only().decode("yes"))
    // The same button once more: its instant has passed.
    let late = try await console.post(path, [("to", String(said)), ("token", page.token)])
    #expect(late.status == 400 && late.text.contains("already: nothing was done."))
    for wrong in ["", "soon", "2999-01-01"] {
      #expect(try await console.post(path, [("to", wrong), ("token", page.token)]).status == 400, "\(wrong)")
    }

    let virtual = try await console.get(Self.root + "clock")
    #expect(virtual.text.contains("ahead of real time") && virtual.text.contains("Back to real time"))
    let back = try await console.post(Self.root + "clock/realtime", [("token", page.token)])
    #expect(back.status == 303 && back["location"] == "/_/console/clock", "\(back.text)")
    #expect(try await console.get(Self.root + "clock").text.contains("Events go by real time"))
    let offset = try await runner.database.query("SELECT \"offset\" = '0' AS none FROM runner.clock")
    #expect(try offset.only().decode("none"))
  }

  @Test func aPausedFunctionIsTriedAgain() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"note":{"executable":"note.sh","mode":"oneshot","triggers":[{"table":"items","events":["INSERT"]}]}}}"#,
      scripts: ["note.sh": "[ -e mended ] || exit 78; cat >/dev/null"])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY)")
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    try await runner.database.script("INSERT INTO items VALUES (1)")
    try await console.wait(for: "Try it again", on: Self.root + "functions/note")
    try runner.project.write("", to: "mended")

    let token = try await console.get(Self.root + "functions/note").token
    let again = try await console.post(Self.root + "functions/note/resume", [("token", token)])
    #expect(again.status == 303 && again["location"] == "/_/console/functions/note")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE function = 'note' AND code = 'OK')")
    #expect(try await !console.get(Self.root + "functions/note").text.contains("Try it again"))
  }
}
