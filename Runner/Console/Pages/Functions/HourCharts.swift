import FoundationEssentials
import Metrics

/// The last hour of one function, or of all together.
struct HourCharts {
  private let ended: [Double]
  private let failed: [Double]
  private let waiting: [Double]
  private let now: Date

  init(_ functions: [PulseReading.Function], now: Date = .now) {
    ended = Self.sum(functions.map(\.ended)).eachMinute { Double($0.reduce(0, +)) }
    failed = Self.sum(functions.map(\.failed)).eachMinute { Double($0.reduce(0, +)) }
    waiting = Self.sum(functions.map(\.queued)).eachMinute { Double($0.max() ?? 0) }
    self.now = now
  }

  var html: HTML {
    tag(.div, .region("hour"), .class("hours")) {
      BarChart(title: "Ended a minute", id: "hour-ended", values: ended, now: now).html
      BarChart(title: "Failed a minute", id: "hour-failed", values: failed, now: now, isOfFailures: true).html
      BarChart(title: "Waiting in this runner", id: "hour-waiting", values: waiting, now: now).html
    }
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
