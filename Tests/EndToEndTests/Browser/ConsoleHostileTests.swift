import FunctionKit
import Postgres
import TestSupport
import Testing

/// Names that others have given, in the runner's own columns: keys, ids, subjects, messages of functions, dead letters.
@Suite(.heavy, .qualifiesReleases, .needsBrowser)
struct ConsoleHostileTests {
  private static let tags = "<img src=x onerror=alert(1)></title><script>alert(2)</script>"
  private static let word = String(repeating: "W", count: 10_000)
  private static let family = String(repeating: "👩‍👩‍👧", count: 200)

  @Test func hostileNamesDoNothingAndFitTheNarrowestScreen() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{"bad":{"executable":"bad.sh","mode":"oneshot","triggers":[{"http":"key"},{"schedule":"* * * * *"},
        {"schedule":"*/30 * * * * *"},{"schedule":"0 3 * * *","timezone":"America/Argentina/ComodRivadavia"}]}}}
      """#,
      scripts: [
        "bad.sh": "cat >/dev/null; head -c 3000 /dev/zero | tr '\\0' W >&2;"
          + #" printf '\#(Self.tags)\342\200\256evil\000nul\#(Self.family)' >&2; exit 65"#
      ])
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    let events = [
      (id: Self.tags, key: Self.word), (id: #"\u202Eevil"#, key: Self.family),
      (id: String(Self.family.prefix(20)), key: Self.tags),
    ]
    for event in events {
      let body = RawJSON(object: [
        ("specversion", RawJSON("1.0")), ("source", RawJSON("/t")), ("type", RawJSON(Self.tags)),
        ("subject", RawJSON(Self.word)), ("data", RawJSON(object: [(Self.tags, RawJSON(Self.word))])),
      ])
      // The direction mark stands in the document as an escape.
      let text = String(decoding: body.bytes, as: UTF8.self).dropFirst()
      let head = #"{"id":"\#(event.id)","partitionkey":"\#(event.key)","#
      let answer = try await console.served.call(
        "bad", head + text,
        headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async")])
      #expect(answer.status == 202, "\(answer.text)")
    }
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters WHERE source = '/http/bad') = 3")

    let browser = try await Browser()
    for look in [Browser.Look.light, .narrow] {
      try await browser.show(look)
      try await browser.open("\(console.served.url)/_/console/dead")
      let links = try await browser.run(
        "return [...document.querySelectorAll('main a[href*=\"/event/\"]')].map(a => a.href)")
      let letters = (links.elements ?? []).compactMap(\.stringValue).filter { !$0.contains("/event/bad-") }
      #expect(letters.count == 3)
      let paths = ["", "dead", "functions", "functions/bad", "schedules", "schedules/bad-3", "clock?span=1d"]
      for page in paths.map({ "\(console.served.url)/_/console/\($0)" }) + letters {
        try await browser.open(page)
        // A script that ran would have opened a dialog, which makes this fail.
        #expect(try await browser.all("main img, main script, main b").isEmpty, "\(page)")
        #expect(try await browser.overhang <= 0, "\(page), \(look)")
        #expect(try await browser.text(of: "body").contains("\u{202E}") == false, "\(page)")
        #expect(try await browser.violations() ?? [] == [], "\(page), \(look)")
      }
      try await browser.keepPicture("hostile-event-\(look)")
      try await browser.open("\(console.served.url)/_/console/dead")
      try await browser.keepPicture("hostile-dead-\(look)")
      try await browser.open("\(console.served.url)/_/console/schedules")
      try await browser.keepPicture("hostile-schedules-\(look)")
    }
    #expect(try await browser.complaints() == [])
    try await browser.quit()
  }
}
