import CLI
import Documents
import FoundationEssentials

/// The clock, and what comes due on the way to another time.
struct ClockView {
  /// Times that come due because of one schedule, of one function's failed events, or of work that a function put off.
  struct DueLine: Sendable {
    enum Cause: Sendable {
      case schedule, retries, wakeUp

      var word: String {
        switch self {
        case .schedule: "schedule"
        case .retries: "retries"
        case .wakeUp: "wake-up"
        }
      }
    }

    var cause: Cause
    /// The schedule's or the function's.
    var name: String
    var due: DueTimes
  }

  /// The most occurrences of a schedule that are counted.
  static let most = 10_000
  /// How far the list reaches until somebody says another span.
  static let usualSpan = "1d"

  var clock: ClockReading
  /// How far somebody thinks of moving it; `nil` until they say so.
  var span: String?
  /// Where that leads, or where the list ends.
  var end: Date
  var lines: [DueLine]
  /// The people who are told later of something that waits: empty if nobody is, `nil` if nothing is known.
  var waiting: HTML?
  var mayAct: Bool
  var token: String

  var page: Page {
    Page("Clock", in: "clock") {
      tag(.p) {
        clock.isVirtual ? "Events go by a clock of their own: " : "Events go by real time: "
        time(clock.now, now: clock.now)
        if clock.isVirtual {
          ", \(TimeText.length(abs(clock.offset))) \(clock.offset > 0 ? "ahead of" : "behind") real time"
        }
        "."
      }
      tag(.form, .class("search"), .get, .action(Address("clock"))) {
        tag(.label) {
          "Forward by, or to a time of day in UTC"
          tag(
            .input, .name("span"), .value(span ?? ""), .placeholder("15m, 36h, 8d, 22:00"), .required,
            .autocomplete("off"), .noSpelling)
        }
        tag(.button) { "What would happen?" }
        tag(.span, .class("buttons")) {
          for choice in ["15m", "1h", "12h", "1d", "8d", "22:00"] {
            tag(.a, .class("badge"), .href(Address("clock").with("span", choice))) {
              choice.contains(":") ? "\(choice) UTC" : choice
            }
          }
        }
      }
      part("What comes due \(span == nil ? "in the next 24 hours" : "until \(TimeText.onPage(end, now: clock.now))")") {
        summary
        if let waiting, !waiting.isEmpty {
          // The list stands first, and beside the cards where there is room: they are as high as what they say is long.
          tag(.div, .class("columns")) {
            if !lines.isEmpty { tag(.div) { schedule } }
            tag(.div) {
              tag(.h3) { "Who is told then, unless something changes" }
              waiting
            }
          }
        } else {
          schedule
        }
        if span != nil { move }
      }
      if clock.isVirtual, mayAct { part("Back to real time") { back } }
    }
  }

  /// A sentence about what comes due at the end, or that nothing does, and whether anybody is told.
  private var summary: HTML {
    tag(.p) {
      if lines.isEmpty {
        if span == nil { "In the next 24 hours" } else { HTML("Until ") + time(end, now: clock.now) }
        " nothing comes due: no schedule, no retry, and no function has asked to run."
      } else {
        if let names = dueAtEnd {
          "At "
          time(end, now: clock.now)
          if names.isEmpty {
            " nothing comes due. "
          } else {
            HTML(" ") + names.htmlList + HTML(names.count == 1 ? " comes due. " : " come due. ")
          }
        }
        "Each of these may make further events, which are not listed."
      }
      if let waiting, waiting.isEmpty { " Nobody waits to be told until then." }
    }
  }

  /// The names of what comes due in the last minute, where somebody has asked for that minute; `nil` where it is not known.
  private var dueAtEnd: [String]? {
    let moment = Int64(end.timeIntervalSince1970)
    guard span != nil, moment.isMultiple(of: 60), end.timeIntervalSince1970 == Double(moment),
      lines.allSatisfy({ $0.due.reach == nil || $0.due.last == moment })
    else { return nil }
    var names: [String] = []
    for line in lines where line.due.last == moment && !names.contains(line.name) { names.append(line.name) }
    return names
  }

  @HTMLBuilder private var schedule: HTML {
    if !lines.isEmpty {
      slider
      list
    }
  }

  @HTMLBuilder private var back: HTML {
    if let last = clock.lastFire {
      tag(.p) {
        "Not before "
        time(last, now: clock.now)
        " in real time: schedules have fired until then, and what has happened would lie in the future. "
        "For a fresh start, end the runner and use an empty database. If the runner keeps the database itself, "
        tag(.code) { "runner reset" }
        " deletes it, and the next start makes a new one in real time."
      }
    } else {
      tag(.p) { "That is refused if rows are stamped later than now." }
      ActForm("Back to real time", at: Address("clock", "realtime"), id: "realtime").html(token: token)
    }
  }

  /// The clock, as `runner clock --json` prints it, and what comes due.
  var data: PageData {
    PageData(ClockDocument(now: clock.now, offset: clock.offset), extent: "the clock as JSON, what comes due as CSV") {
      [lines] in
      func instant(_ seconds: Int64?) -> String? {
        seconds.map { TimeText.exact(Date(timeIntervalSince1970: Double($0))) }
      }
      return CSV(
        lines,
        [
          ("what", { $0.cause.word }), ("name", { $0.name }),
          ("how often", { "\($0.due.count)\($0.due.count >= Self.most ? "+" : "")" }),
          ("first", { instant($0.due.first) }), ("last", { instant($0.due.last) }),
        ])
    }
  }

  /// Appears where scripts run: they take the moments from the list's rows.
  private var slider: HTML {
    // A moment stands on the slider only if everything that is due until then is listed.
    let through = lines.compactMap(\.due.reach).min()
    let isShort = through.map { Double($0) < end.timeIntervalSince1970 } ?? false
    return tag(.div, .id("slide"), .class("slide"), .hidden) {
      tag(.label) {
        "Slide to a moment"
        tag(
          .input, .type("range"), .id("moments"), .min(0), .max(1), .value("0"), .autocomplete("off"),
          .data("now", "\(Int(clock.now.timeIntervalSince1970))"),
          .data("through", "\(through ?? Int64(end.timeIntervalSince1970))"))
      }
      tag(.output, .id("moment"), .for("moments"), .aria("live", "off"))
      if isShort, let through {
        tag(.p, .class("faint")) {
          "It ends at "
          time(Date(timeIntervalSince1970: Double(through)), now: clock.now)
          ": more is not listed at once."
        }
      }
    }
  }

  private var list: HTML {
    table("What would come due", ["what", "how often", "first", "last"], numbers: ["how often"], class: "stack") {
      for line in lines {
        tag(.tr, .data("due", line.due.text)) {
          tag(.th, .scope("row")) {
            switch line.cause {
            case .schedule: tag(.a, .href(Address("schedules", line.name))) { name(line.name) }
            case .retries: HTML("retries of ") + name(line.name)
            case .wakeUp: name(line.name) + HTML(" runs, as it has asked to")
            }
          }
          cell("number") {
            "\(line.due.count)\(line.due.count >= Self.most ? "+" : "")"
            unseen(line.due.count == 1 ? " time" : " times")
            if line.cause == .schedule, let rhythm = line.due.rhythm {
              tag(.br)
              tag(.small) { rhythm }
            }
          }
          cell("tight labelled") { labelled("first", line.due.first) }
          cell("tight labelled") { if line.cause != .wakeUp, line.due.count > 1 { labelled("last", line.due.last) } }
        }
      }
    }
  }

  private var move: HTML {
    guard mayAct else { return tag(.p, .class("faint")) { "This console is read-only." } }
    let name = TimeText.onPage(end, now: clock.now, hasSeconds: true)
    return ActForm(
      "Move the clock to \(name)", at: Address("clock", "advance"), [("to", TimeText.of(end))], id: "advance"
    ).html(token: token)
      + tag(.p, .class("faint")) { "It takes a while: everything on the way happens when it comes due." }
  }

  /// An instant, with its column's name where the table has no columns.
  @HTMLBuilder private func labelled(_ label: String, _ seconds: Int64?) -> HTML {
    if let instant = instant(seconds) {
      unseen("\(label) ")
      instant
    }
  }

  private func instant(_ seconds: Int64?) -> HTML? {
    seconds.map { time(Date(timeIntervalSince1970: Double($0)), now: clock.now) }
  }
}

extension [String] {
  /// The names as a part of a sentence: `one, another and a third`.
  fileprivate var htmlList: HTML {
    enumerated().reduce(into: HTML()) { html, element in
      if element.offset > 0 { html += HTML(element.offset == count - 1 ? " and " : ", ") }
      html += name(element.element)
    }
  }
}
