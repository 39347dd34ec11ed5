import FoundationEssentials
import FunctionKit

/// A line over the last hour with its axis: the highest value, and the time.
///
/// The texts stand beside the drawing, so that they are as large as others on every screen.
struct LineChart {
  /// The minutes that it shows.
  static let length = 60
  private static let (width, height) = (600.0, 100.0)

  /// What it shows, such as `Failed a minute`.
  var title: String
  /// Unique in the page.
  var id: String
  /// A value a minute, the newest last; fewer than ``length`` where the runner has not run for so long.
  var values: [Double]
  /// The time of the newest value.
  var now: Date
  /// Whether more of it is worse.
  var isOfFailures = false

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
        if highest > 0 { tag(.path, .class(isOfFailures ? "line bad" : "line"), .d(line)) }
      }
      tag(.div, .class("times"), .aria("hidden", "true")) {
        for minutes in [60, 40, 20, 0] { tag(.span) { "\(time(minutes))\(minutes == 0 ? " UTC" : "")" } }
      }
    }
  }

  /// The values now and at their highest.
  private var summary: String {
    guard let last = values.last else { return "is known in a minute" }
    guard highest > 0, let index = values.lastIndex(of: highest) else { return "0 all the hour" }
    return "\(Self.written(last)) now, at most \(Self.written(highest)) at \(time(values.count - 1 - index)) UTC"
  }

  /// The time of the day that many minutes ago.
  private func time(_ minutes: Int) -> String {
    String(RFC3339.string(now.addingTimeInterval(Double(-60 * minutes))).dropFirst(11).prefix(5))
  }

  private var line: String {
    let first = Self.length - values.count
    // One value alone is a line of a minute.
    let points = values.count == 1 ? [values[0], values[0]] : values
    let start = values.count == 1 ? first - 1 : first
    return points.enumerated().map { index, value in
      let x = Double(start + index) * Self.width / Double(Self.length - 1)
      let y = Self.height - 1 - max(0, value) / highest * (Self.height - 2)
      return "\(index == 0 ? "M" : "L")\(Attribute.written(x)) \(Attribute.written(y))"
    }.joined()
  }

  /// With a decimal where it is small.
  static func written(_ value: Double) -> String {
    value < 10 ? Attribute.written(value) : "\(Int(value.rounded()))"
  }
}
