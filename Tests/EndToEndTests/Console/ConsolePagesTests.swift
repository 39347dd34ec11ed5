import Postgres
import TestSupport
import Testing

/// Every page and act of the console, as a browser without JavaScript has them.
@Suite(.heavy)
struct ConsolePagesTests {
  private static let root = "/_/console/"

  @Test func everyPageOfTheNavigationIsThere() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one")
    let first = try await console.get(Self.root)
    let links = Set(first.text.matches(of: /href="(\/_\/console\/[^"]*)"/).map { String($0.1) })

    #expect(first.status == 200 && links.count > 8)
    for link in links {
      let page = try await console.get(link.replacing("&amp;", with: "&"))
      #expect(page.status == 200, "\(link)")
      #expect(page["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true, "\(link)")
      #expect(page["x-content-type-options"] == "nosniff" && page["referrer-policy"] == "same-origin", "\(link)")
      let isAsset = link.contains("/assets/")
      #expect(page["cache-control"] == (isAsset ? "public, max-age=31536000, immutable" : "no-store"), "\(link)")
      if !isAsset, !link.contains("format=") {
        #expect(page.text.contains("<h1>") && !page.text.contains("style="), "\(link)")
      }
    }
    #expect(first.text.utf8.count < 60_000)
    #expect(try await console.get(Self.root + "nothing").status == 404)
    #expect(try await console.get(Self.root + "event/nobody").status == 404)
  }

  @Test func aDeadLetterIsShownRetriedAndPurged() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("<i>", "two", "three")

    let list = try await console.get(Self.root + "dead")
    #expect(list.text.contains("value=\"bad &lt;i&gt;\"") && !list.text.contains("<i>"))
    let event = try await console.get(Self.root + "event/%3Ci%3E?function=bad")
    #expect(event.text.contains("&lt;i&gt;") && event.text.contains("INVALID_EVENT"))
    #expect(event.text.contains("runner export &#39;&lt;i&gt;&#39; --function bad"))

    let question = try await console.post(
      Self.root + "dead/all", [("act", "purge"), ("q", "function:bad"), ("token", list.token)])
    #expect(question.status == 200 && question.text.contains("Purge 3 dead letters?"))
    #expect(try await console.served.runner.database.query("SELECT 1 FROM runner.dead_letters").count == 3)
    let one = try await console.post(
      Self.root + "dead/chosen", [("act", "purge"), ("chosen", "bad two"), ("token", list.token)])
    #expect(one.status == 303 && one["location"] == "/_/console/dead?done=purged&number=1")
    // The number that was agreed to is no longer right.
    let late = try await console.post(
      Self.root + "dead/all", [("act", "purge"), ("q", "function:bad"), ("sure", "3"), ("token", list.token)])
    #expect(late.text.contains("Purge 2 dead letters?"))
    let all = try await console.post(
      Self.root + "dead/all", [("act", "purge"), ("q", "function:bad"), ("sure", "2"), ("token", list.token)])
    #expect(all["location"] == "/_/console/dead?done=purged&number=2")
    #expect(try await console.get(Self.root + "dead").text.contains("There is no dead letter."))
    let again = try await console.post(
      Self.root + "event/two/retry", [("function", "bad"), ("token", list.token)])
    #expect(again.status == 409)
  }

  @Test func anEventIsTriedAndSentAgain() async throws {
    let console = try await ServedConsole.start()
    _ = try await console.served.call("good", #"{"secret":"s3cret-value","n":9007199254740993}"#)
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE function = 'good')")
    let now = try await console.get(Self.root + "?q=function:good")
    let link = try #require(now.text.firstMatch(of: /href="(\/_\/console\/event\/[^"?]+)\?/)?.1)

    let event = try await console.get("\(link)?function=good")
    #expect(event.text.contains("9007199254740993") && !event.text.contains("s3cret-value"))
    let fixture = try await console.get("\(link)/fixture?function=good")
    #expect(fixture["content-type"] == "application/json" && !fixture.text.contains("s3cret-value"))
    let trial = try await console.post(
      "\(link)/try", [("function", "good"), ("body", "{\"a\":1}"), ("token", event.token)])
    #expect(trial.text.contains("What it would do now") && trial.text.contains("&quot;told&quot;"))
    let new = try #require(event.text.firstMatch(of: /name="sure" value="([^"]+)"/).map { String($0.1) })
    let form = [("function", "good"), ("sure", new), ("token", event.token)]
    let resent = try await console.post("\(link)/resend", form)
    #expect(resent.status == 303 && resent["location"] == "/_/console/event/\(new)?function=good&done=resent")
    let again = try await console.post("\(link)/resend", form)
    #expect(again["location"]?.hasSuffix("done=sent-before") == true)
    #expect(
      try await console.served.runner.database.query(
        "SELECT FROM runner.events WHERE event_id = \(new) UNION ALL SELECT FROM runner.payloads WHERE event_id = \(new)"
      ).count == 1)
  }

  @Test func aChangedEventIsSentOnceHoweverOftenSomebodyPresses() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one")
    try console.served.runner.project.write("", to: "mended")
    let path = Self.root + "event/one/send"
    let event = try await console.get(Self.root + "event/one?function=bad")
    #expect(event.text.contains("Send the changed event…") && event.text.contains(#"formaction="\#(path)""#))
    let body = #"{"specversion":"1.0","id":"one","source":"/http/bad","type":"t","data":{"now":"<b>"}}"#
    let form = [("function", "bad"), ("body", body), ("token", event.token)]

    let question = try await console.post(path, form)
    #expect(question.status == 200 && question.text.contains("<h1>Send the changed event to bad?</h1>"))
    #expect(question.text.contains("&lt;b&gt;") && !question.text.contains("<b>"))
    #expect(try await console.served.runner.database.query("SELECT FROM runner.events").isEmpty)
    let new = try #require(question.text.firstMatch(of: /name="sure" value="([^"]+)"/).map { String($0.1) })
    let sent = try await console.post(path, form + [("sure", new)])
    let again = try await console.post(path, form + [("sure", new)])
    let target = "/_/console/event/\(new)?function=bad&done=sent"
    #expect(sent.status == 303 && sent["location"] == target && again["location"] == target + "-before")
    try await console.wait(for: "A call over HTTP that did not wait", on: "\(target)")
    try await console.served.runner.wait(
      until: "EXISTS (SELECT FROM runner.history WHERE event_id = \(new) AND code = 'OK')")
    let late = try await console.post(path, form + [("sure", new)])
    #expect(late["location"] == target + "-before")
    let page = try await console.get(target)
    #expect(page.text.contains("This is the new event") && page.text.contains("It repeats"))
    let counts = try await console.served.runner.database.query(
      "SELECT FROM runner.history WHERE function = 'bad' AND event_id = \(new)")
    #expect(counts.count == 1)

    let broken = try await console.post(path, [("function", "bad"), ("body", "{"), ("token", event.token)])
    #expect(broken.text.contains("That is not one JSON document."))
    let other = try await console.post(
      path, [("function", "bad"), ("body", #"{"a":1}"#), ("sure", "x"), ("token", event.token)])
    #expect(other.status == 400 && other.text.contains("it has no member a"))
    #expect(try await console.post(path, [("function", "bad"), ("body", body), ("sure", "y")]).status == 403)
  }

  @Test func theMemoryOfWarmProcessesIsShown() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"warm":{"executable":"w.sh"},"cold":{"executable":"w.sh","mode":"oneshot"}}}"#,
      scripts: [
        "w.sh": #"""
        while read -r line; do
          id=${line#*\"id\":\"}; printf '{"id":"%s","exit":0,"result":{}}\n' "${id%%\"*}"
        done
        """#
      ])
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    let memory = /<td class="number">(\d+\.\d) MiB<span class="unseen"> memory/

    let before = try await console.get(Self.root + "functions")
    #expect(try await console.served.call("warm", "{}").status == 200)
    let (list, one) = (
      try await console.get(Self.root + "functions"), try await console.get(Self.root + "functions/warm")
    )

    #expect(before.text.firstMatch(of: memory) == nil)
    let shown = list.text.matches(of: memory).compactMap { Double($0.1) }
    #expect(shown.count == 1 && shown.allSatisfy { $0 > 0 && $0 < 20 }, "\(shown)")
    #expect(one.text.contains(/memory of their own<\/dt><dd>\d+\.\d MiB/))
  }

  @Test func theFunctionsPageSaysWhatIsNotInPlace() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{
        "note":{"executable":"n.sh","mode":"oneshot","environment":["HERE","GONE"],
          "triggers":[{"table":"items","events":["INSERT","UPDATE"]}]},
        "wake":{"executable":"n.sh","mode":"oneshot","triggers":[{"notify":"items"}]},
        "tick":{"executable":"n.sh","mode":"oneshot","triggers":[{"schedule":"0 3 * * *"},{"schedule":"0 4 * * *"}]}}}
      """#,
      scripts: ["n.sh": "cat >/dev/null"], environment: ["HERE": "secret-value"])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY)")
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    try await runner.wait(until: "(SELECT count(*) FROM runner.schedules WHERE next_at IS NOT NULL) = 2")

    let (list, note) = (
      try await console.get(Self.root + "functions"), try await console.get(Self.root + "functions/note")
    )
    #expect(list.text.matches(of: />in place</).count == 4 && !list.text.contains("not in place"))
    #expect(list.text.contains("lacks settings</span> <small><bdi>GONE</bdi>") && !list.text.contains("secret-value"))
    #expect(note.text.contains(">in place<") && note.text.contains("lacks settings"))

    try await runner.database.script(
      "DROP TRIGGER runner_update ON items; DROP TRIGGER runner_notify_wake ON items;")
    _ = try await runner.run(["schedules", "pause", "tick-1"])
    let later = try await console.get(Self.root + "functions")
    #expect(later.text.contains("public.items has no trigger for update: runner migrate makes it"))
    #expect(later.text.contains("public.items has no trigger that wakes it"))
    #expect(later.text.contains(">paused<") && later.text.matches(of: />in place</).count == 1)
    #expect(try await console.get(Self.root + "functions/tick").text.contains(">paused<"))
  }

  @Test func aWaitingEventNamesTheOneThatItStandsBehind() async throws {
    let runner = try await RecordedEvents.make(scripts: ["note.sh": "cat > /dev/null; exit 65"], rows: false)
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    try await runner.database.script("INSERT INTO orders VALUES (1, 'same')")
    try await runner.wait(until: "EXISTS (SELECT FROM runner.dead_letters)")
    try await runner.database.script("INSERT INTO orders VALUES (2, 'same'); INSERT INTO orders VALUES (3, 'free')")
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 2")
    let dead: String = try await runner.database.query(
      "SELECT partition || '.' || id AS id FROM runner.dead_letters WHERE key = 'same'"
    ).only().decode("id")

    let waiting = try await console.get(Self.root + "?q=state:waiting")
    #expect(waiting.text.contains(#"behind <a href="/_/console/event/\#(dead)?function=strict">"#), "\(waiting.text)")
    #expect(waiting.text.matches(of: /behind </).count == 1 && !waiting.text.contains("its turn"))
  }

  @Test func aDeadLetterOfAPersonHasTheirName() async throws {
    let (ada, nobody) = ("a0000000-0000-4000-8000-000000000001", "a0000000-0000-4000-8000-000000000002")
    let runner = try await RunningRunner(
      #"""
      {"functions":{"note":{"executable":"note.sh","mode":"oneshot","key":"person",
          "triggers":[{"table":"orders","events":["INSERT"]}]}},
        "commands":{"find":{"executable":"./find.sh"}},"panels":{"folk":{"command":"find","kind":"people"}}}
      """#,
      scripts: [
        "note.sh": "cat > /dev/null; exit 65",
        "find.sh": #"""
        case "$*" in
          "--ids \#(ada),\#(nobody) "*|"--ids \#(ada) "*)
            [ -e gone ] && exit 75; echo '{"found":[{"id":"\#(ada)","name":"Ada <b>"}],"hasMore":false}' ;;
          *) echo "$*" >&2; exit 70 ;;
        esac
        """#,
      ])
    try await runner.database.script("CREATE TABLE orders (id int PRIMARY KEY, person text)")
    _ = try await runner.run(["migrate"])
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    try await runner.database.script(
      "INSERT INTO orders VALUES (1, '\(ada)'), (2, '\(nobody)'), (3, 'a word')")
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 3")
    let dead: String = try await runner.database.query(
      "SELECT partition || '.' || id AS id FROM runner.dead_letters WHERE key = \(ada)"
    ).only().decode("id")

    let (list, now) = (try await console.get(Self.root + "dead"), try await console.get(Self.root))
    let event = try await console.get(Self.root + "event/\(dead)?function=note")
    try runner.project.write("", to: "gone")
    let without = try await console.get(Self.root + "dead")

    let link = #"<a href="/_/console/folk/\#(ada)">"#
    for page in [list, now, event] {
      #expect(page.text.matches(of: /Ada &lt;b&gt;/).count == 1 && page.text.contains(link), "\(page.text)")
    }
    #expect(list.text.contains(">\(nobody)<") && list.text.contains(">a word<"))
    #expect(without.status == 200 && without.text.contains(">\(ada)<") && !without.text.contains(link))
  }

  @Test func ofThoseThatRunOnlyTheOneAskedForIsShown() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"slow":{"executable":"slow.sh","mode":"oneshot","triggers":[{"http":"key"}]}}}"#,
      scripts: ["slow.sh": "cat >/dev/null; until [ -e go ]; do sleep 0.05; done"])
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    for id in ["one", "two"] {
      let answer = try await console.served.call(
        "slow", #"{"specversion":"1.0","id":"\#(id)","source":"/t","type":"t","data":{}}"#,
        headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async")])
      #expect(answer.status == 202)
    }
    for id in ["one", "two"] { try await console.wait(for: "e-slow-\(id)", on: Self.root + "?q=state:running") }

    let one = try await console.get(Self.root + "?q=state:running+id:one")
    #expect(one.text.contains("e-slow-one") && !one.text.contains("e-slow-two"))
    let other = try await console.get(Self.root + "?q=state:running+id:three")
    #expect(other.text.contains("No event matches") && !other.text.contains("e-slow-"))
    try runner.project.write("", to: "go")
    try await runner.wait(until: "(SELECT count(*) FROM runner.history WHERE code = 'OK') = 2")
  }

  @Test func theDoctorIsAPage() async throws {
    let console = try await ServedConsole.start()
    let page = try await console.get(Self.root + "functions/doctor")
    #expect(page.status == 200 && page.text.contains("functions.json") && page.text.contains("3 functions"))
    let functions = try await console.get(Self.root + "functions")
    #expect(functions.text.contains("Ended a minute") && functions.text.contains("Waiting in this runner"))
  }
}
