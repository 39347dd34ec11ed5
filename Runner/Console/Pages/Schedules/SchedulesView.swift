import CLI
import Documents
import FoundationEssentials
import Inspection

/// All schedules, with the next day on an axis.
struct SchedulesView {
  var lines: [ScheduleLine]
  /// The occurrences of the next 24 hours, at most 300 each, in seconds since 1970.
  var coming: [String: [Int64]]
  var clock: ClockReading
  var mayAct: Bool
  /// Whether this runner fires schedules.
  var isServing: Bool
  var token: String
  var done: String?

  var page: Page {
    Page("Schedules", in: "schedules", live: [.schedules]) {
      tag(.div, .region("schedules"), .data("news", "The schedules have changed.")) {
        if lines.isEmpty {
          emptiness("functions.json has no schedules.") {
            tag(.p) {
              "A trigger such as "
              tag(.code) { #"{"schedule": "0 9 * * 1-5"}"# }
              " makes one."
            }
          }
        } else {
          if !isServing {
            tag(.p, .class("callout notice")) { "This runner fires no schedules now; another one may." }
          }
          list
        }
      }
      part("The clock") {
        tag(.p) {
          clock.isVirtual ? "It is " : "Events go by real time: "
          time(clock.now, now: clock.now)
          clock.isVirtual
            ? " for events: \(TimeText.length(abs(clock.offset))) \(clock.offset > 0 ? "ahead of" : "behind") real time."
            : "."
        }
        tag(.p) { tag(.a, .class("button"), .href(Address("clock"))) { "Move the clock" } }
      }
    }
  }

  private var list: HTML {
    table("Schedules", ["schedule", "when", "next", "the next 24 hours", "last", "outcome"], class: "stack") {
      for line in lines { row(line) }
    }
  }

  private func row(_ line: ScheduleLine) -> HTML {
    tag(.tr) {
      tag(.th, .scope("row")) {
        tag(.a, .id("s-\(line.name)"), .href(Address("schedules", line.name))) { name(line.name) }
      }
      cell {
        tag(.code) { name(line.expression) }
        tag(.br)
        tag(.small) { name(line.timezone) }
      }
      cell("tight labelled") {
        if line.pausedAt != nil {
          badge("paused", "notice")
        } else if let next = line.next {
          unseen("next ")
          occurrence(next, now: clock.now)
          tag(.br)
          tag(.small) {
            next > clock.now ? "in \(TimeText.length(next.timeIntervalSince(clock.now)))" : "due"
          }
        } else {
          tag(.span, .class("faint")) { "not served yet" }
        }
      }
      cell { if line.pausedAt == nil { axis(line) } }
      cell("tight labelled") {
        unseen("last ")
        line.last.map { occurrence($0.scheduledTime, now: clock.now) } ?? HTML("never")
      }
      cell { if let last = line.last { OutcomeOfFire.html(last) } }
    }
  }

  /// The occurrences of a day from left to right; a line where they stand too close to be told apart.
  private func axis(_ line: ScheduleLine) -> HTML {
    let times = coming[line.name] ?? []
    let start = clock.now.timeIntervalSince1970
    let label =
      times.count >= 300 ? "\(line.name): more than 300 times in 24 hours" : "\(line.name): \(times.count) in 24 hours"
    return tag(.svg, .class("axis"), .viewBox(240, 16), .role("img"), .aria("label", label)) {
      tag(.line, .x1(0), .y1(8), .x2(240), .y2(8))
      for hour in [6.0, 12, 18] { tag(.line, .x1(hour * 10), .y1(3), .x2(hour * 10), .y2(13)) }
      if times.count > 100 {
        tag(.rect, .x(0), .y(5), .width(240), .height(6))
      } else {
        for time in times { tag(.circle, .cx(min(237, max(3, (Double(time) - start) / 360))), .cy(8), .r(3)) }
      }
    }
  }
}

/// The outcome of an occurrence.
enum OutcomeOfFire {
  static func html(_ fire: ScheduleFire) -> HTML {
    let kind =
      switch fire.outcome {
      case "OK": "good"
      case "waiting", nil: fire.skipped == nil ? "" : "notice"
      default: "bad"
      }
    guard !fire.outcomeText.isEmpty else { return tag(.span, .class("faint")) { "no longer known" } }
    return badge(fire.outcomeText.clipped(to: 80), kind)
  }
}
