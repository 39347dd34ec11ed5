import CLI
import Documents
import FoundationEssentials
import Inspection
import Metrics

/// The first page, from what was read for it.
struct NowView {
  var query: EventQuery
  /// The newest first.
  var rows: [EventTable.Row]
  /// The events that have no row because they told nobody anything.
  var upkeep = EventTable.Upkeep()
  /// Whether there are no older ones that match and were not looked for.
  var isWhole: Bool
  var count: Int
  /// Why nothing is told of the events; `nil` if it is.
  var silence: String?
  var overdue: [Overdue] = []
  /// The work that waits because something outside is away, a sentence each.
  var outages: [String] = []
  /// The events' clock.
  var now: Date
  var nextSchedule: Date?
  /// When a function does next what it has put off; `nil` if none has.
  var waitsUntil: Date?
  var report: RunnerReport
  var pulse: PulseReading
  /// The names of all functions.
  var functions: [String]
  /// How many events of each may run at once.
  var limits: [String: Int]
  /// The runner's address.
  var url: String
  /// Where the bundle's experiments are; `nil` if there are none.
  var tries: NavigationEntry?
  /// Where it stands what comes due, and who is told then.
  var clock: NavigationEntry?
  /// The pushes that wait; nothing unless they were asked for.
  var pushes = HTML()
  /// People by the keys of rows that are about them.
  var people: [String: HTML] = [:]

  var page: Page {
    var page = Page("Now", in: "", live: [.events]) {
      tag(.p) { EventSearch(query: query.text, address: Address(), suggestions: Self.suggestions).choices }
      if !query.isEmpty, !rows.isEmpty || !pushes.isEmpty {
        tag(.p, .class("faint")) {
          "Events that match "
          tag(.code) { name(query.text, longest: 200) }
        }
      }
      tag(.div, .region("now"), .data("news", news)) {
        trouble
        if query.isEmpty, let waitsUntil, let clock {
          tag(.p, .class("faint")) {
            "Something waits until "
            time(waitsUntil, now: now)
            ": "
            tag(.a, .href(clock.address)) { "what happens then, and who is told" }
          }
        }
        if let silence {
          tag(.p, .class("faint")) {
            "What the events led to cannot be told now: "
            name(silence, longest: 300)
          }
        }
        if !pushes.isEmpty {
          part("Pushes that wait") { pushes }
          tag(.h2) { "Events that wait" }
        }
        if rows.isEmpty, upkeep.isEmpty { nothing } else { list }
      }
    }
    (page.now, page.search) = (now, query.text)
    return page
  }

  private static let suggestions = [
    ("waiting", "state:waiting"), ("retrying", "state:retrying"),
    ("calls", "trigger:http"), ("rows", "trigger:row"), ("schedules", "trigger:schedule"), ("last hour", "since:1h"),
  ]

  private var news: String {
    "\(shown) events shown, \(pulse.waiting) in the queue, \(pulse.dead) dead letters"
  }

  /// How many events the rows stand for, without what schedules did.
  private var shown: Int { rows.reduce(upkeep.functions.values.reduce(0, +)) { $0 + 1 + $1.others } }

  private var list: HTML {
    EventTable(rows: rows, upkeep: upkeep, report: report, limits: limits, now: now, people: people).html
      + tag(.p, .class("faint")) {
        if !isWhole {
          "Older events were not looked through. "
        } else if shown >= count, count < 500 {
          tag(.a, .id("more"), .href(Address().with("q", query.text).with("count", "\(min(500, count * 4))"))) {
            "More events"
          }
        }
      }
  }

  /// The things that wait, fail, are paused or overdue; nothing while all is well.
  @HTMLBuilder private var trouble: HTML {
    let chips = chips
    if !chips.isEmpty { tag(.ul, .class("chips"), .aria("label", "What needs attention")) { chips } }
  }

  @HTMLBuilder private var chips: HTML {
    if let problem = pulse.problem { chip("The queue cannot be counted: \(problem.clipped(to: 300))", "bad") }
    for one in overdue.prefix(5) { chip("Overdue: \(one.sentence)", "bad") }
    for one in outages.prefix(5) { chip("Outage: \(one.clipped(to: 500))", "bad") }
    for function in functions {
      if let pause = report[function]?.paused {
        chip("\(function) is paused: \(pause.code)", "notice", Address("functions", function))
      }
      if let outage = report[function]?.outage {
        chip("The target of \(function) is away: \(outage.clipped(to: 200))", "bad", Address("functions", function))
      }
    }
    if pulse.dead > 0 {
      chip("\(PulseReading.text(pulse.dead)) dead letter\(pulse.dead == 1 ? "" : "s")", "bad", Address("dead"))
    }
    if pulse.retrying > 0 {
      chip("\(PulseReading.text(pulse.retrying)) to be tried again", "notice", Address().with("q", "state:retrying"))
    }
    if pulse.waiting > 0 {
      chip("\(PulseReading.text(pulse.waiting)) waiting", "busy", Address().with("q", "state:waiting"))
    }
  }

  private func chip(_ text: String, _ kind: String, _ address: Address? = nil) -> HTML {
    tag(.li) {
      if let address { tag(.a, .class("badge \(kind)"), .href(address)) { text } } else { badge(text, kind) }
    }
  }

  private var nothing: HTML {
    guard query.isEmpty else {
      if !pushes.isEmpty { return emptiness("No event waits for its turn.") }
      return emptiness("No event matches “\(query.text.clipped(to: 200))”.") {
        if let function = query.filter.function, !functions.contains(function) {
          tag(.p) { "functions.json has no function of that name." }
        }
        if !isWhole { tag(.p) { "Older events were not looked through: say since:1h, or a function." } }
        tag(.p) {
          tag(.a, .href(Address("find").with("q", query.text))) { "Look among people and functions, too" }
          " · "
          tag(.a, .href(Address())) { "Show all events" }
        }
      }
    }
    return emptiness("No event has come yet.") {
      if let tries { tag(.p) { tag(.a, .href(tries.address)) { tries.title } } }
      tag(.ul) {
        tag(.li) {
          "Row changes: "
          report.partitions.isEmpty
            ? "this runner holds no part of the queue, so it reads none." : "this runner reads them; change a row."
        }
        tag(.li) {
          "Schedules: "
          if let nextSchedule {
            "the next one is due at "
            time(nextSchedule, now: now)
            "."
          } else {
            "none is due."
          }
        }
        tag(.li) {
          "Calls: this runner takes them at "
          tag(.code) { "\(url)/functions/v1/NAME" }
          "."
        }
      }
    }
  }
}
