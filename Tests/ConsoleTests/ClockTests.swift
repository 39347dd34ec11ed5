import FoundationEssentials
import Testing

@testable import Console

/// The list on the clock's page, and the facts that its script reads.
struct ClockTests {
  @Test(arguments: [
    ([], ""), ([5], "5"), ([5, 9], "5 9"), ([60, 120, 180], "60+60*2"), ([60, 120, 180, 500], "60+60*2 500"),
    ([1, 2, 3, 10, 20, 30, 31], "1+1*2 10+10*2 31"), ([7, 7, 7], "7+0*2"),
  ])
  func momentsAreWrittenBriefly(_ times: [Int64], _ expected: String) {
    let due = DueTimes(times)
    #expect(due.text == expected && due.count == times.count && due.reach == nil)
    #expect(due.first == times.first && due.last == times.last)
  }

  @Test func aMinuteScheduleIsOneWord() {
    let due = DueTimes((1...10_000).map { $0 * 60 }, isCut: true)
    #expect(due.text == "60+60*9999" && due.reach == 600_000, "more may come after the last one")
  }

  @Test(arguments: [
    (60, "every minute"), (300, "every 5 minutes"), (3_600, "every hour"), (7_200, "every 2 hours"),
    (1, "every second"), (90, "every 90 seconds"), (86_400, nil),
  ])
  func evenMomentsHaveARhythm(_ step: Int64, _ rhythm: String?) {
    let times = (1...20).map { $0 * step }
    #expect(DueTimes(times).rhythm == rhythm)
    #expect(DueTimes(times, isCut: true).rhythm == nil, "others may come at other distances")
    #expect(DueTimes(times, isCut: true, goesOnEvenly: true).rhythm == rhythm)
    #expect(DueTimes(times, count: 21).rhythm == nil)
    #expect(DueTimes(times + [times[19] + step + 1]).rhythm == nil)
    #expect(DueTimes([times[0] - step - 1] + times, isCut: true, goesOnEvenly: true).rhythm == nil)
  }

  @Test(arguments: [[], [60], [60, 120], [60, 60, 60], [60, 120, 180, 300]])
  func whatIsNotEvenHasNone(_ times: [Int64]) {
    #expect(DueTimes(times).rhythm == nil)
  }

  @Test func onlyASchedulesRhythmIsSaid() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let due = DueTimes((1...1_440).map { 1_800_000_000 + $0 * 60 })
    var view = ClockView(
      clock: ClockReading(now: now, offset: 0), span: "22:00", end: now + 86_400,
      lines: [ClockView.DueLine(cause: .schedule, name: "tick", due: due)], mayAct: true, token: "t")

    // The script takes the number from the cell's first text.
    let cell = #"<td class="number">1440<span class="unseen"> times</span><br><small>every minute</small></td>"#
    #expect(view.page.body.source.contains(cell), "\(view.page.body.source)")
    #expect(view.page.body.source.contains(#"value="22:00""#) && view.page.body.source.contains(">22:00 UTC</a>"))
    #expect(view.page.body.source.contains("or to a time of day in UTC<input"))
    view.lines[0].cause = .retries
    #expect(!view.page.body.source.contains("every minute"))
  }

  @Test func whatIsNotListedIsSaid() {
    // No three of them are a repetition.
    let squares = (1...400).map { Int64($0 * $0) }
    let due = DueTimes(squares)
    #expect(due.text.split(separator: " ").count == DueTimes.mostWords)
    #expect(due.count == 400 && due.last == 160_000 && due.reach == Int64(DueTimes.mostWords * DueTimes.mostWords))
    #expect(DueTimes([3, 8], count: 9).reach == 8)
  }

  @Test func aScheduleOfSecondsHasThem() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let texts = [0.0, 10, 60].map { occurrence(now + $0, now: now).source }
    #expect(zip(texts, ["08:00 UTC<", "08:00:10 UTC<", "08:01 UTC<"]).allSatisfy { $0.contains(" \($1)") }, "\(texts)")
  }

  @Test func theHeadSaysTheClockAsThePagesWriteIt() {
    var frame = Frame(places: [NavigationEntry("clock", "Clock", key: "c")], bundle: "b")
    let page = Page("Page", in: "x") { tag(.p) { "text" } }
    #expect(!frame.document(page).source.contains("data-now"))
    frame.clock = "2026-11-30T22:00:05.250Z"
    let html = frame.document(page).source

    #expect(html.contains(#" data-now="2026-11-30T22:00:05.250Z""#), "what is said to be long ago goes by it")
    let link = #"<a class="badge notice" href="/_/console/clock">clock <time datetime="2026-11-30T22:00:05.250Z""#
    #expect(html.contains(link) && html.contains(">30 Nov, 22:00 UTC</time></a>"), "\(html)")
    frame.places = []
    #expect(frame.document(page).source.contains(#"<span class="badge notice">clock <time"#))
  }

  @Test func realTimeIsOfferedOnlyWhereItIsNotRefusedAnyway() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    var view = ClockView(
      clock: ClockReading(now: now, offset: 7_200), span: nil, end: now + 86_400, lines: [], mayAct: true, token: "t")
    let free = view.page.body.source
    view.clock.lastFire = now - 60
    let refused = view.page.body.source

    #expect(free.contains(#"<button id="realtime">Back to real time</button>"#), "\(free)")
    #expect(refused.contains("Back to real time</h2>") && !refused.contains("<button id=\"realtime\""), "\(refused)")
    #expect(refused.contains("Not before <time") && refused.contains("runner reset"))
  }

  @Test func thePageListsWhatComesDueAndMovesOnlyToWhereSomebodySaid() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    var view = ClockView(
      clock: ClockReading(now: now, offset: 0), span: nil, end: now + 86_400,
      lines: [
        ClockView.DueLine(cause: .schedule, name: "<tick>", due: DueTimes([1_800_000_060, 1_800_000_120])),
        ClockView.DueLine(cause: .wakeUp, name: "push", due: DueTimes([1_800_000_500])),
      ], mayAct: true, token: "t")

    let first = view.page.body.source
    #expect(first.contains(#"<tr data-due="1800000060 1800000120">"#) && first.contains("&lt;tick&gt;"))
    #expect(first.contains("push</bdi> runs, as it has asked to") && first.contains(#"data-through="1800086400""#))
    #expect(!first.contains("Who is told then") && !first.contains("Nobody waits"), "it is not known")
    view.waiting = HTML()
    let nobody = "Each of these may make further events, which are not listed. Nobody waits to be told until then.</p>"
    #expect(view.page.body.source.contains(nobody) && !view.page.body.source.contains("Who is told then"))
    view.waiting = HTML("Grace")
    #expect(view.page.body.source.contains("Who is told then, unless something changes</h3>Grace"))
    #expect(!view.page.body.source.contains("Nobody waits"))
    #expect(!first.contains("Move the clock to"))
    view.span = "1h"
    // What the button says is what it sends.
    view.clock.now = now - 86_400 * 30
    #expect(view.page.body.source.contains("Move the clock to 16 Jan 2027, 08:00:00 UTC"))
    view.clock.now = now
    #expect(view.page.body.source.contains("Move the clock to 16 Jan, 08:00:00 UTC"))
    #expect(view.page.body.source.contains("<h2>What comes due until 16 Jan, 08:00 UTC</h2>"))
    #expect(view.page.body.source.contains(#"name="to" value="2027-01-16 08:00:00Z""#))
    view.mayAct = false
    #expect(!view.page.body.source.contains("Move the clock to"))
    view.lines = []
    #expect(!view.page.body.source.contains("range"))
    let nothing =
      ">16 Jan, 08:00 UTC</time> nothing comes due: no schedule, no retry, and no function has asked to run."
    #expect(view.page.body.source.contains(nothing), "\(view.page.body.source)")
    view.span = nil
    #expect(view.page.body.source.contains("<p>In the next 24 hours nothing comes due: no schedule, "))
  }

  @Test func whatComesDueStandsBeforeWhoIsToldThenAndBesideIt() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    var view = ClockView(
      clock: ClockReading(now: now, offset: 0), span: nil, end: now + 86_400,
      lines: [ClockView.DueLine(cause: .wakeUp, name: "push", due: DueTimes([1_800_000_500]))], waiting: HTML("Grace"),
      mayAct: true, token: "t")
    let html = view.page.body.source
    let order = [#"<div class="columns">"#, #"id="slide""#, "<tr data-due", "Who is told then", "</h3>Grace"]
    let places = order.compactMap { html.firstRange(of: $0)?.lowerBound }
    #expect(places.count == 5 && places == places.sorted(), "\(html)")
    view.lines = []
    #expect(view.page.body.source.contains(#"<div class="columns"><div><h3>Who is told then"#))
    view.waiting = HTML()
    #expect(!view.page.body.source.contains(#"class="columns""#))
  }

  @Test func thePageSaysWhatComesDueAtTheTimeThatSomebodyAskedFor() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    func line(_ name: String, _ times: [Int64], count: Int? = nil) -> ClockView.DueLine {
      ClockView.DueLine(cause: .retries, name: name, due: DueTimes(times, count: count))
    }
    func html(_ lines: [ClockView.DueLine], span: String? = "09:00", seconds: Double = 3_600) -> String {
      ClockView(
        clock: ClockReading(now: now, offset: 0), span: span, end: now + seconds, lines: lines, mayAct: true, token: "t"
      ).page.body.source
    }
    let (late, early) = (line("<late>", [1_800_000_060, 1_800_003_600]), line("early", [1_800_003_599]))
    let at = "<p>At <time datetime=\"2027-01-15T09:00:00.000Z\""

    #expect(html([early]).contains(at) && html([early]).contains("</time> nothing comes due. Each of these"))
    #expect(html([early, late]).contains("</time> <bdi>&lt;late&gt;</bdi> comes due. Each of these"))
    let three = html([late, line("b", [1_800_003_600]), late, line("c", [1_800_003_600])])
    #expect(three.contains("<bdi>&lt;late&gt;</bdi>, <bdi>b</bdi> and <bdi>c</bdi> come due. "), "\(three)")
    // It is not known, not asked for, or no full minute.
    for other in [
      html([early, line("more", [1_800_000_060], count: 9)]), html([late], span: nil), html([late], seconds: 3_600.5),
      html([late], seconds: 3_601),
    ] {
      #expect(other.contains("<p>Each of these may make further events"), "\(other)")
    }
  }
}
