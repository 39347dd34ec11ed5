import FunctionKit
import Postgres
import TestSupport
import Testing

/// Pages stay small and whole, whatever they have to show.
@Suite(.heavy)
struct ConsoleSizeTests {
  private static let root = "/_/console/"
  private static let event = [
    (name: "Content-Type", value: "application/cloudevents+json"), (name: "Prefer", value: "respond-async"),
  ]

  @Test func aLongBodyIsShownInPartAndSavedWhole() async throws {
    let console = try await ServedConsole.start()
    let length = 1_000_000
    let body =
      #"{"specversion":"1.0","id":"long","source":"/t","type":"t","data":{"text":"\#(String(repeating: "<", count: length))"}}"#
    #expect(try await console.served.call("bad", body, headers: Self.event).status == 202)
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.dead_letters)")

    let page = try await console.get(Self.root + "event/long?function=bad")
    let file = try await console.get(Self.root + "event/long/fixture?function=bad")

    #expect(page.status == 200 && page.text.utf8.count < 120_000, "\(page.text.utf8.count)")
    #expect(page.text.contains("The first 20000 of ") && page.text.contains("Save all of it as a fixture"))
    #expect(!page.text.contains("<textarea"), "a part of an event is no event")
    #expect(file.text.count { $0 == "<" } == length)
  }

  /// Texts that JSON lets in, and text does not.
  @Test(arguments: [#"\ud800"#, #"\u0000"#, #"\udc00\ud800"#, #"\u202egnp.exe"#, "👩‍👩‍👧"])
  func oddCharactersStayCharacters(_ text: String) async throws {
    let console = try await ServedConsole.start()
    let body = #"{"specversion":"1.0","id":"odd","source":"/t","type":"t","data":{"text":"\#(text)"}}"#
    let answer = try await console.served.call("bad", body, headers: Self.event)
    guard answer.status == 202 else {
      // Refused with a reason, and nowhere half kept.
      #expect(answer.status == 400 && answer.json?["message"] != nil, "\(answer.text)")
      #expect(try await console.get(Self.root).status == 200)
      return
    }
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.dead_letters)")

    for page in ["", "dead", "event/odd?function=bad", "event/odd/fixture?function=bad"] {
      let answer = try await console.get(Self.root + page)
      #expect(answer.status == 200 && !answer.text.contains("\u{0}"), "\(page): \(answer.text)")
    }
  }

  @Test(arguments: ["* * * * *", "* * * * * *"]) func aScheduleOfMinutesOrSecondsFillsNoPage(_ text: String)
    async throws
  {
    let runner = try await RunningRunner(
      #"{"functions":{"tick":{"executable":"t.sh","mode":"oneshot","triggers":[{"schedule":"\#(text)"}]}}}"#,
      scripts: ["t.sh": "cat >/dev/null"])
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    try await runner.wait(until: "EXISTS (SELECT FROM runner.schedules WHERE next_at IS NOT NULL)")

    for page in ["schedules", "schedules/tick", "clock?span=400d"] {
      let answer = try await console.get(Self.root + page)
      #expect(answer.status == 200 && answer.text.utf8.count < 60_000, "\(page): \(answer.text.utf8.count)")
    }
    let clock = try await console.get(Self.root + "clock?span=400d")
    #expect(clock.text.contains("10000+") && clock.text.contains("It ends at "))
    #expect(clock.text.contains(/data-due="\d+\+(1|60)\*9999"/))
    #expect(try await console.get(Self.root + "schedules").text.contains("tick: more than 300 times in 24 hours"))
  }

  @Test func aPersonWithManyNotificationsAndDevicesIsAPage() async throws {
    let bundle = try await RunningBundle()
    let console = ServedConsole(served: try await bundle.start(options: ["--console", "on"]).served)
    let ben = "a0000000-0000-4000-8000-000000000002"
    try await bundle.runner.database.script(
      """
      INSERT INTO device_tokens (user_id, token, platform)
        SELECT '\(ben)', md5(n::text) || md5('x' || n), 'iOS' FROM generate_series(1, 10000) n;
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
          created_at)
        SELECT 'vote-cast', '/t', 'e' || n, '\(ben)', 's', 'new_vote', 'suppress', 'project_muted', 'submitter', now()
        FROM generate_series(1, 20000) n;
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
          created_at)
        SELECT 'vote-cast', '/t', 'all', gen_random_uuid(), 's', 'new_vote', 'suppress', 'project_muted', 'submitter',
          now() FROM generate_series(1, 20000) n;
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        SELECT 'vote-cast', '/t', 'e' || n, '{}', now() FROM generate_series(1, 20000) n
        UNION ALL SELECT 'vote-cast', '/t', 'all', '{}', now() + interval '1 s';
      ANALYZE;
      """)

    let pages = [
      ("people/\(ben)", 90, 60), ("people", 60, 60), ("explain", 60, 60), ("explain/all", 60, 60), ("", 60, 60),
      ("phones?user=\(ben)", 60, 60),
    ]
    for (page, rows, kilobytes) in pages {
      let answer = try await console.get(Self.root + page)
      #expect(answer.status == 200 && answer.text.utf8.count < kilobytes * 1_000, "\(page): \(answer.text)")
      #expect(answer.text.matches(of: /<tr>|<article/).count < rows, "\(page)")
    }
    let all = try await console.get(Self.root + "explain/all").text
    #expect(all.contains("20000"), "\(all)")
    let person = try await console.get(Self.root + "people/\(ben)")
    for (page, link) in [
      ("people/\(ben)", "older"), ("people/\(ben)", "devices-feedbackkit"), ("explain/all", "more-0"),
    ] {
      let first = try await console.get(Self.root + page).text
      let address = try #require(first.firstMatch(of: try Regex("id=\"\(link)\" href=\"([^\"#]*)"))?[1].substring)
      let second = try await console.get(String(address).replacing("&amp;", with: "&"))
      #expect(second.status == 200 && second.text.utf8.count < 60_000, "\(link): \(second.text)")
      #expect(!second.text.contains(">None has this") && second.text.contains("<tr>"), "\(second.text)")
    }
    #expect(person.text.contains("of the newest 50 of 10,000+") && person.text.contains("20 of 10,000+ devices"))
  }
}
