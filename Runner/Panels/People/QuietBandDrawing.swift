import CLI
import Console
import Documents
import FoundationEssentials

/// The next 48 hours by a person's clock: when it is quiet, when days begin, and when clocks change.
struct QuietBandDrawing {
  let band: QuietBand
  /// When a push that is sent now is shown.
  let shownAt: Date?
  let app: String

  private static let (width, height) = (960.0, 44.0)

  var html: HTML {
    guard band.until > band.from else { return HTML() }
    func place(_ date: Date) -> Double {
      min(1, max(0, date.timeIntervalSince(band.from) / band.until.timeIntervalSince(band.from))) * Self.width
    }
    return tag(.figure, .class("band")) {
      tag(
        .svg, .class("axis"), .viewBox(Int(Self.width), Int(Self.height)), .role("img"),
        .aria("label", "Quiet hours of \(app) in the next 48 hours: \(words)")
      ) {
        tag(.rect, .class("day"), .x(0), .y(8), .width(Self.width), .height(20))
        for span in band.quiet {
          let (start, end) = (place(span.from), place(span.until))
          tag(.rect, .class("night"), .x(start), .y(8), .width(end - start), .height(20))
        }
        for mute in band.muted {
          tag(.rect, .class("mute"), .x(0), .y(24), .width(place(mute.until)), .height(4))
        }
        for day in band.days {
          tag(.line, .x1(place(day.at)), .x2(place(day.at)), .y1(4), .y2(32))
          tag(.text, .x(place(day.at) + 4), .y(42)) { TimeText.day(day.day) }
        }
        for change in band.changes {
          tag(.line, .class("change"), .x1(place(change.at)), .x2(place(change.at)), .y1(0), .y2(36))
        }
        if let shownAt { tag(.circle, .cx(max(5, place(shownAt))), .cy(18), .r(5)) }
      }
      tag(.figcaption, .class("faint")) { words }
    }
  }

  private func end(of mute: QuietBand.Muted) -> String {
    TimeText.onPage(local: mute.time, now: TimeText.of(band.from))
  }

  private var words: String {
    let spans = band.quiet.map(\.hours).joined(separator: ", then ")
    let change = band.changes.map { "; clocks go from \($0.before) to \($0.after)" }.joined()
    let mutes = band.muted.map { "; \($0.what) is muted until \(end(of: $0))" }.joined()
    return (band.quiet.isEmpty ? "never quiet" : "quiet \(spans)")
      + " (\(band.zone))\(change)\(mutes). The dot is when a push sent now is shown."
  }
}
