import CLI
import FoundationEssentials
import FunctionKit

/// The clock, and what would come due on the way to another time.
struct ClockView {
  struct Ticks: Sendable {
    var name: String
    var function: String
    /// In seconds since 1970, ``most`` at most.
    var times: [Int64]
  }

  /// The most occurrences of a schedule that are counted.
  static let most = 10_000

  var clock: ClockReading
  /// How far somebody thinks of moving it.
  var span: String
  var mayAct: Bool
  var token: String
  /// Where that leads.
  var end: Date?
  var ticks: [Ticks] = []
  /// Failed events that would be tried again, by function: how many, and when the first.
  var retries: [(function: String, number: Int, first: Date)] = []

  var page: Page {
    Page("Clock", in: "clock") {
      tag(.p) {
        clock.isVirtual
          ? "Events go by a clock of their own: \(TimeText.of(clock.now)), \(TimeText.length(abs(clock.offset))) "
            + "\(clock.offset > 0 ? "ahead of" : "behind") real time."
          : "Events go by real time: \(TimeText.of(clock.now))."
      }
      tag(.form, .class("search"), .get, .action(Address("clock"))) {
        tag(.label) {
          "Forward by"
          tag(
            .input, .name("span"), .value(span), .placeholder("90s, 15m, 36h, 8d, 2w"), .required, .autocomplete("off"),
            .noSpelling)
        }
        tag(.button) { "What would happen?" }
        tag(.span, .class("buttons")) {
          for choice in ["15m", "1h", "12h", "1d", "8d"] {
            tag(.a, .class("badge"), .href(Address("clock").with("span", choice))) { choice }
          }
        }
      }
      if let end { preview(end) }
      if clock.isVirtual, mayAct {
        part("Back to real time") {
          tag(.p) { "That is refused while rows are stamped later than now." }
          ActForm("Back to real time", at: Address("clock", "realtime"), id: "realtime").html(token: token)
        }
      }
    }
  }

  private func preview(_ end: Date) -> HTML {
    let count = ticks.reduce(0) { $0 + $1.times.count } + retries.reduce(0) { $0 + $1.number }
    return part("Until \(TimeText.of(end))") {
      tag(.p) {
        count == 0
          ? "No schedule and no retry comes due. What functions have put off for themselves may."
          : "This comes due, and what it makes in turn; besides it, what functions have put off for themselves."
      }
      if count > 0 {
        table("What would come due", ["what", "how often", "first", "last"], numbers: ["how often"]) {
          for tick in ticks.sorted(by: { ($0.times.first ?? 0) < ($1.times.first ?? 0) }) {
            tag(.tr) {
              tag(.th, .scope("row")) { tag(.a, .href(Address("schedules", tick.name))) { name(tick.name) } }
              cell("number") { tick.times.count >= Self.most ? "\(Self.most)+" : "\(tick.times.count)" }
              cell("tight") { instant(tick.times.first) }
              cell("tight") { instant(tick.times.last) }
            }
          }
          for retry in retries {
            tag(.tr) {
              tag(.th, .scope("row")) {
                "retries of "
                name(retry.function)
              }
              cell("number") { "\(retry.number)" }
              cell("tight") { time(retry.first, now: clock.now) }
              cell()
            }
          }
        }
      }
      if mayAct {
        ActForm(
          "Move the clock to \(TimeText.of(end))", at: Address("clock", "advance"), [("span", span)], id: "advance"
        ).html(token: token)
        tag(.p, .class("faint")) { "It takes a while: everything on the way happens when it comes due." }
      } else {
        tag(.p, .class("faint")) { "This console is read-only." }
      }
    }
  }

  private func instant(_ seconds: Int64?) -> HTML? {
    seconds.map { time(Date(timeIntervalSince1970: Double($0)), now: clock.now) }
  }
}

/// What happened while the clock was moved, as `runner clock advance --json` prints it.
struct ClockOutcome {
  var lines: RawJSON

  var page: Page {
    let all = (lines.elements ?? []).filter { $0["time"] != nil }
    return Page("What happened on the way", in: "clock") {
      tag(.p) { tag(.a, .class("button"), .href(Address("clock"))) { "To the clock" } }
      if all.isEmpty {
        emptiness("Nothing that had anything to do came due.")
      } else {
        table("What happened", ["at", "function", "what", "took"], numbers: ["took"], class: "stack") {
          for line in all.prefix(1_000) { row(line) }
        }
      }
      if all.count > 1_000 { tag(.p, .class("faint")) { "The first 1,000 of \(all.count) lines are shown." } }
    }
  }

  private func row(_ line: RawJSON) -> HTML {
    tag(.tr) {
      cell("tight") { line.date("time").map { time($0) } }
      cell { name(line.string("function") ?? "") }
      cell("text") {
        if let code = line.string("code") {
          badge(code, code == "OK" ? "good" : "bad")
          " "
          if let event = line.string("event") {
            tag(.a, .href(Address("event", event).with("function", line.string("function")))) {
              name(line.string("kind") ?? event)
            }
          }
        } else {
          tag(.code) { name(line.bytesText, longest: 600) }
        }
      }
      cell("number") { line["milliseconds"]?.doubleValue.map { TimeText.length($0 / 1_000) } ?? "" }
    }
  }
}

extension RawJSON {
  fileprivate var bytesText: String { String(decoding: onOneLine.bytes, as: UTF8.self) }
}
