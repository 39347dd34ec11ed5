import Testing

@testable import PushLive

struct FCMPaceTests {
  let start = ContinuousClock.now

  @Test func takesAMinuteFromNothingToThePeak() {
    var pace = FCMPace(messagesPerMinute: 600_000, at: start)

    let bySecond = (0...70).map { second in
      (0..<100).reduce(0) { $0 + pace.take(.max, at: start + .milliseconds(second * 1_000 + $1 * 10)) }
    }

    // The saved-up messages go at once, the tenth second has a sixth of the peak, the last ones the peak.
    #expect((500...600).contains(bySecond[0]))
    #expect((1_500...1_850).contains(bySecond[10]))
    #expect((9_800...10_000).contains(bySecond[65]))
    #expect(zip(bySecond.dropFirst(), bySecond.dropFirst(2)).allSatisfy { $1 >= $0 - 2 })
  }

  @Test func noMinuteSeesMoreThanTheQuota() {
    var pace = FCMPace(messagesPerMinute: 6_000, at: start)
    var sent: [Int] = []
    for tick in 0..<2_400 {
      // Pauses in between save up no more than a burst.
      let demand = tick % 700 < 600 ? Int.max : 0
      sent.append(pace.take(demand, at: start + .milliseconds(tick * 100)))
    }

    let minutes = (0...(sent.count - 600)).map { sent[$0..<$0 + 600].reduce(0, +) }

    #expect(minutes.max() ?? 0 <= 6_000 && minutes.max() ?? 0 > 5_800)
  }

  @Test func aTrickleIsNoWarmingUp() {
    var pace = FCMPace(messagesPerMinute: 600_000, at: start)
    for second in 0..<300 { _ = pace.take(1, at: start + .seconds(second)) }

    let taken = (0..<100).reduce(0) { $0 + pace.take(.max, at: start + .seconds(300) + .milliseconds($1 * 10)) }

    #expect(taken < 700)
  }

  @Test func aMinuteWithoutAMessageIsAColdStart() {
    var pace = FCMPace(messagesPerMinute: 600_000, at: start)
    for tick in 0..<700 { _ = pace.take(.max, at: start + .milliseconds(tick * 100)) }

    #expect(pace.take(.max, at: start + .seconds(200)) == 500)
    #expect(pace.take(.max, at: start + .milliseconds(200_100)) < 10)
  }

  @Test func isHalvedOnceForAllMessagesThatWereOnTheirWay() {
    var pace = FCMPace(messagesPerMinute: 600_000, at: start)
    for tick in 0..<700 { _ = pace.take(.max, at: start + .milliseconds(tick * 100)) }
    let now = start + .seconds(70)

    for _ in 0..<100 { pace.slowDown(sentAt: now - .milliseconds(50), at: now) }

    #expect(pace.take(.max, at: now) == 0)
    let after = (1...100).reduce(0) { $0 + pace.take(.max, at: now + .milliseconds($1 * 10)) }
    #expect((4_800...5_300).contains(after))
  }

  @Test func saysHowLongToWait() {
    var pace = FCMPace(messagesPerMinute: 60, at: start)

    #expect(pace.take(5, at: start) == 1)
    #expect(pace.wait == .seconds(1))
    #expect(pace.take(5, at: start + .seconds(59)) == 1)
  }
}
