import CLI
import Documents
import FoundationEssentials
import Inspection
import Metrics

/// Events, a row each, with what they led to where somebody knows it.
struct EventTable {
  /// The newest first.
  var rows: [Row]
  var upkeep = Upkeep()
  var report: RunnerReport
  /// How many events of a function may run at once, by its name.
  var limits: [String: Int]
  /// The events' clock.
  var now: Date
  /// People by the keys of rows that are about them.
  var people: [String: HTML] = [:]

  /// Runs that ended well and told nobody anything: one line below the rows counts them, so that they part no stories.
  struct Upkeep {
    /// How often schedules have fired.
    var schedules = 0
    /// Whether they may have fired before that, too.
    var hasMore = false
    /// How many events there were of each function that only keeps things in order.
    var functions: [String: Int] = [:]

    var isEmpty: Bool { schedules == 0 && functions.isEmpty }
  }

  /// The list says how long an event took from this many milliseconds on; the event's own page always says it.
  private static let slow = 1_000.0

  /// An event, or what is told of one that is not listed itself.
  struct Row {
    var function: String
    var id: String
    var at: Date
    /// Its page, or that of the story.
    var address: Address
    var event: EventSummary?
    var story: Story?
    /// How many right below it are of its function and quiet as it is: they are not listed.
    var others = 0
    /// Whether it is a row's event that is known to have told nobody: others of its function have stories, and stories
    /// that are newer were read.
    var toldNobody = false

    init(_ event: EventSummary, _ story: Story?) {
      (function, id, at, address) = (event.function, event.id, event.at, event.address)
      (self.event, self.story) = (event, story)
    }

    init(_ story: Story) {
      (function, id, at, address) = (story.function, story.event, story.at, story.address)
      self.story = story
    }

    /// Whether it was done, and no story tells what it led to.
    var isQuiet: Bool { story == nil && event?.state == .done }

    /// The same, newest first, with one row for quiet ones of a function that follow each other.
    ///
    /// Only the newest stories are read, so rows that are older than all of them stay as they are: of those nobody knows
    /// whether they are quiet.
    static func folded(_ rows: [Row]) -> [Row] {
      let told = rows.indices.filter { rows[$0].story != nil }
      guard let newest = told.first, let oldest = told.last else { return rows }
      let telling = Set(told.map { rows[$0].function })
      let lines = zip(rows.indices, rows[...oldest]).reduce(into: [Row]()) { lines, place in
        let (index, row) = place
        if row.isQuiet, let above = lines.last, above.isQuiet, above.function == row.function {
          lines[lines.count - 1].others += 1
        } else {
          lines.append(row)
          lines[lines.count - 1].toldNobody =
            index > newest && row.isQuiet && telling.contains(row.function) && row.event?.kind.contains(" ") == true
        }
      }
      return lines + rows[(oldest + 1)...]
    }
  }

  var html: HTML {
    var lines = HTML()
    var ids: [String: Int] = [:]
    for row in rows {
      let id = "e-\(row.function)-\(row.id)"
      ids[id, default: 0] += 1
      // Events of two sources may have one id.
      lines += line(row, id: ids[id] == 1 ? id : "\(id)-\(ids[id] ?? 0)")
    }
    if !upkeep.isEmpty { lines += fold }
    return table("Events", ["when", "what happened", "the push"], class: "stack stories") { lines }
  }

  private var fold: HTML {
    tag(.tr, .class("fold")) {
      cell()
      tag(.td, .colspan(2)) {
        if upkeep.schedules > 0 {
          tag(.a, .href(Address().with("q", "trigger:schedule state:done"))) {
            upkeep.schedules == 1 && !upkeep.hasMore
              ? "A schedule ran once" : "Schedules ran \(upkeep.schedules)\(upkeep.hasMore ? "+" : "") times"
          }
        }
        for (index, name) in upkeep.functions.keys.sorted().enumerated() {
          let count = upkeep.functions[name] ?? 0
          if index > 0 || upkeep.schedules > 0 { " · " }
          tag(.a, .href(Address().with("q", "function:\(name) state:done"))) {
            "\(name) ran \(count == 1 ? "once" : "\(count) times")"
          }
        }
      }
    }
  }

  private func line(_ row: Row, id: String) -> HTML {
    tag(.tr) {
      cell("tight") { ago(row.at, now: now) }
      cell("text") {
        tag(.p) {
          tag(.a, .id(id), .href(row.address)) { name(row.story?.title ?? row.function, longest: 200) }
          if let state = row.event?.state, state != .done {
            " "
            StateOfEvent.of(state)
          }
        }
        if let story = row.story { story.people }
        if row.toldNobody { tag(.p) { "nobody had to be told" } }
        tag(.small) {
          name(small(row), longest: 200)
          if let person = row.event?.key.flatMap({ people[$0] }) {
            " · for "
            person
          }
        }
        if row.others > 0 {
          tag(.small) {
            " · "
            tag(.a, .href(Address().with("q", "function:\(row.function) state:done"))) { "\(row.others) more like it" }
          }
        }
        if let event = row.event {
          why(event)
          if event.state == .dead { tag(.p) { tag(.a, .href(row.address)) { "What to do" } } }
        }
      }
      cell {
        if let story = row.story {
          story.push
          if story.otherTexts > 0 { tag(.p) { tag(.a, .href(row.address)) { "and \(story.otherTexts) more" } } }
        }
      }
    }
  }

  /// The row's words for those who know the functions.
  private func small(_ row: Row) -> String {
    guard let event = row.event else { return row.function }
    let key = event.key.flatMap { people[$0] == nil ? $0 : nil }
    let what = row.story == nil ? [event.kind, key] : [row.function]
    let took = event.milliseconds.flatMap { $0 < Self.slow ? nil : "took \(TimeText.length($0 / 1_000))" }
    return (what + [event.attempts > 1 ? "\(event.attempts) attempts" : nil, took]).compactMap(\.self)
      .joined(separator: " · ")
  }

  @HTMLBuilder private func why(_ event: EventSummary) -> HTML {
    if event.state == .waiting, let blocker = event.blocker {
      tag(.p) {
        "behind "
        tag(.a, .href(Address("event", blocker).with("function", event.function))) { name(blocker, longest: 80) }
      }
    } else {
      let reason = reason(event)
      if !reason.isEmpty { tag(.p) { name(reason, longest: 240) } }
    }
  }

  /// The reason of its state, in a few words; the event's own page has all.
  private func reason(_ event: EventSummary) -> String {
    let failure = event.code.flatMap { $0 == "OK" ? nil : $0 }.map { code in
      "\(code)\(event.error.map { ": \($0.firstLine)" } ?? "")"
    }
    let state = report[event.function]
    switch event.state {
    case .running, .done: return ""
    case .failed, .dead: return failure ?? ""
    case .retrying:
      let due = event.runAt.map { $0 > now ? "next try in \(TimeText.length($0.timeIntervalSince(now)))" : "due" }
      return [due, failure].compactMap(\.self).joined(separator: ": ")
    case .waiting:
      if let outage = state?.outage { return "the target is away: \(outage)" }
      if let pause = state?.paused { return "the function is paused: \(pause.code): \(pause.message)" }
      guard let state else { return "this runner has no such function" }
      if report.partitions.isEmpty { return "no part of the queue is held here" }
      if let partition = event.partition, !report.partitions.contains(partition) {
        return "its part of the queue is not held here"
      }
      let isAtLimit = limits[event.function].map { state.running >= $0 } ?? false
      return isAtLimit ? "the function is at its limit: \(state.running) run" : "its turn"
    }
  }
}

extension EventSummary {
  /// Its page.
  var address: Address { Address("event", id).with("function", function) }

  /// Whether its function did not take it as it is.
  var isRefused: Bool { code == "INVALID_EVENT" }
  /// Whether it was never given to its function, and is not kept.
  var isTooLarge: Bool { code == "TOO_LARGE" }
  /// Whether it fails again as it is.
  var isHopeless: Bool { isRefused || isTooLarge }
}

/// An event's state for the eye.
enum StateOfEvent {
  static func of(_ state: EventSummary.State) -> HTML {
    let kind =
      switch state {
      case .waiting: ""
      case .running: "busy"
      case .retrying: "notice"
      case .dead, .failed: "bad"
      case .done: "good"
      }
    return badge(state.rawValue, kind)
  }
}
