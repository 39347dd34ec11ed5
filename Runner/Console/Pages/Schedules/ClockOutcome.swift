import CLI
import FoundationEssentials
import FunctionKit

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
