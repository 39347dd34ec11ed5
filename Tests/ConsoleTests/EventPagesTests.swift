import Documents
import Foundation
import FunctionKit
import Metrics
import Testing

@testable import Console
@testable import Inspection

/// The pages about events show what others have named, and obey none of it.
struct EventPagesTests {
  private static let instant = Date(timeIntervalSince1970: 1_780_000_000)

  /// - Parameter functions: the members of a report's functions.
  private static func report(_ functions: String = "", partitions: [Int] = [1]) throws -> RunnerReport {
    let text =
      #"{"idle":true,"partitions":\#(partitions),"overtaken":0,"outOfOrder":0,"suspects":[],"functions":[\#(functions)]}"#
    return try JSONCoding.decode(RunnerReport.self, from: RawJSON(validating: Array(text.utf8)[...]))
  }

  private static func event(_ name: String, _ state: EventSummary.State) -> EventSummary {
    EventSummary(
      id: name, at: instant, function: name, kind: name, key: name, state: state, attempts: 3, crashes: 0, code: name,
      error: name, runAt: instant, endedAt: instant)
  }

  @Test func peopleAreAskedForByTheIDsOfTheFirstEvents() {
    func event(_ key: String?) -> EventSummary {
      var event = Self.event("e", .dead)
      event.key = key
      return event
    }
    let ids = (0..<300).map { UUID(uuidString: "a0000000-0000-4000-8000-\(String(format: "%012d", $0))")! }
      .map { $0.uuidString.lowercased() }
    let events = [event(nil), event("a word"), event(ids[299].uppercased()), event(ids[7])] + ids.map(event)

    #expect(Desk.ids(in: events) == Array(ids[..<100]), "one command names 100 at most")
    #expect(Desk.ids(in: [event(nil), event("\(ids[0]) ")]).isEmpty)
  }

  private static func view(
    _ events: [EventSummary], query: String = "", stories: [Story] = [], upkeep: EventTable.Upkeep = .init(),
    report: RunnerReport? = nil
  ) throws -> NowView {
    NowView(
      query: try EventQuery(query),
      rows: events.map { event in EventTable.Row(event, stories.first { $0.event == event.id }) }, upkeep: upkeep,
      isWhole: true, count: 50, now: instant, nextSchedule: nil,
      report: try report ?? Self.report(), pulse: PulseReading(), functions: ["echo"], limits: ["f": 2],
      url: "http://127.0.0.1:1")
  }

  private static func story(of event: String, _ title: String) -> Story {
    Story(
      event: event, function: event, at: instant, title: title, people: tag(.p) { "Grace told" },
      push: tag(.p) { "New Vote" }, address: Address("whys", event))
  }

  private static func document(_ page: Page, _ bundle: String = "bundle") -> String {
    Frame(places: [NavigationEntry("", "Now", key: "n")], bundle: bundle).document(page).source
  }

  @Test(arguments: Hostile.names)
  func noNameDoesHarm(_ name: String) throws {
    let events = EventSummary.State.allCases.map { Self.event(name, $0) }
    let query = try (try? EventQuery("\"\(name.replacing("\"", with: ""))\"")) ?? EventQuery("")
    let dead = DeadView(
      query: query, events: events, number: 200, mayAct: true,
      token: name,
      done: (name, 3), isServing: true)
    let why = WhyReport(WhyFacts(id: EventID(name), now: Self.instant, event: Self.event(name, .dead)))
    let view = EventView(
      event: Self.event(name, .dead),
      attempts: [.init(endedAt: Self.instant, code: name, exit: 1, milliseconds: 5, error: name)],
      document: RawJSON(object: [("id", RawJSON(name)), (name, RawJSON(name))]), isKnown: true, why: why,
      redacted: [name], url: "http://127.0.0.1:1", mayAct: true, mayTry: true,
      sequel: Sequel(title: name, entries: HTML(name)), token: name,
      done: name)
    let question = DeadQuestion(
      act: .purge, number: 3, query: name, chosen: [ChosenEvent(name, name)], token: name)

    for page in [
      try Self.view(events, stories: [Self.story(of: name, name)]).page, dead.page, view.page, question.page,
    ] {
      #expect(Hostile.isHarmless(Self.document(page, name)), "\(page.title.prefix(40))")
    }
  }

  @Test func aPageSaysWhatWouldFillIt() throws {
    let empty = Self.document(try Self.view([]).page)
    #expect(empty.contains("No event has come yet.") && empty.contains("/functions/v1/NAME"))
    #expect(empty.contains("this runner reads them") && empty.contains("none is due"))
    let filtered = Self.document(try Self.view([], query: "function:nobody").page)
    #expect(filtered.contains("functions.json has no function of that name"))
  }

  @Test func aDeadLetterSaysWhatToDoWhereItCanBeDone() throws {
    let whole = RawJSON(object: [("id", RawJSON("lost"))])
    func page(_ code: String, _ document: RawJSON? = whole, mayAct: Bool = true) -> String {
      var event = Self.event("lost", .dead)
      event.code = code
      return Self.document(
        EventView(
          event: event, attempts: [], document: document, isKnown: true,
          why: WhyReport(WhyFacts(id: EventID("lost"), now: Self.instant, event: event)), redacted: [], url: "",
          mayAct: mayAct, mayTry: true, sequel: Sequel(entries: HTML()), token: "t"
        ).page)
    }
    let (refused, used, looking) = (page("INVALID_EVENT"), page("FAILED"), page("INVALID_EVENT", mayAct: false))

    let advice = ##"correct <a href="#correction">the event below</a> and send it; then purge this one."##
    #expect(refused.contains(advice), "\(refused)")
    #expect(refused.contains(#"<textarea id="correction" "#) && !refused.contains("runner resend"))
    let order = [
      advice, ">Correct the event</a>", ">Purge</button>", ">Only if its function has changed since:<",
      ">Retry</button>", ">Send again unchanged</button>",
    ]
    let places = order.compactMap { refused.firstRange(of: $0)?.lowerBound }
    #expect(places.count == 6 && places == places.sorted(), "what cannot help comes last")
    let large = page("TOO_LARGE", nil)
    #expect(large.contains("make the row smaller, which is a new event; then purge this one."))
    #expect(large.contains(">Purge</button>") && !large.contains(">Retry</button>") && !large.contains("Send again"))
    #expect(page("INVALID_OUTPUT").contains("mend the function and retry it;"))
    let usual = [">Retry</button>", ">Purge</button>"].compactMap { used.firstRange(of: $0)?.lowerBound }
    #expect(usual.count == 2 && usual == usual.sorted() && !used.contains("Correct the event"))
    #expect(used.contains("mend the cause and retry it;") && !used.contains("runner events retry"))
    #expect(looking.contains("runner resend lost --event FILE sends it corrected") && !looking.contains("What to do"))
    let long = RawJSON(object: [("id", RawJSON(String(repeating: "x", count: 1_000_000)))])
    for page in [page("INVALID_EVENT", long), page("INVALID_EVENT", nil)] {
      #expect(page.contains("sends it corrected") && !page.contains("What to do") && !page.contains(#"id="edit""#))
    }
    #expect(page("FAILED", long).contains("mend the cause and retry it;"))
    let now = Self.document(try Self.view([Self.event("lost", .dead), Self.event("f", .done)]).page)
    #expect(now.matches(of: /href="[^"]+lost[^"]*">What to do</).count == 1, "\(now)")
  }

  @Test func aDeadLettersPageHasTheEventOnceWithTheLineThatTheMessageNames() throws {
    let event = try RawJSON(
      validating: Array(#"{"id":"lost","list":[1,{"a":2}],"data":{"record":{"id":7,"type":"new_<coment>"}}}"#.utf8)[...]
    )
    func page(_ error: String, _ state: EventSummary.State = .dead, mayAct: Bool = true) -> String {
      var summary = Self.event("lost", state)
      (summary.error, summary.code) = (error, "INVALID_EVENT")
      return EventView(
        event: summary, attempts: [], document: event, isKnown: true,
        why: WhyReport(WhyFacts(id: EventID("lost"), now: Self.instant, event: summary)), redacted: [], url: "",
        mayAct: mayAct, mayTry: true, sequel: Sequel(entries: HTML()), token: "t"
      ).page.body.source
    }
    let (named, looking) = (page("record.type (x) is no kind"), page("record.type (x) is no kind", mayAct: false))

    #expect(event.pretty.split(separator: "\n")[11].contains("new_"), "\(event.pretty)")
    let line =
      "The message names line 12: <code><mark><bdi>&quot;type&quot;: &quot;new_&lt;coment&gt;&quot;</bdi></mark></code></p>"
    #expect(named.contains(line), "\(named)")
    #expect(!named.contains(#"class="json""#) && named.matches(of: /&quot;specversion|new_&lt;coment/).count == 2)
    #expect(named.contains(#"<div id="edit">"#) && named.contains("runner export") && !named.contains("EOF"))
    #expect(looking.contains("The message names line 12, which is marked.</p>"), "\(looking)")
    #expect(
      looking.contains(#"7,\#n<mark>      &quot;type&quot;: &quot;new_&lt;coment&gt;&quot;</mark>\#n    }"#),
      "\(looking)")
    #expect(!page("It is refused").contains("The message names") && !page("It is refused").contains("<mark>"))
    #expect(page("done", .done).contains(#"class="json""#) && page("done", .done).contains(#"<details id="edit">"#))
  }

  @Test(arguments: [
    ("record.type (x) is no kind", 12, true), ("id is missing", 2, true), ("The id is odd", nil, true),
    (#"what "list[1].a" says is odd"#, 6, true), ("the member list.1.a.", 6, true), ("data.record.id: no", 11, true),
    ("record.kind is missing", 10, false), ("data must be an object", 9, true), ("see example.com or 1.0", nil, true),
    ("", nil, true), ("nothing.here but record.id", 11, true), ("record.kind, and record.id", 11, true),
    ("...", nil, true), ("data.nobody", 9, false), ("nobody", nil, true), ("record", 10, true),
  ])
  func aMessageNamesALine(_ message: String, _ line: Int?, _ isWhole: Bool) throws {
    let event = try RawJSON(
      validating: Array(#"{"id":"lost","list":[1,{"a":2}],"data":{"record":{"id":7,"type":"x"}}}"#.utf8)[...])

    let place = NamedPlace(message, in: event)
    #expect(place?.line == line && place?.isWhole ?? true == isWhole, "\(event.pretty)")
  }

  @Test func theListSaysWhatFailsAgainAndOffersFirstWhatHelps() throws {
    func page(_ codes: String...) throws -> String {
      let events = codes.map { code in
        var event = Self.event(code, .dead)
        event.code = code
        return event
      }
      return Self.document(
        DeadView(
          query: try EventQuery(""), events: events, number: events.count, mayAct: true, token: "t", isServing: true
        ).page)
    }
    let (refused, mixed, others) = try (page("INVALID_EVENT"), page("FAILED", "TOO_LARGE"), page("FAILED"))

    for (html, acts) in [(refused, ["purge", "retry"]), (mixed, ["retry", "purge"]), (others, ["retry", "purge"])] {
      let places = acts.compactMap { html.firstRange(of: #"id="do-\#($0)""#)?.lowerBound }
      #expect(places.count == 2 && places == places.sorted(), "\(html)")
      #expect(html.contains("fails again as it is: open it") == (html != others))
    }
  }

  @Test func aStoryStandsInThePlaceOfItsFunction() throws {
    let page = Self.document(
      try Self.view([Self.event("f", .done), Self.event("g", .done)], stories: [Self.story(of: "f", "A & B · vote")])
        .page)

    #expect(page.contains(#"href="/_/console/event/f?function=f"><bdi>A &amp; B · vote</bdi></a>"#))
    #expect(
      page.contains("Grace told") && page.contains("New Vote") && page.contains("<small><bdi>f · 3 attempts</bdi>"))
    #expect(page.contains(#"function=g"><bdi>g</bdi></a>"#) && page.contains("<bdi>g · g · 3 attempts</bdi>"))
  }

  @Test func aStoryOfAnEventThatIsGoneLeadsToItsOwnPageAndEqualIdsAreNumbered() throws {
    var view = try Self.view([Self.event("f", .done), Self.event("f", .failed)])
    view.rows.append(EventTable.Row(Self.story(of: "g", "Old picnic")))

    let page = Self.document(view.page)

    #expect(page.contains(#"id="e-g-g" href="/_/console/whys/g"><bdi>Old picnic</bdi></a>"#))
    #expect(page.contains(#"id="e-f-f" "#) && page.contains(#"id="e-f-f-2" "#))
  }

  @Test func whatLedToNothingStandsOnceUntilTheOldestStory() throws {
    let row = { (id: String, seconds: Double, story: Story?) in
      var event = Self.event("f", .done)
      (event.id, event.at) = (id, Self.instant - seconds)
      return EventTable.Row(event, story)
    }
    let story = Self.story(of: "told", "A vote")
    let quiet = (0..<60).map { row("new-\($0)", Double($0), nil) }

    let rows = EventTable.Row.folded(
      quiet + [row("told", 60, story), row("old-1", 61, nil), row("old-2", 62, nil)])

    #expect(rows.map(\.id) == ["new-0", "told", "old-1", "old-2"])
    #expect(rows.map(\.others) == [59, 0, 0, 0])
    #expect(EventTable.Row.folded(quiet).count == 60)
    var view = try Self.view([])
    (view.rows, view.count) = (rows, 63)
    let page = Self.document(view.page)
    #expect(page.contains(">59 more like it</a>") && page.contains("63 events shown") && page.contains("More events"))
  }

  @Test func aRowThatConcernedNobodySaysSoAndUpkeepThatEndedWellHasNone() throws {
    // Whether the first one has a story is not known yet; nothing of the function `plain` ever has one.
    let states: [(String, EventSummary.State, id: String)] = [
      ("told", .done, "new"), ("told", .done, "told"), ("tidy", .done, "tidy"), ("plain", .done, "plain"),
      ("tidy", .dead, "tidy"), ("told", .done, "quiet"), ("last", .done, "last"),
    ]
    let events = states.enumerated().map { index, one in
      var event = Self.event(one.0, one.1)
      (event.id, event.kind, event.at) = (one.id, "INSERT public.notes", Self.instant - Double(index))
      return event
    }
    let stories = ["told", "last"].map { Self.story(of: $0, "A vote") }
    let found = EventCatalogue.Newest(events: events)

    let (rows, upkeep) = NowPages.rows(found, stories, isAll: true, upkeep: ["tidy"], 40)
    let chosen = NowPages.rows(found, stories, isAll: false, upkeep: ["tidy"], 40)

    #expect(rows.map(\.id) == ["new", "told", "plain", "tidy", "quiet", "last"])
    #expect(rows.map(\.toldNobody) == [false, false, false, false, true, false])
    #expect(upkeep.functions == ["tidy": 1], "what of it has failed stands among the rows")
    #expect(chosen.rows.count == 7 && chosen.upkeep.isEmpty)
    var view = try Self.view([])
    (view.rows, view.upkeep) = (rows, upkeep)
    let page = Self.document(view.page)
    #expect(page.ranges(of: "nobody had to be told").count == 1 && page.contains(">tidy ran once</a>"))
  }

  @Test func whatToldNobodyIsCountedInOneLineBelowTheOthers() throws {
    let lines = { (view: NowView) in
      Self.document(view.page).matches(of: />(A schedule ran once|[^<> ]* ran [^<]*)<|id="e-(f)-f"/).map {
        String($0.1 ?? $0.2 ?? "")
      }
    }
    var view = try Self.view([Self.event("f", .done)], upkeep: EventTable.Upkeep(schedules: 3))
    #expect(lines(view) == ["f", "Schedules ran 3 times"])
    view.upkeep.hasMore = true
    #expect(lines(view) == ["f", "Schedules ran 3+ times"])
    view.upkeep.schedules = 1
    #expect(lines(view) == ["f", "Schedules ran 1+ times"])
    view.upkeep.hasMore = false
    #expect(lines(view) == ["f", "A schedule ran once"])
    view.upkeep.functions = ["tidy": 3, "settle": 1]
    #expect(lines(view) == ["f", "A schedule ran once", "settle ran once", "tidy ran 3 times"])
    let page = Self.document(view.page)
    #expect(page.contains(#"?q=function%3Atidy"#) && page.contains("5 events shown"))
    #expect(page.ranges(of: #"class="fold""#).count == 1)
    view.rows = []
    #expect(lines(view) == ["A schedule ran once", "settle ran once", "tidy ran 3 times"])
  }

  @Test func whatAStoryDoesNotDrawStandsOnItsPage() throws {
    var story = Self.story(of: "f", "A vote")
    let without = Self.document(try Self.view([Self.event("f", .done)], stories: [story]).page)
    story.otherTexts = 2
    let page = Self.document(try Self.view([Self.event("f", .done)], stories: [story]).page)

    #expect(page.contains(#"<a href="/_/console/event/f?function=f">and 2 more</a>"#), "\(page)")
    #expect(!without.contains(" more</a>"))
  }

  @Test func troubleIsSaidAndNothingWhereAllIsWell() throws {
    var view = try Self.view([Self.event("f", .done)])
    #expect(!Self.document(view.page).contains("chips"))

    var figures = PulseReading.Function()
    (figures.dead, figures.retrying, figures.waiting) = (1, 2, PulseReading.most)
    view.pulse.functions["echo"] = figures
    view.overdue = [Overdue(what: .schedule, name: "tick", since: Self.instant, seconds: 90)]
    let page = Self.document(view.page)
    #expect(page.contains(#"<a class="badge bad" href="/_/console/dead">1 dead letter</a>"#))
    #expect(page.ranges(of: "dead letter<").count == 1 && !page.contains(">dead letters<"))
    #expect(page.contains("2 to be tried again<") && page.contains("100000+ waiting<"))
    #expect(page.contains("Overdue: the schedule tick is 1 min 30 s late"))
  }

  @Test func whatWaitsForItsTimeLeadsToTheClock() throws {
    var view = try Self.view([Self.event("f", .done)])
    view.waitsUntil = Self.instant + 90
    #expect(!Self.document(view.page).contains("Something waits"))
    view.clock = NavigationEntry("clock", "Clock", key: "c")
    let page = Self.document(view.page)
    #expect(page.contains("Something waits until <time") && page.contains(#"href="/_/console/clock""#))
    view.query = try EventQuery("state:done")
    #expect(!Self.document(view.page).contains("Something waits"))
  }

  @Test func aFailureIsSaidOnceWithItsCause() {
    let log = #"{"level":"error","error.message":"It is wrong.","error.cause":"No such row."}"#
    let other = #"{"level":"error","error.message":"Something else."}"#
    let attempt = EventAttempt(
      endedAt: Self.instant, code: "FAILED", exit: 1, milliseconds: 5, error: "It is wrong.\n\(log)\n\(other)")

    let html = EventTimeline(event: Self.event("f", .failed), attempts: [attempt]).html.source

    #expect(html.contains("It is wrong.\nNo such row.\n{"), "\(html)")
    #expect(html.matches(of: /It is wrong/).count == 1 && html.contains("Something else."))
  }

  @Test func aSentenceHasItsInstantsAsThePagesWriteThem() {
    let html = sentence("It is due at 2026-05-28 20:26:40Z (in 3 min); <b> 12, 2026-99-99 00:00:00Z", longest: 200)
      .source

    let time = #"<time datetime="2026-05-28T20:26:40.000Z" title="2026-05-28 20:26:40Z" data-at="">"#
    #expect(html.hasPrefix("<bdi>It is due at \(time)28 May"), "\(html)")
    #expect(html.hasSuffix(", 20:26 UTC</time> (in 3 min); &lt;b&gt; 12, 2026-99-99 00:00:00Z</bdi>"), "\(html)")
  }

  @Test func anEventSaysWhatItWaitsFor() throws {
    var retrying = Self.event("f", .retrying)
    (retrying.code, retrying.error, retrying.runAt) = ("WORKER_CRASH", "boom\nmore", Self.instant + 90)

    let page = Self.document(try Self.view([retrying]).page)

    #expect(page.contains("next try in 1 min 30 s: WORKER_CRASH: boom<"))
    #expect(page.contains("href=\"/_/console/event/f?function=f\""))
  }

  @Test(arguments: [
    (1, [1], "its turn"), (2, [1], "the function is at its limit: 2 run"), (1, [], "no part of the queue is held here"),
    (2, [3], "its part of the queue is not held here"),
  ])
  func aWaitingEventSaysNothingUntrue(_ running: Int, _ partitions: [Int], _ reason: String) throws {
    let function =
      #"{"name":"f","processes":2,"running":\#(running),"waiting":1,"events":[],"interrupted":[],"elsewhere":false}"#
    let report = try Self.report(function, partitions: partitions)
    var waiting = Self.event("f", .waiting)
    waiting.partition = 1
    #expect(Self.document(try Self.view([waiting], report: report).page).contains("<bdi>\(reason)</bdi>"))

    waiting.blocker = "5.3"
    let page = Self.document(try Self.view([waiting], report: report).page)
    #expect(page.contains(#"behind <a href="/_/console/event/5.3?function=f"><bdi>5.3</bdi></a>"#))
    #expect(!page.contains(reason) && !page.contains("its turn"))
  }

  @Test func numbersStayAsTheyAreWritten() {
    let number = "123456789012345678901234567890.10"
    #expect(json(RawJSON(trusting: Array("{\"n\":\(number)}".utf8))).source.contains(number))
  }

  @Test(
    arguments: [
      ("function:vote-cast state:dead", "vote-cast", EventSummary.State.dead), ("state:RETRYING", nil, .retrying),
      ("", nil, nil), ("function:\"a b\"", "a b", nil),
    ] as [(String, String?, EventSummary.State?)])
  func aFilterIsRead(_ text: String, _ function: String?, _ state: EventSummary.State?) throws {
    let query = try EventQuery(text)
    #expect(query.filter.function == function && query.state == state && query.filter.ids.isEmpty)
  }

  @Test(
    arguments: [
      ("state:dead", true), ("dan function:f", true), ("Night mode", false), ("10:30", false), ("a@b:c", false),
    ])
  func onlyAFieldMakesAFilter(_ text: String, _ isFilter: Bool) {
    #expect(EventQuery.isFilter(text) == isFilter)
  }

  @Test func aWordWithoutAFieldIsAnID() throws {
    #expect(
      try EventQuery("3.28 report@2026-01-01T00:00:00Z").filter.ids.map(\.text) == [
        "3.28", "report@2026-01-01T00:00:00Z",
      ])
    #expect(throws: FunctionError.self) { try EventQuery("funktion:x") }
    #expect(throws: FunctionError.self) { try EventQuery("state:gone") }
    #expect(throws: FunctionError.self) { try EventQuery("since:soon") }
  }

  @Test func whatSomebodyEntersIsNeverAnOption() throws {
    for text in ["", "a\u{0}", "-\u{0}"] {
      #expect(throws: FunctionError.self) { try RunnerCommand.changing("events", "purge").with(text) }
    }
    for text in ["--all", "-h", "--"] {
      let command = try RunnerCommand.changing("events", "purge").with(text).with("one").with("--function", "f")
      #expect(
        command.line("/p", state: "/s") == [
          "events", "purge", "one", "--function", "f", "--json", "--project", "/p", "--state-dir", "/s", "--", text,
        ])
      // A bundle's command may not know what "--" means.
      #expect(throws: FunctionError.self) { try RunnerCommand.ofBundle(["x"], changes: false).with(text) }
      #expect(throws: FunctionError.self) { try RunnerCommand.reading("events", "list").with("--function", text) }
    }
    #expect(throws: FunctionError.self) { try DeadLetterAct.purge.command(EventQuery("key:--yes")) }
    #expect(throws: FunctionError.self) { try DeadLetterAct.retry.command(EventQuery("trigger:http")) }
    #expect(
      try DeadLetterAct.purge.command(EventQuery("function:f older-than:1d")).words == [
        "events", "purge", "--yes", "--function", "f", "--older-than", "86400s",
      ])
    #expect(try DeadLetterAct.retry.command(EventQuery("")).words == ["events", "retry", "--all"])
    #expect(
      try DeadLetterAct.retry.command(EventQuery(""), diedBy: "2026-08-02T13:04:05.000123Z").words == [
        "events", "retry", "--died-by", "2026-08-02T13:04:05.000123Z", "--all",
      ])
  }

  @Test(arguments: [("", true), ("code:WORKER_CRASH", true), ("trigger:http", false), ("state:done", false)])
  func onlyWhatCanBeDoneToAllIsOffered(_ query: String, _ isOffered: Bool) throws {
    let view = DeadView(
      query: try EventQuery(query), events: [Self.event("f", .dead)], number: 2, mayAct: true, token: "t", done: nil,
      isServing: true)
    #expect(Self.document(view.page).contains("/_/console/dead/all") == isOffered)
    #expect(Self.document(view.page).contains("the chosen ones"))
  }

  @Test func aDeadLetterIsAboutSomebodyWithAName() throws {
    let person = tag(.a, .href(Address("people", "7"))) { "Grace <b>" }
    let dead = DeadView(
      query: try EventQuery(""), events: [Self.event("seven", .dead), Self.event("eight", .dead)], number: 2,
      mayAct: true, token: "t", isServing: true, people: ["seven": person])
    var now = try Self.view([Self.event("seven", .dead), Self.event("eight", .dead)])
    now.people = ["seven": person]

    let (list, first) = (Self.document(dead.page), Self.document(now.page))
    let link = #"<a href="/_/console/people/7">Grace &lt;b&gt;</a>"#
    #expect(list.contains("\(link)<br><code><bdi>seven</bdi></code>"), "\(list)")
    #expect(list.contains("<td><code><bdi>eight</bdi></code>") && list.matches(of: /Grace/).count == 1)
    #expect(first.contains("<small><bdi>seven · 3 attempts</bdi> · for \(link)</small>"), "\(first)")
    #expect(first.contains("<small><bdi>eight · eight · 3 attempts</bdi></small>"))
    #expect(first.matches(of: /Grace/).count == 1)
  }

  @Test func whatWaitsIsPushesToo() throws {
    var view = try Self.view([], query: "state:waiting")
    #expect(Self.document(view.page).contains("No event matches “state:waiting”."))

    view.pushes = tag(.p) { "Grace: a vote" }
    let pushes = Self.document(view.page)
    view.rows = [EventTable.Row(Self.event("f", .waiting), nil)]
    let both = Self.document(view.page)

    #expect(pushes.contains("<h2>Pushes that wait</h2><p>Grace: a vote</p>") && !pushes.contains("matches “"))
    #expect(pushes.contains("No event waits for its turn."))
    #expect(both.contains("<p>Grace: a vote</p>") && both.contains("e-f-f") && !both.contains("No event waits"))
  }

  @Test func assetsKeepToTheirBudget() {
    #expect(Assets.size(of: ".css") <= 20_000)
    #expect(Assets.size(of: ".js") <= 60_000)
  }
}
