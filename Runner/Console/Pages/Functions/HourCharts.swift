import FoundationEssentials
import Metrics

/// The last hour of one function, or of all together.
struct HourCharts {
  private let ended: [Double]
  private let failed: [Double]
  private let waiting: [Double]
  private let now: Date
  private let isBesideClock: Bool

  /// - Parameters:
  ///   - now: real time, in which processes run and are counted.
  ///   - isBesideClock: whether events go by another clock.
  init(_ functions: [PulseReading.Function], now: Date = .now, isBesideClock: Bool) {
    ended = Self.sum(functions.map(\.ended)).eachMinute { Double($0.reduce(0, +)) }
    failed = Self.sum(functions.map(\.failed)).eachMinute { Double($0.reduce(0, +)) }
    waiting = Self.sum(functions.map(\.queued)).eachMinute { Double($0.max() ?? 0) }
    (self.now, self.isBesideClock) = (now, isBesideClock)
  }

  var html: HTML {
    tag(.div, .region("hour"), .class("hours")) {
      if isBesideClock {
        tag(.p, .class("wide callout notice")) {
          "These charts go by real time, not by the clock that events go by: an hour that the clock has skipped is not in them."
        }
      }
      chart("Ended a minute", "ended", ended)
      chart("Failed a minute", "failed", failed, isOfFailures: true)
      chart("Waiting in this runner", "waiting", waiting)
    }
  }

  private func chart(_ title: String, _ id: String, _ values: [Double], isOfFailures: Bool = false) -> HTML {
    BarChart(
      title: title, id: "hour-\(id)", values: values, now: now, isOfFailures: isOfFailures, isBesideClock: isBesideClock
    ).html
  }

  /// The sums of series that end at the same time.
  static func sum(_ series: [[Int]]) -> [Int] {
    let length = series.map(\.count).max() ?? 0
    return (0..<length).map { index in
      series.reduce(0) { sum, values in
        let place = index - (length - values.count)
        return place < 0 ? sum : sum + values[place]
      }
    }
  }
}

extension [Int] {
  /// A value for each minute that is whole, the newest last.
  func eachMinute(_ value: (ArraySlice<Int>) -> Double) -> [Double] {
    let size = 60 / PulseReading.interval
    return stride(from: count % size, to: count, by: size).map { value(self[$0..<$0 + size]) }
  }
}
