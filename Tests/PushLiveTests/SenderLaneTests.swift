import Notifications
import Testing

@testable import PushLive

struct SenderLaneTests {
  let start = ContinuousClock.now

  @Test func mayConnectAtOnceAtFirst() {
    #expect(SenderLane().pause(at: start) == nil)
  }

  @Test func waitsLongerWithEveryFailureInARow() {
    var lane = SenderLane()
    let pauses = (0..<8).map { _ in
      lane.failed("refused", at: start)
      return lane.pause(at: start)
    }

    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(lane.pause(at: start + .seconds(60)) == nil)
  }

  @Test func forgetsItsFailuresOnceAConnectionProvesItself() {
    var lane = SenderLane()
    for _ in 0..<5 { lane.failed("refused", at: start) }

    lane.proved()
    lane.failed("refused", at: start)

    #expect(lane.pause(at: start) == .seconds(1))
  }

  @Test func followsAProvenConnectionAtOnce() {
    var lane = SenderLane()
    for _ in 0..<10 {
      lane.proved()
      lane.ended("gone away", at: start)
      #expect(lane.pause(at: start) == nil)
    }
  }

  @Test func allowsOneUselessConnectionBeforeItWaits() {
    var lane = SenderLane()

    lane.ended("gone away", at: start)
    #expect(lane.pause(at: start) == nil)

    lane.ended("gone away", at: start)
    #expect(lane.pause(at: start) == .seconds(2))
  }

  @Test func holdsAnAppAndNoOther() {
    var holds = SenderHolds()
    let (app, other) = (
      SenderHolds.App(environment: .sandbox, topic: "com.example.a"),
      SenderHolds.App(environment: .sandbox, topic: "com.example.b")
    )

    holds.note(.holdApp, app, at: start)

    #expect(holds.pause(app, at: start) == RetryTiming.configuration)
    #expect(holds.pause(other, at: start) == nil)
    #expect(holds.pause(app, at: start + RetryTiming.configuration) == nil)
  }

  @Test func holdsEveryAppOfATeam() {
    var holds = SenderHolds()
    let app = SenderHolds.App(environment: .sandbox, topic: "com.example.a")

    holds.note(.holdTeam, app, at: start)
    holds.note(.holdApp, app, at: start)

    #expect(holds.pause(app, at: start) == RetryTiming.team)
    let other = SenderHolds.App(environment: .production, topic: "com.example.b")
    #expect(holds.pause(other, at: start + .seconds(60)) == RetryTiming.team - .seconds(60))
  }

  @Test(arguments: [PushVerdict.accepted, .rejected, .unknown, .deviceSuspect, .retryLater(atLeast: nil)])
  func holdsNothingForOtherReasons(verdict: PushVerdict) {
    var holds = SenderHolds()
    let app = SenderHolds.App(environment: .sandbox, topic: "com.example.a")

    holds.note(verdict, app, at: start)

    #expect(holds.pause(app, at: start) == nil)
  }
}
