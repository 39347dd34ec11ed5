import Postgres
import TestSupport
import Testing

/// What a bundle's explain panel tells of events, on the first page and where somebody looks for words.
@Suite(.heavy)
struct ConsoleStoryTests {
  private static let root = "/_/console/"
  private static let manifest = #"""
    {"functions":{
        "good":{"executable":"./good.sh","mode":"oneshot","triggers":[{"http":"key"}]},
        "tick":{"executable":"./good.sh","mode":"oneshot","triggers":[{"schedule":"0 3 * * *"}]}},
      "commands":{"ask":{"executable":"./ask.sh"},"find":{"executable":"./find.sh"}},
      "panels":{"whys":{"command":"ask","kind":"explain"},"folk":{"command":"find","kind":"people","title":"Folk"}}}
    """#
  private static let recent = #"""
    {"events":[{"event":"one","function":"good","source":"/t","at":"2026-01-01T00:00:00Z",
      "counts":[{"decision":"notify","people":1,"words":"told"}],
      "people":[{"person":{"id":"a0000000-0000-4000-8000-000000000001","name":"Grace <b>"},"recipientReason":"submitter",
        "app":"x","kind":"new_vote","subject":"s","subjectName":"Night mode","actorName":"Ada","event":"one",
        "function":"good","at":"2026-01-01T00:00:00Z","verdict":{"decision":"notify"},"gates":[],"later":[],"pushes":[],
        "said":{"title":"New Vote","body":"It has 2 votes"},"outcome":"told","words":"told"}]}]}
    """#

  private static func start(asking script: String) async throws -> ServedConsole {
    let find = #"case "$*" in dan*) cat dan.json ;; *) echo '{"found":[],"hasMore":false}' ;; esac"#
    let runner = try await RunningRunner(
      manifest, scripts: ["good.sh": "cat >/dev/null", "ask.sh": script, "find.sh": find])
    try runner.project.write(recent, to: "recent.json")
    try runner.project.write(
      #"{"found":[{"id":"a0000000-0000-4000-8000-000000000004","name":"Dan","email":"dan@x.org"}],"hasMore":false}"#,
      to: "dan.json")
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    for id in ["one", "two"] {
      let answer = try await console.served.call(
        "good", #"{"specversion":"1.0","id":"\#(id)","source":"/t","type":"t","data":{}}"#,
        headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async")])
      #expect(answer.status == 202)
    }
    try await runner.wait(until: "(SELECT count(*) FROM runner.history WHERE code = 'OK') = 2")
    return console
  }

  @Test func anEventWithAStoryIsToldAndATickIsCounted() async throws {
    let console = try await Self.start(asking: "cat recent.json")
    _ = try await console.served.runner.run(["schedules", "fire", "tick"])
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE kind = 'schedule')")

    let page = try await console.get(Self.root)
    let ticks = try await console.get(Self.root + "?q=trigger:schedule")

    #expect(page.text.contains("<bdi>Night mode · new vote by Ada</bdi>") && page.text.contains("Grace &lt;b&gt;"))
    #expect(page.text.contains("It has 2 votes") && page.text.contains("id=\"e-good-two\""))
    #expect(page.text.matches(of: /id="e-good-one"/).count == 1)
    #expect(page.text.contains(">1 tick</a>, nothing to do") && !page.text.contains("id=\"e-tick-"), "\(page.text)")
    #expect(ticks.text.contains("id=\"e-tick-") && !ticks.text.contains("nothing to do"))
    #expect(try await !console.get(Self.root + "?q=id:two").text.contains("Night mode"))
  }

  @Test(arguments: [
    ("echo no", "has not answered with JSON"), ("exec sleep 600", "took longer than 2 s"),
    ("echo 'It is <gone>.' >&2; exit 70", "It is &lt;gone&gt;."),
  ])
  func withoutStoriesEveryEventIsThere(_ script: String, _ silence: String) async throws {
    let page = try await Self.start(asking: script).get(Self.root)

    #expect(page.status == 200 && page.text.contains("cannot be told now") && page.text.contains(silence))
    #expect(page.text.contains("id=\"e-good-one\"") && page.text.contains("id=\"e-good-two\""))
  }

  @Test func oneFieldFindsPeopleEventsFunctionsAndDeadLetters() async throws {
    let console = try await Self.start(asking: "cat recent.json")
    func found(_ text: String) async throws -> String { try await console.get(Self.root + "find?q=\(text)").text }
    let folk = Self.root + "folk/a0000000-0000-4000-8000-000000000004"

    #expect(try await found("dan").contains(#"<a href="\#(folk)"><bdi>Dan</bdi></a>"#))
    let word = try await found("NIGHT+Mode")
    #expect(word.contains(#"event/one?function=good"><bdi>Night mode · new vote by Ada</bdi></a>"#), "\(word)")
    #expect(try await found("goo").contains(#"href="/_/console/functions/good""#))
    #expect(try await found("two").contains(#"event/two?function=good""#))
    #expect(try await found("%3Cb%3E").contains("Nobody and nothing has “&lt;b&gt;”"))
    #expect(try await found("").contains("Enter a name"))
    let filter = try await console.get(Self.root + "find?q=state:dead")
    #expect(filter.status == 303 && filter["location"] == Self.root + "?q=state%3Adead")

    let bad = try await ServedConsole.start()
    try await bad.fail("lost")
    for text in ["lost", "invalid_event", "bad"] {
      let page = try await bad.get(Self.root + "find?q=\(text)").text
      #expect(page.contains("<h2>Dead letters</h2>") && page.contains("event/lost?function=bad"), "\(text)")
    }
  }
}
