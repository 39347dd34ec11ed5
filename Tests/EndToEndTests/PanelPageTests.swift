import FunctionKit
import Postgres
import TestSupport
import Testing

/// Pages that a bundle of scripts names, and one that names none.
@Suite(.heavy)
struct PanelPageTests {
  @Test func aScriptsDocumentBecomesAPage() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{},"commands":{"find":{"executable":"./find.sh"}},
        "panels":{"folk":{"command":"find","kind":"people","title":"Folk"}}}
      """#,
      scripts: [
        "find.sh": #"""
        case "$*" in
          --json) echo '{"found":[{"id":"a0000000-0000-4000-8000-000000000001","name":"Ada & <b>"}],"hasMore":false}' ;;
          ada*--outcome*told*)
            sed -e 's/"decisions":\[{/"decisions":[],/' -e '/"recipientReason"/,/"gates"/d' ada.json ;;
          ada*) cat ada.json ;;
          many*) sed 's/"badge":2/"badge":"two"/' ada.json ;;
          gone*) echo 'The list is <gone>.' >&2; exit 66 ;;
          *) echo nonsense ;;
        esac
        """#
      ])
    try runner.project.write(
      #"""
      {"found":[{"id":"a0000000-0000-4000-8000-000000000001"}],"hasMore":false,"page":{
        "person":{"id":"a0000000-0000-4000-8000-000000000001","name":"Ada"},"now":"2026-01-02T00:00:00Z",
        "since":"2026-01-01T00:00:00Z","total":1,"decisions":[{
          "person":{"id":"a0000000-0000-4000-8000-000000000001"},"recipientReason":"submitter","app":"x","kind":"a_b",
          "subject":"s","event":"e","function":"f","at":"2026-01-01T12:00:00Z","verdict":{"decision":"suppress"},
          "gates":[],"later":[],"pushes":[],"outcome":"not_told","words":"not told: \"no\""}],
        "apps":[{"app":"x","badge":2,"isEnabled":true,"switchedOff":[],"mutes":[],"pauses":[],"pushesOfLastHour":0,"devices":[],
          "waiting":[],"windows":[],"new":{"is":"passed by"}}]}}
      """#, to: "ada.json")
    let served = try await runner.start()
    func page(_ path: String) async throws -> (status: Int, text: String) {
      let answer = try await served.request("/_/console/folk\(path)")
      return (answer.status, answer.text)
    }

    let (list, one, gone, odd, other) = (
      try await page(""), try await page("/ada"), try await page("/gone"), try await page("/x"), try await page("/many")
    )

    #expect(list.status == 200 && list.text.contains("Ada &amp; &lt;b&gt;") && list.text.contains(">Folk</a>"))
    #expect(
      one.status == 200 && one.text.contains(">&quot;no&quot;<") && one.text.contains("a b"), "\(one.text)")
    #expect(gone.status == 404 && gone.text.contains("The list is &lt;gone&gt;."))
    #expect(odd.status == 500 && odd.text.contains("has not answered with JSON"))
    #expect(
      other.status == 500 && other.text.contains("has not answered as its page expects: page.apps.[0].badge"),
      "\(other.text)")
    #expect(one.text.contains("<code><bdi>s</bdi></code>"), "a subject without a name")
    let shared = try await page("/ada?format=json")
    #expect(shared.status == 200 && shared.text.contains(#""outcome": "not_told""#), "\(shared.text)")
    #expect(!shared.text.contains("passed by"), "what the document does not have")
    let told = try await page("/ada?show=told&format=csv")
    #expect(told.status == 200 && !told.text.contains("not_told"), "\(told.text)")
    #expect(try await page("/ada?format=csv").text.hasSuffix(#","not_told","","","not told: ""no""","f","e""# + "\r\n"))
    #expect(try await page("?format=csv").text.contains(#""Ada & <b>","""#))
    #expect(try await page("/--since").status == 400)
    #expect(try await page("?q=-x").status == 400)
  }

  @Test func anEventsPageGoesOnWithWhatTheBundleSays() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{"good":{"executable":"./good.sh","mode":"oneshot","triggers":[{"http":"key"}]}},
        "commands":{"ask":{"executable":"./ask.sh"}},
        "panels":{"whys":{"command":"ask","kind":"explain","title":"Whys"}}}
      """#,
      scripts: [
        "good.sh": "cat >/dev/null",
        "ask.sh": #"""
        case "$*" in
          told*) cat told.json ;;
          unknown*) echo 'No function has decided anything.' >&2; exit 66 ;;
          broken*) echo 'The list is <gone>.' >&2; exit 70 ;;
          slow*) exec sleep 600 ;;
          person*) echo '{"person":{"id":"a0000000-0000-4000-8000-000000000001","name":"Ada"}}' ;;
          *) echo nonsense ;;
        esac
        """#,
      ])
    let push = { (state: String, rest: String) in
      let device =
        #"{"id":"d0000000-0000-4000-8000-000000000001","platform":"iOS","provider":"apns","token":"a1a1a1a1"}"#
      return #"{"device":\#(device),"state":"\#(state)","dueAt":"2026-01-01T00:00:00Z"\#(rest)}"#
    }
    let attempts =
      #","attempts":[{"at":"2026-01-01T00:00:00Z","status":"failed","httpStatus":503,"reason":"Busy","milliseconds":41}]"#
    let pushes = push("accepted", attempts + #","openedAt":"2026-01-01T00:01:00Z","actedAt":"2026-01-01T00:02:00Z""#)
    let decided = { (id: Int, name: String, rest: String) in
      """
      {"person":{"id":"a0000000-0000-4000-8000-00000000000\(id)","name":"\(name)","email":"\(id)@x.org"},
        "recipientReason":"submitter","app":"x","kind":"k","subject":"s","event":"told","function":"good","at":"2026-01-01T00:00:00Z",
        "verdict":{"decision":"notify"},"gates":[],"later":[],\(rest)}
      """
    }
    let people = [
      decided(1, "Ada <b>", #""outcome":"told","words":"told","pushes":[\#(pushes)]"#),
      decided(2, "Dan", #""outcome":"not_told","words":"not told: they muted it","pushes":[]"#),
    ]
    try runner.project.write(
      """
      {"event":"told","dryRun":false,"handlings":[{"function":"good","source":"/t","event":"told",
        "at":"2026-01-01T00:00:00Z","isFinished":true,
        "counts":[{"decision":"notify","people":1,"words":"told"},{"decision":"suppress","people":99000,"words":"muted"}],
        "people":[\(people.joined(separator: ","))]}]}
      """, to: "told.json")
    let served = try await runner.start()
    func page(_ id: String) async throws -> String {
      let event = #"{"specversion":"1.0","id":"\#(id)","source":"/t","type":"t","data":{}}"#
      let called = try await served.call(
        "good", event, headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async")])
      #expect(called.status == 202)
      try await runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE event_id = \(id))")
      let answer = try await served.request("/_/console/event/\(id)?function=good")
      #expect(answer.status == 200 && answer.text.contains("A call over HTTP that did not wait"), "\(id)")
      return answer.text
    }

    let told = try await page("told")
    #expect(told.contains("99001 people were decided about") && told.contains("98999 more people"))
    #expect(
      told.contains("Ada &lt;b&gt;") && told.contains("they muted it") && !told.contains("not told: they")
        && told.contains("503 Busy after 41 ms"))
    #expect(told.contains("opened <time") && told.contains("acted on <time"))
    #expect(told.contains(#"href="/_/console/whys/told?user=a0000000-0000-4000-8000-000000000002""#))
    #expect(try await page("unknown").contains("decided about") == false)
    let shared = try await served.request("/_/console/whys/told?format=json")
    #expect(shared.text.contains(#""outcome": "not_told""#) && !shared.text.contains("@x.org"), "\(shared.text)")
    let table = try await served.request("/_/console/whys/told?format=csv")
    #expect(table.text.split(separator: "\r\n").count == 3 && table.text.contains(#","not told: they muted it","#))
    let person = try await served.request("/_/console/whys/person")
    #expect(person.status == 404 && person.text.contains("That is a person, and no event."), "\(person.text)")
    for (id, problem) in [
      ("broken", "The list is &lt;gone&gt;."), ("odd", "has not answered with JSON"), ("slow", "took longer than 5 s"),
    ] {
      let text = try await page(id)
      #expect(text.contains("The people who were told cannot be shown now") && text.contains(problem), "\(id)")
    }
  }

  @Test func aBundleWithoutPanelsHasNoneOfTheirPages() async throws {
    let runner = try await RunningRunner(#"{"functions":{}}"#)
    let served = try await runner.start()

    let page = try await served.request("/_/console/functions")
    let absent = try await served.request("/_/console/people")

    #expect(page.status == 200 && !page.text.contains("People"))
    #expect(absent.status == 404)
  }
}
