import CLI
import Cron
import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import TimeZones

/// One schedule: when it fires, in its zone and UTC, and what became of it.
struct ScheduleView {
  var line: ScheduleLine
  /// The next occurrences, in seconds since 1970.
  var next: [Int64]
  var schedule: CronSchedule
  var history: [ScheduleFire]
  var clock: ClockReading
  var mayAct: Bool
  var token: String
  var done: String?

  var page: Page {
    Page(line.name, in: "schedules", live: [.schedules]) {
      if let done, ["paused", "resumed"].contains(done) {
        tag(.p, .class("callout good"), .role("status")) { "It is \(done)." }
      }
      facts([
        ("when", tag(.code) { name(line.expression) }), ("zone", name(line.timezone)),
        ("function", tag(.a, .href(Address("functions", line.function))) { name(line.function) }),
        ("while it runs", HTML(overlap)), ("missed ones", HTML(catchUp)),
      ])
      if mayAct { buttons }
      tag(.div, .region("schedule"), .data("news", "The schedule has changed."), .class("columns")) {
        part("Next") { coming }
        part("History") { past }
      }
    }
  }

  private var overlap: String {
    switch line.overlap {
    case "skip": "the next one is left out"
    case "allow": "the next one runs beside it"
    default: "the next one waits"
    }
  }

  private var catchUp: String {
    switch line.catchup {
    case "none": "are left out"
    case "all": "are made up"
    default: "are made up once"
    }
  }

  private var buttons: HTML {
    tag(.div, .class("buttons block")) {
      // Two presses fire one.
      ActForm(
        "Fire one now", at: Address("schedules", line.name, "fire"), [("sure", RandomID.make())], id: "fire"
      ).html(token: token)
      line.pausedAt == nil
        ? ActForm("Pause", at: Address("schedules", line.name, "pause"), id: "pause").html(token: token)
        : ActForm("Resume", at: Address("schedules", line.name, "resume"), id: "pause").html(token: token)
    }
  }

  private var coming: HTML {
    if let paused = line.pausedAt {
      return tag(.p, .class("callout notice")) {
        "Paused since "
        time(paused, now: clock.now)
        ": nothing is due, and nothing will be made up."
      }
    }
    guard !next.isEmpty else { return emptiness("It does not fire again.") }
    let isUTC = line.timezone == "UTC"
    let hasNotes = next.contains { note($0) != nil }
    let columns = (isUTC ? [] : [line.timezone]) + ["UTC"] + (hasNotes ? ["note"] : [])
    return table("Next occurrences", columns, class: "stack brief") {
      for fire in next {
        tag(.tr) {
          if !isUTC { cell("tight") { local(fire) } }
          cell("tight") { occurrence(Date(timeIntervalSince1970: Double(fire)), now: clock.now) }
          if hasNotes { cell { if let note = note(fire) { tag(.small) { note } } } }
        }
      }
    }
  }

  private func local(_ fire: Int64) -> String {
    TimeText.onPage(local: schedule.zone.rfc3339(at: fire), now: TimeText.of(clock.now), hasSeconds: fire % 60 != 0)
  }

  private func note(_ fire: Int64) -> String? {
    switch schedule.clockChange(at: fire) {
    case .madeUp: "made up: the clock skipped its time"
    case .firstOfTwo: "the clock shows this time twice: the first"
    case .secondOfTwo: "the clock shows this time twice: the second"
    case nil: nil
    }
  }

  private var past: HTML {
    guard !history.isEmpty else { return emptiness("It has not fired yet.") }
    let hasManual = history.contains(where: \.manual)
    return table(
      "History", ["scheduled", "late by"] + (hasManual ? ["fired"] : []) + ["outcome", "took"],
      numbers: ["late by", "took"], class: "stack brief"
    ) {
      for fire in history {
        tag(.tr) {
          cell("tight") {
            tag(.a, .id("h-\(fire.event)"), .href(Address("event", fire.event).with("function", line.function))) {
              fire.manual
                ? time(fire.scheduledTime, now: clock.now, hasSeconds: true)
                : occurrence(fire.scheduledTime, now: clock.now)
            }
          }
          cell("number") {
            TimeText.length(fire.lateBy)
            unseen(" late")
          }
          if hasManual { cell { if fire.manual { badge("by hand") } } }
          cell { OutcomeOfFire.html(fire) }
          cell("number") {
            if let milliseconds = fire.milliseconds {
              unseen("took ")
              TimeText.length(milliseconds / 1_000)
            }
          }
        }
      }
    }
  }
}
