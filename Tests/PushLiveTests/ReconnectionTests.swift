import Testing

@testable import PushLive

struct ReconnectionTests {
  let start = ContinuousClock.now

  @Test func mayConnectAtOnceAtFirst() {
    #expect(Reconnection().pause(at: start) == nil)
  }

  @Test func waitsLongerWithEveryFailureInARow() {
    var reconnection = Reconnection()
    let pauses = (0..<8).map { _ in
      reconnection.failed("refused", at: start)
      return reconnection.pause(at: start)
    }

    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(reconnection.pause(at: start + .seconds(60)) == nil)
  }

  @Test func forgetsItsFailuresOnceAConnectionProvesItself() {
    var reconnection = Reconnection()
    for _ in 0..<5 { reconnection.failed("refused", at: start) }

    reconnection.proved()
    reconnection.failed("refused", at: start)

    #expect(reconnection.pause(at: start) == .seconds(1))
  }

  @Test func followsAProvenConnectionAtOnce() {
    var reconnection = Reconnection()
    for _ in 0..<10 {
      reconnection.proved()
      reconnection.ended("gone away", isProven: true, at: start)
      #expect(reconnection.pause(at: start) == nil)
    }
  }

  @Test func allowsOneUselessConnectionBeforeItWaits() {
    var reconnection = Reconnection()

    reconnection.ended("gone away", isProven: false, at: start)
    #expect(reconnection.pause(at: start) == nil)

    reconnection.ended("gone away", isProven: false, at: start)
    #expect(reconnection.pause(at: start) == .seconds(2))
  }
}
