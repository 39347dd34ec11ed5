import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The story that a bundle's explain panel tells of events, on the first page and where somebody looks for words.
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
  private static func handled(_ event: String, _ subject: String, at time: String) -> String {
    #"""
    {"event":"\#(event)","function":"good","source":"/t","at":"\#(time)",
      "counts":[{"decision":"notify","people":1,"words":"told"}],
      "people":[{"person":{"id":"a0000000-0000-4000-8000-000000000001","name":"Grace <b>"},"app":"x",
        "recipientReason":"submitter","kind":"new_vote","subject":"s","subjectName":"\#(subject)","actorName":"Ada","event":"\#(event)",
        "function":"good","at":"\#(time)","verdict":{"decision":"notify"},"gates":[],"later":[],"pushes":[],
        "said":{"title":"New Vote","body":"It has 2 votes"},"outcome":"told","words":"told"}]}
    """#
  }

  /// An event that is there, and one that has only its story left.
  private static var recent: String {
    let old = handled("gone", "Old picnic", at: "2026-01-01T00:00:00Z")
    return #"{"events":[\#(handled("one", "Night mode", at: RFC3339.string(.now))),\#(old)]}"#
  }

  private static func start(asking script: String = "cat recent.json") async throws -> ServedConsole {
    let find = #"""
      case "$*" in
        dan*) cat dan.json ;;
        slow*) touch slow.$$; until [ -e go ]; do sleep 0.1; done; echo '{"found":[],"hasMore":false}' ;;
        old*--list*) exit 64 ;;
        --waiting*) cat waiting.json ;;
        *) echo '{"found":[],"hasMore":false}' ;;
      esac
      """#
    let runner = try await RunningRunner(
      manifest, scripts: ["good.sh": "cat >/dev/null", "ask.sh": script, "find.sh": find])
    try runner.project.write(recent, to: "recent.json")
    try runner.project.write(
      #"{"found":[{"id":"a0000000-0000-4000-8000-000000000004","name":"Dan","email":"dan@x.org"}],"hasMore":false}"#,
      to: "dan.json")
    try runner.project.write(
      #"""
      {"found":[],"hasMore":false,"waiting":[{"person":{"id":"a0000000-0000-4000-8000-000000000004","name":"Dan"},
        "app":"x","kind":"new_vote","reason":"batched","count":2,"until":"2027-01-01T00:00:00Z","words":"2 votes"}]}
      """#, to: "waiting.json")
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    try await send(["one", "two"], to: console, all: 2)
    return console
  }

  /// Sends events, and waits until so many are done in all.
  private static func send(_ ids: [String], to console: ServedConsole, all count: Int) async throws {
    for id in ids {
      let answer = try await console.served.call(
        "good", #"{"specversion":"1.0","id":"\#(id)","source":"/t","type":"t","data":{}}"#,
        headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async")])
      #expect(answer.status == 202)
    }
    try await console.served.runner.wait(until: "(SELECT count(*) FROM runner.history WHERE code = 'OK') = \(count)")
  }

  @Test func whoeverAsksForWhatWaitsFindsThePushes() async throws {
    let console = try await Self.start()
    let root = "/_/console/"

    let waiting = try await console.get(root + "?q=state:waiting")
    let one = try await console.get(root + "?q=state:waiting+function:good")
    let first = try await console.get(root)

    #expect(waiting.text.contains("Pushes that wait") && waiting.text.contains("2 votes, told in one message at"))
    #expect(waiting.text.contains(#"href="/_/console/folk/a0000000-0000-4000-8000-000000000004""#), "\(waiting.text)")
    #expect(!one.text.contains("Pushes that wait"), "a push is of no function")
    #expect(first.status == 200 && !first.text.contains("Pushes that wait"))
  }

  @Test func anEventWithAStoryIsToldAndATickIsCounted() async throws {
    let console = try await Self.start()
    _ = try await console.served.runner.run(["schedules", "fire", "tick"])
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE kind = 'schedule')")

    let page = try await console.get(Self.root)
    let ticks = try await console.get(Self.root + "?q=trigger:schedule")

    #expect(page.text.contains("<bdi>Night mode · new vote by Ada</bdi>") && page.text.contains("Grace &lt;b&gt;"))
    #expect(page.text.contains("It has 2 votes") && page.text.contains("id=\"e-good-two\""))
    #expect(page.text.matches(of: /id="e-good-one"/).count == 1)
    #expect(page.text.contains(">A schedule ran once</a>") && !page.text.contains("id=\"e-tick-"), "\(page.text)")
    #expect(ticks.text.contains("id=\"e-tick-") && !ticks.text.contains("A schedule ran"))
    #expect(try await !console.get(Self.root + "?q=id:two").text.contains("Night mode"))
  }

  @Test func whatLedToNothingStandsOnceWhereItComesInARow() async throws {
    let console = try await Self.start()
    try await Self.send(["three", "four", "five"], to: console, all: 5)

    let page = try await console.get(Self.root)
    let link = try #require(page.text.firstMatch(of: /href="([^"]+)">([2-3]) more like it</))
    let rest = try await console.get(String(link.1).replacing("&amp;", with: "&"))

    // With the story that is left of an event.
    #expect(page.text.matches(of: /id="e-good-/).count == 6 - (Int(link.2) ?? 0), "\(page.text)")
    #expect(page.text.contains("Night mode"))
    #expect(rest.text.matches(of: /id="e-good-/).count == 5 && !rest.text.contains("more like it"))
  }

  @Test func aTickIsCountedWithoutAnExplainPanelToo() async throws {
    let console = try await ServedConsole.start()
    _ = try await console.served.runner.run(["schedules", "fire", "tick"])
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE kind = 'schedule')")

    let page = try await console.get(Self.root)
    #expect(page.text.contains(">A schedule ran once</a>") && !page.text.contains("No event has come yet"))
  }

  @Test func whatIsLeftOfAnOldEventIsItsStory() async throws {
    let console = try await Self.start(
      asking: #"""
        case "$*" in *--recent*) cat recent.json ;; *) echo '{"event":"gone","dryRun":false,"handlings":[
          {"function":"good","source":"/t","event":"gone","at":"2026-01-01T00:00:00Z","isFinished":true,"counts":[],
            "people":[]}]}' ;; esac
        """#)
    let link = #"href="/_/console/whys/gone?function=good"><bdi>Old picnic · new vote by Ada</bdi></a>"#

    #expect(try await console.get(Self.root).text.contains(link))
    // The command that finds people does not know --list there.
    let found = try await console.get(Self.root + "find?q=old+picnic").text
    #expect(found.contains(link) && !found.contains("cannot be looked through"), "\(found)")
    let page = try await console.get(Self.root + "whys/gone?function=good")
    #expect(page.status == 200 && !page.text.contains("/_/console/event/gone"), "\(page.text)")
  }

  @Test func pagesOfManyAddressesShareTheRunsThatTellStories() async throws {
    let console = try await Self.start(asking: "mkdir asking || touch twice; cat recent.json; rmdir asking")

    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 1...10 { group.addTask { try await console.get(Self.root + "?count=\(number + 10)").text } }
      for try await page in group { #expect(page.contains("Night mode")) }
    }

    #expect(!FileManager.default.fileExists(atPath: "\(console.served.runner.project.path)/twice"))
  }

  @Test func commandsOfOtherPagesHoldNoPageForLong() async throws {
    let console = try await Self.start()
    let project = console.served.runner.project
    let deadline = ContinuousClock.now + .seconds(60)
    let slow = (1...3).map { number in
      Task { try await console.get(Self.root + "folk?q=slow\(number)").status }
    }
    let pauses = Pauses()
    func begun() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: project.path).count { $0.hasPrefix("slow.") }
    }
    while try begun() < 3, .now < deadline { try await pauses.next() }

    async let found = console.get(Self.root + "find?q=zed")
    #expect(try await console.get(Self.root).text.contains("Night mode"))
    #expect(try await found.text.contains("The console runs other commands, so this one was not begun"))
    try project.write("", to: "go")
    for one in slow { #expect(try await one.value == 200) }
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
    let console = try await Self.start()
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
