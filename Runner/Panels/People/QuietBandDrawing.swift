import CLI
import Console
import FoundationEssentials
import FunctionKit

/// The next 48 hours by a person's clock: when it is quiet, when days begin, and when clocks change.
struct QuietBandDrawing {
  let band: RawJSON
  /// When a push that is sent now is shown.
  let shownAt: Date?
  let app: String

  private static let (width, height) = (960.0, 44.0)

  var html: HTML {
    guard let from = band.date("from"), let until = band.date("until"), until > from else { return HTML() }
    func place(_ date: Date) -> Double {
      min(1, max(0, date.timeIntervalSince(from) / until.timeIntervalSince(from))) * Self.width
    }
    let quiet = band["quiet"]?.list ?? []
    let changes = band["changes"]?.list ?? []
    return tag(.figure, .class("band")) {
      tag(
        .svg, .class("axis"), .viewBox(Int(Self.width), Int(Self.height)), .role("img"),
        .aria("label", "Quiet hours of \(app) in the next 48 hours: \(words(quiet, changes))")
      ) {
        tag(.rect, .class("day"), .x(0), .y(8), .width(Self.width), .height(20))
        for span in quiet {
          if let start = span.date("from"), let end = span.date("until") {
            tag(.rect, .class("night"), .x(place(start)), .y(8), .width(place(end) - place(start)), .height(20))
          }
        }
        for day in band["days"]?.list ?? [] {
          if let at = day.date("at") {
            tag(.line, .x1(place(at)), .x2(place(at)), .y1(4), .y2(32))
            tag(.text, .x(place(at) + 4), .y(42)) { String((day.string("day") ?? "").suffix(5)) }
          }
        }
        for change in changes {
          if let at = change.date("at") {
            tag(.line, .class("change"), .x1(place(at)), .x2(place(at)), .y1(0), .y2(36))
          }
        }
        if let shownAt { tag(.circle, .cx(max(5, place(shownAt))), .cy(18), .r(5)) }
      }
      tag(.figcaption, .class("faint")) { words(quiet, changes) }
    }
  }

  private func words(_ quiet: [RawJSON], _ changes: [RawJSON]) -> String {
    let zone = band.string("zone") ?? ""
    let spans = quiet.map { $0.string("hours") ?? "" }.joined(separator: ", then ")
    let change = changes.map { "; clocks go from \($0.string("before") ?? "") to \($0.string("after") ?? "")" }.joined()
    return (quiet.isEmpty ? "never quiet" : "quiet \(spans)")
      + " (\(zone))\(change). The dot is when a push sent now is shown."
  }
}
