import FoundationEssentials
import Metrics
import Testing

@testable import Console

/// The bars of the last hour.
struct ChartTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func aMinuteIsSixValuesAndThoseOfAllFunctionsEndTogether() {
    #expect(HourCharts.sum([[1, 2, 3], [10], []]) == [1, 2, 13])
    #expect([Int](1...14).eachMinute { Double($0.reduce(0, +)) } == [33, 69])
    #expect([Int](1...5).eachMinute { Double($0.count) } == [])
  }

  @Test func theAxisNamesTheHighestValueAndTheHour() {
    var function = PulseReading.Function()
    function.ended = [120, 0, 0, 0, 0, 0] + Array(repeating: 1, count: 12)
    function.failed = Array(repeating: 0, count: 18)
    function.queued = Array(repeating: 0, count: 12) + [4, 1_234, 5, 0, 0, 0]
    let html = HourCharts([function], now: Self.now, isBesideClock: false).html.source

    #expect(html.contains(">Ended a minute</strong> 6 events now, at most 120 at 07:58 UTC"))
    #expect(html.contains(">Failed a minute</strong> no events all the hour"))
    #expect(html.contains(">Waiting in this runner</strong> 1234 events now, at most 1234 at 08:00 UTC"))
    #expect(html.contains("<span>07:00</span>") && html.contains("<span>08:00 UTC</span>"))
    #expect(html.contains(#"aria-labelledby="hour-ended-title""#))
    #expect(html.contains(#"<desc id="hour-ended-text">6 events now"#))
    // The first of three minutes stands at the 58th place of the hour.
    #expect(html.contains(#"class="bars" d="M595 "#) && html.contains("M575 99V1\"") && !html.contains("bars bad"))
  }

  @Test func chartsSayThatTheyGoByRealTimeWhereEventsGoByAnotherClock() {
    var function = PulseReading.Function()
    function.ended = [120, 0, 0, 0, 0, 0]
    let (real, moved) = (
      HourCharts([function], now: Self.now, isBesideClock: false).html.source,
      HourCharts([function], now: Self.now, isBesideClock: true).html.source
    )

    #expect(!real.contains("real time"))
    #expect(moved.contains("These charts go by real time"), "\(moved)")
    #expect(moved.contains("120 events now, at most 120 at 08:00 UTC in real time"), "\(moved)")
  }

  @Test func aRunnerThatHasJustBegunSaysSo() {
    #expect(HourCharts([], now: Self.now, isBesideClock: false).html.source.contains("is known in a minute"))
    let one = BarChart(title: "t", id: "i", values: [5], now: Self.now).html.source
    #expect(one.contains(#"d="M595 99V1""#))
  }

  @Test func aMinuteWithoutEventsHasNoBarAndTheNewestStandsAtTheRight() {
    #expect([1, 2, 3, 4].grouped(3) == [1, 9] && [1, 2, 3].grouped(3) == [6] && [Int]().grouped(3) == [])
    let spark = Sparkline([4, 0, 1], label: "l", failures: [0, 0, 1]).html.source
    #expect(spark.contains(#"class="bars" d="M119 23V17.5M115 23V1""#), "\(spark)")
    #expect(spark.contains(#"class="bars bad" d="M119 23V17.5""#))
    let hour = Sparkline(Array(repeating: 1, count: 100), label: "l").html.source
    #expect(hour.matches(of: /M\d+ 23V1/).count == 60 && hour.contains("M1 23V1"))
  }
}
