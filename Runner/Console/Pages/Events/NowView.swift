import CLI
import Documents
import FoundationEssentials
import Inspection
import Metrics

/// The first page, from what was read for it.
struct NowView {
  var query: EventQuery
  /// The newest first.
  var events: [EventSummary]
  /// Whether there are no older ones that match and were not looked for.
  var isWhole: Bool
  var count: Int
  var overdue: [Overdue] = []
  /// What waits because something outside is away, a sentence each.
  var outages: [String] = []
  /// The events' clock.
  var now: Date
  var nextSchedule: Date?
  var report: RunnerReport
  var pulse: PulseReading
  /// The names of all functions.
  var functions: [String]
  /// How many events of each may run at once.
  var limits: [String: Int]
  /// The runner's address.
  var url: String

  var page: Page {
    Page("Now", in: "", live: [.events]) {
      EventSearch(query: query.text, address: Address(), suggestions: Self.suggestions).html
      tag(.div, .region("now"), .data("news", news)) {
        if let problem = pulse.problem {
          tag(.p, .class("callout bad")) { "The queue cannot be counted: \(problem.clipped(to: 300))" }
        }
        for one in overdue.prefix(5) { tag(.p, .class("callout bad")) { "Overdue: \(one.sentence)." } }
        for one in outages.prefix(5) { tag(.p, .class("callout bad")) { "Outage: \(one.clipped(to: 500))." } }
        if query.isEmpty { activity }
        if events.isEmpty { nothing } else { list }
      }
    }
  }

  private static let suggestions = [
    ("dead letters", "state:dead"), ("waiting", "state:waiting"), ("retrying", "state:retrying"),
    ("calls", "trigger:http"), ("rows", "trigger:row"), ("schedules", "trigger:schedule"), ("last hour", "since:1h"),
  ]

  private var news: String {
    "\(events.count) events shown, \(pulse.waiting) in the queue, \(pulse.dead) dead letters"
  }

  private var list: HTML {
    EventTable(events: events, report: report, limits: limits, now: now).html
      + tag(.p, .class("faint")) {
        if !isWhole {
          "Older events were not looked through. "
        } else if events.count >= count, count < 500 {
          tag(.a, .id("more"), .href(Address().with("q", query.text).with("count", "\(min(500, count * 4))"))) {
            "More events"
          }
        }
      }
  }

  /// The functions that do something, or should.
  private var activity: HTML {
    let busy = functions.filter { name in
      guard let figures = pulse.functions[name] else { return false }
      return figures.ended.contains { $0 > 0 } || figures.waiting + figures.retrying + figures.dead > 0
        || report[name]?.paused != nil || report[name]?.outage != nil
    }
    guard !busy.isEmpty else { return HTML() }
    return tag(.div, .class("block")) {
      table(
        "Functions that did something in the last hour",
        ["function", "state", "a second", "in the queue", "retrying", "dead", "last hour"],
        numbers: ["a second", "in the queue", "retrying", "dead"]
      ) {
        for function in busy { line(function, pulse.functions[function] ?? PulseReading.Function()) }
      }
    }
  }

  private func line(_ function: String, _ figures: PulseReading.Function) -> HTML {
    let rate = figures.rate(minutes: 1)
    return tag(.tr) {
      tag(.th, .scope("row")) {
        tag(.a, .id("n-\(function)"), .href(Address().with("q", "function:\(function)"))) { name(function) }
      }
      cell { StateBadge.of(report[function]) }
      cell("number") { rate > 0 ? rate < 0.1 ? "< 0.1" : Attribute.written(rate) : "" }
      cell("number") { figures.waiting > 0 ? PulseReading.text(figures.waiting) : "" }
      cell("number") { figures.retrying > 0 ? PulseReading.text(figures.retrying) : "" }
      cell("number") {
        if figures.dead > 0 {
          tag(.a, .id("d-\(function)"), .href(Address("dead").with("q", "function:\(function)"))) {
            PulseReading.text(figures.dead)
          }
        }
      }
      cell { FunctionList.hour(figures, of: function) }
    }
  }

  private var nothing: HTML {
    guard query.isEmpty else {
      return emptiness("No event matches “\(query.text.clipped(to: 200))”.") {
        if let function = query.filter.function, !functions.contains(function) {
          tag(.p) { "functions.json has no function of that name." }
        }
        if !isWhole { tag(.p) { "Older events were not looked through: say since:1h, or a function." } }
        tag(.p) { tag(.a, .href(Address())) { "Show all events" } }
      }
    }
    return emptiness("No event has come yet.") {
      tag(.ul) {
        tag(.li) {
          "Row changes: "
          report.partitions.isEmpty
            ? "this runner holds no part of the queue, so it reads none." : "this runner reads them; change a row."
        }
        tag(.li) {
          "Schedules: "
          nextSchedule.map { "the next one is due at \(TimeText.of($0))." } ?? "none is due."
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
