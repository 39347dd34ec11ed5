import FoundationEssentials
import Metrics
import Testing

@testable import Console

/// The lines of the last hour.
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
    let html = HourCharts([function], now: Self.now).html.source

    #expect(html.contains(">Ended a second</strong> 0.1 now, at most 2 at 07:58 UTC"))
    #expect(html.contains(">Failed a minute</strong> 0 all the hour"))
    #expect(html.contains(">Waiting in this runner</strong> 1234 now, at most 1234 at 08:00 UTC"))
    #expect(html.contains("<span>07:00</span>") && html.contains("<span>08:00 UTC</span>"))
    #expect(html.contains(#"aria-labelledby="hour-ended-title""#))
    #expect(html.contains(#"<desc id="hour-ended-text">0.1 now"#))
    // The first of three minutes stands at the 58th place of the hour.
    #expect(html.contains(#"class="line" d="M579.7 1L589.8 "#) && !html.contains("line bad"))
  }

  @Test func aRunnerThatHasJustBegunSaysSo() {
    #expect(HourCharts([], now: Self.now).html.source.contains("is known in a minute"))
    let one = LineChart(title: "t", id: "i", values: [5], now: Self.now).html.source
    #expect(one.contains(#"d="M589.8 1L600 1""#))
  }
}
