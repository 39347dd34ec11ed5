import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// 429 `TooManyRequests`: the device as a whole is left in peace, longer each time.
@Suite(.heavy)
struct ThrottledDeviceTests {
  private let throttling = ScriptedClient(.holdDevice(atLeast: nil), status: 429, reason: "TooManyRequests")
  private let accepting = ScriptedClient(.accepted, status: 200)

  @Test func whatIsMadeWhileTheDeviceIsHeldWaitsToo() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    try await fixture.deliver(
      ScriptedClient { push in
        push.device.token == "aa"
          ? .test(.holdDevice(atLeast: nil), status: 429, reason: "TooManyRequests") : .test(.accepted, status: 200)
      }.client)

    try await fixture.enqueueAgain(["aa", "bb"])
    let summary = try await fixture.deliver(accepting.client, after: 30)

    #expect(summary == DeliverySummary(claimed: 2, accepted: 1, retried: 1, wakeAt: fixture.now + 60))
    #expect(accepting.pushes.map(\.device.token) == ["bb"])
    #expect(try await fixture.deliveries("aa").map(\.notBefore) == [fixture.now + 60, fixture.now + 60])
    #expect(try await fixture.deliveries("aa").map(\.reason) == ["TooManyRequests", "TooManyRequests"])
    #expect(try await fixture.deliver(accepting.client, after: 60).accepted == 2)
  }

  @Test func thePauseDoublesWithEachTimeInARowAndASuccessResetsIt() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    var time: TimeInterval = 0
    var pauses: [TimeInterval] = []
    for _ in 0..<8 {
      try await fixture.deliver(throttling.client, after: time)
      let due = try await fixture.delivery("aa").notBefore.timeIntervalSince(fixture.now)
      pauses.append(due - time)
      time = due
    }
    #expect(pauses == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])

    try await fixture.deliver(accepting.client, after: time)
    #expect(try await fixture.device("aa", "throttles") == "0")
    try await fixture.enqueueAgain(["aa"])
    try await fixture.deliver(throttling.client, after: time)

    let due = try await fixture.deliveries("aa").map(\.notBefore).max()
    #expect(due == fixture.now + time + 60)
  }

  /// A device is never held for longer than two hours: such a time is that of a clock that was ahead.
  @Test(arguments: [(1, true), (7_200, true), (7_201, false), (86_400, false)] as [(TimeInterval, Bool)])
  func aHoldOfAWrongClockIsNone(seconds: TimeInterval, isHeld: Bool) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query("UPDATE device_tokens SET held_until = \(fixture.now + seconds)")

    let summary = try await fixture.deliver(accepting.client)

    #expect(summary.accepted == (isHeld ? 0 : 1))
    if isHeld { #expect(try await fixture.delivery("aa").notBefore == fixture.now + seconds) }
  }

  /// The pause is the one after three times in a row.
  @Test func aThrottleAfterAHoldOfAWrongClockHoldsFromNow() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query(
      "UPDATE device_tokens SET held_until = \(fixture.now + 86_400), throttles = 3")

    try await fixture.deliver(throttling.client)

    let held = try await fixture.connection.query(
      "SELECT held_until FROM device_tokens WHERE throttles = 4"
    ).decode("held_until", as: Date.self)
    #expect(held == [fixture.now + 480])
  }

  @Test func anotherDeliverysAttemptsDoNotLengthenThePause() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query("UPDATE deliveries SET attempts = 5")

    try await fixture.deliver(throttling.client)

    #expect(try await fixture.delivery("aa").notBefore == fixture.now + 60)
  }

  @Test func severalAnswersOfOneMomentCountOnce() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    for _ in 0..<4 { try await fixture.enqueueAgain(["aa"]) }
    let late = DeliveryStore.postgres(fixture.connection)
    _ = try await fixture.connection.query("UPDATE deliveries SET not_before = not_before - interval '1 second'")
    let batch = try await late.claim(1, [.apns], fixture.now)

    try await fixture.deliver(throttling.client)
    let pushes = batch.pushes.map { DeliverySettlement.accepted($0, fixture.now) }
    try await late.settle(batch.lease, pushes, fixture.now)

    #expect(try await fixture.device("aa", "throttles") == "1")
    #expect(
      try await fixture.deliveries("aa").filter { $0.state == "queued" }.map(\.notBefore)
        == Array(repeating: fixture.now + 60, count: 4))
  }

  @Test func aDeliveryThatEndsBeforeThePauseDoesExpiresInTime() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.deliver(throttling.client)
    try await fixture.enqueueAgain(["aa"], expiresAt: fixture.now + 40)

    let held = try await fixture.deliver(accepting.client, after: 30)
    let ended = try await fixture.deliver(accepting.client, after: 40)

    #expect(held.wakeAt == fixture.now + 40)
    #expect(ended.expired == 1 && accepting.pushes.isEmpty)
  }

  @Test(arguments: [Seed()]) func twoSendersAtOnceNeverDeadlockOnTheSameDevices(_ seed: Seed) async throws {
    var all = seed.choices
    let fixture = try await DeliveryFixture()
    let tokens = (0..<40).map { "token-\($0)" }
    try await fixture.enqueue(tokens)
    for _ in 0..<10 { try await fixture.enqueueAgain(tokens) }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let seed = all.next()
        group.addTask {
          var choices = SplitMix(seed: seed)
          let store = DeliveryStore.postgres(Connection(url: fixture.url, applicationName: "sender"))
          while true {
            let batch = try await store.claim(20, [.apns], fixture.now)
            guard batch.taken > 0 else { return }
            let settlements = batch.pushes.shuffled(using: &choices).map { push in
              Bool.random(using: &choices)
                ? .accepted(push, fixture.now)
                : DeliverySettlement(push, .test(.holdDevice(atLeast: nil), status: 429), now: fixture.now, jitter: 0)
            }
            try await store.settle(batch.lease, settlements, fixture.now)
          }
        }
      }
      try await group.waitForAll()
    }

    let states = try await fixture.states()
    #expect(states.values.reduce(0, +) == 440)
    #expect(try await fixture.connection.query("SELECT FROM deliveries WHERE lease_id IS NOT NULL").isEmpty)
  }
}
