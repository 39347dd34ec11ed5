import FoundationEssentials
import FunctionKit

/// A bar for each minute of the last hour, with their axis: the highest value, and the time.
///
/// The texts stand beside the drawing, so that they are as large as others on every screen.
struct BarChart {
  /// The minutes that it shows.
  static let length = 60
  private static let (width, height) = (600.0, 100.0)

  /// The title, such as `Failed a minute`; all charts count events.
  var title: String
  /// Unique in the page.
  var id: String
  /// A value a minute, the newest last; fewer than ``length`` where the runner has not run for so long.
  var values: [Double]
  /// The time of the newest value.
  var now: Date
  /// Whether more of it is worse.
  var isOfFailures = false
  /// Whether the events on the page go by another clock than `now`.
  var isBesideClock = false

  private var highest: Double { values.max() ?? 0 }

  var html: HTML {
    tag(.figure, .class("hour")) {
      tag(.figcaption) {
        tag(.strong) { title }
        " \(summary)"
      }
      tag(.span, .class("high"), .aria("hidden", "true")) { highest > 0 ? Self.written(highest) : "" }
      tag(.span, .class("low"), .aria("hidden", "true")) { "0" }
      tag(
        .svg, .class("chart"), .viewBox(Int(Self.width), Int(Self.height)), .stretched, .role("img"),
        .aria("labelledby", "\(id)-title"), .aria("describedby", "\(id)-text")
      ) {
        tag(.title, .id("\(id)-title")) { "\(title), in the last hour" }
        tag(.desc, .id("\(id)-text")) { summary }
        tag(.path, .class("base"), .d("M0 1H600M0 99H600M200 1V99M400 1V99"))
        if highest > 0 { tag(.path, .class(isOfFailures ? "bars bad" : "bars"), .d(bars)) }
      }
      tag(.div, .class("times"), .aria("hidden", "true")) {
        for minutes in [60, 40, 20, 0] { tag(.span) { "\(time(minutes))\(minutes == 0 ? " UTC" : "")" } }
      }
    }
  }

  /// The values now and at their highest.
  private var summary: String {
    guard let last = values.last else { return "is known in a minute" }
    guard highest > 0, let index = values.lastIndex(of: highest) else { return "no events all the hour" }
    let most = "at most \(Self.written(highest)) at \(time(values.count - 1 - index)) UTC"
    return "\(Self.written(last)) events now, \(most)\(isBesideClock ? " in real time" : "")"
  }

  /// The time of the day that many minutes ago.
  private func time(_ minutes: Int) -> String {
    String(RFC3339.string(now.addingTimeInterval(Double(-60 * minutes))).dropFirst(11).prefix(5))
  }

  /// The newest value stands at the right edge, and a minute without events is empty.
  private var bars: String {
    let (step, last) = (Self.width / Double(Self.length), Self.height - 1)
    return values.suffix(Self.length).reversed().enumerated().filter { $0.element > 0 }.map { index, value in
      let x = Self.width - (Double(index) + 0.5) * step
      let y = last - value / highest * (Self.height - 2)
      return "M\(Attribute.written(x)) \(Attribute.written(last))V\(Attribute.written(y))"
    }.joined()
  }

  /// The value, with a decimal if it is small.
  static func written(_ value: Double) -> String {
    value < 10 ? Attribute.written(value) : "\(Int(value.rounded()))"
  }
}
