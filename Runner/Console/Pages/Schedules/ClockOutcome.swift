import CLI
import Documents
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

  private func row(_ json: RawJSON) -> HTML {
    let line = try? JSONCoding.decode(ClockLine.self, from: json)
    return tag(.tr) {
      // A journal of the bundle's own may have members of these names with other values.
      cell("tight") { (line?.time ?? json["time"]?.stringValue.flatMap(RFC3339.date)).map { time($0) } }
      cell { name(line?.function ?? json["function"]?.stringValue ?? "") }
      cell("text") {
        if let line, let code = line.code {
          badge(code, code == "OK" ? "good" : "bad")
          " "
          if let event = line.event {
            tag(.a, .href(Address("event", event).with("function", line.function))) { name(line.kind ?? event) }
          }
        } else {
          tag(.code) { name(json.bytesText, longest: 600) }
        }
      }
      cell("number") { line?.milliseconds.map { TimeText.length($0 / 1_000) } ?? "" }
    }
  }
}

extension RawJSON {
  fileprivate var bytesText: String { String(decoding: onOneLine.bytes, as: UTF8.self) }
}
