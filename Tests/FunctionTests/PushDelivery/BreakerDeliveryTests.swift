import EventLoop
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive
import Signing
import Synchronization
import TestSupport
import Testing

@testable import PushDelivery

/// Deliveries that are held and not failed, because the fault is not theirs.
@Suite(.heavy)
struct BreakerDeliveryTests {
  @Test func aRefusedKeyHoldsEverythingThatNeedsItAndSaysSoOnce() async throws {
    let fixture = try await DeliveryFixture()
    let log = LogLines()
    let apns = try await APNsFake(403, "InvalidProviderToken")
    let client = PushClient.apns(try apns.sender(log: log.log, time: SenderTime(ManualClock())))
    try await fixture.enqueue((0..<1_200).map { "token-\($0)" })

    let summary = try await fixture.deliver(client)
    let again = try await fixture.deliver(client, after: 1)

    #expect(summary.retried == 1_200 && again.claimed == 0 && apns.pushes.count == 1)
    #expect(summary.wakeAt == fixture.now + 300)
    #expect(try await fixture.states() == ["queued": 1_200])
    let touched = try await fixture.connection.query(
      "SELECT FROM deliveries WHERE attempts > 0 OR lease_id IS NOT NULL")
    #expect(touched.isEmpty)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").count == 1)
    #expect(log.count("APNs refuses a key") == 1 && log.count("InvalidProviderToken") == 1)
    let lines: [String] = try await fixture.connection.query("SELECT line FROM push_outages").decode("line")
    #expect(lines.count == 1 && lines.first?.hasPrefix("1200 pushes wait for APNs since ") == true)
    #expect(lines.first?.hasSuffix("Z: APNs refuses the key: InvalidProviderToken") == true, "\(lines)")
  }

  @Test func aTeamWithTooManyTokensWaitsAndOtherTeamsGoOn() async throws {
    let apns = try await APNsFake { push, responder in
      let isBlocked = push.jwt?.issuer == "TEAM000001"
      responder.answer(isBlocked ? 429 : 200, isBlocked ? "TooManyProviderTokenUpdates" : nil)
    }
    let keys = try apns.keys([
      .init(keyID: "KEY0000001", teamID: "TEAM000001"),
      .init(keyID: "KEY0000002", teamID: "TEAM000002", topics: ["com.example.other"]),
    ])
    let clock = Mutex(Date.now)
    let log = LogLines()
    let sender = try apns.sender(keys, log: log.log, now: { clock.withLock(\.self) })
    let pushes: [QueuedPush] = (0..<20).flatMap { number -> [QueuedPush] in
      [.test("a\(number)"), .test("b\(number)", topic: "com.example.other")]
    }

    let reports = await sender.send(pushes)
    clock.withLock { $0 += 19 * 60 }
    let later = await sender.send(pushes)

    for reports in [reports, later] {
      #expect(reports.count { $0.verdict == .accepted } == 20)
      #expect(reports.count { $0.topic == "com.example.other" && $0.verdict == .accepted } == 20)
    }
    let blocked = apns.pushes.filter { $0.jwt?.issuer == "TEAM000001" }
    #expect(blocked.count == 1, "nothing is tried before 20 minutes have passed")
    #expect(log.count("refuses further provider tokens") == 1)
  }

  @Test func anAppWithoutATopicIsHeldAndItsDevicesStay() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake(400, "DeviceTokenNotForTopic"))
    try await fixture.enqueue(["aa"])
    try await fixture.connection.script(
      "UPDATE device_tokens SET app = 'mugshot'; UPDATE deliveries SET app = 'mugshot'")

    try await fixture.deliver(try apns.client())

    let delivery = try await fixture.delivery("aa")
    #expect(apns.pushes.isEmpty && delivery.state == "queued" && delivery.attempts == 0)
    #expect(delivery.reason == "NoTopicForApp" && delivery.notBefore == fixture.now + 300)
    #expect(try await fixture.device("aa", "is_active") == "true")
  }

  @Test func aJumpOfBadTokensTouchesNoDevice() async throws {
    let fixture = try await DeliveryFixture()
    let log = LogLines()
    let apns = try await APNsFake(400, "BadDeviceToken")
    let client = PushClient.apns(try apns.sender(log: log.log))
    try await fixture.enqueue(
      (0..<300).map { "token-\($0)" }, environment: "sandbox", lastAcceptedAt: fixture.now, isOnePersons: false)

    let summary = try await fixture.deliver(client)

    #expect(summary.retried == 300 && summary.rejected == 0)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    #expect(try await fixture.connection.query("SELECT FROM deliveries WHERE attempts > 0").isEmpty)
    #expect(log.count("device tokens bad") == 1)
    // The next attempt is made where the device was accepted before, not in the other environment.
    let probes = try await fixture.connection.query("SELECT FROM deliveries WHERE reason = 'BadDeviceToken'")
    #expect(probes.isEmpty)
  }

  @Test func aJumpOfTokensThatBothEnvironmentsCallBadTouchesNoDevice() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake(400, "BadDeviceToken"))
    try await fixture.enqueue(
      (0..<100).map { "token-\($0)" }, registeredAt: fixture.now, lastAcceptedAt: fixture.now - 1, isOnePersons: false)

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary.rejected == 0 && apns.pushes.count == 200)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    #expect(try await fixture.states() == ["queued": 100])
  }

  /// The tokens are made up by one person, made up by a hundred, or were good once and are one person's.
  @Test(arguments: [(true, false), (false, false), (true, true)])
  func madeUpTokensAndOnePersonsHoldNobody(isOnePersons: Bool, wereGood: Bool) async throws {
    let fixture = try await DeliveryFixture()
    let log = LogLines()
    let apns = try await APNsFake { push, responder in
      let isBad = push.token.hasPrefix("bad")
      responder.answer(isBad ? 400 : 200, isBad ? "BadDeviceToken" : nil)
    }
    let client = PushClient.apns(try apns.sender(log: log.log))
    try await fixture.enqueue(
      (0..<100).map { "bad-\($0)" }, environment: wereGood ? "sandbox" : nil,
      lastAcceptedAt: wereGood ? fixture.now : nil, isOnePersons: isOnePersons)
    _ = try await fixture.deliver(client)
    try await fixture.enqueue(["good"])

    let summary = try await fixture.deliver(client, after: 1)

    #expect(summary.accepted == 1)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE is_active").count == 1)
    #expect(log.count("device tokens bad") == 0)
  }

  @Test func aFewBadTokensAmongManyGoodOnesAreDeactivated() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      let isBad = push.token.hasPrefix("bad")
      responder.answer(isBad ? 400 : 200, isBad ? "BadDeviceToken" : nil)
    }
    let tokens = (0..<300).map { $0 % 10 == 9 ? "bad-\($0)" : "good-\($0)" }
    try await fixture.enqueue(tokens, environment: "sandbox", lastAcceptedAt: fixture.now)

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary.accepted == 270 && summary.rejected == 30)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").count == 30)
  }

  @Test func wholeFleetsInTheWrongEnvironmentAreCorrectedAndNotHeld() async throws {
    let fixture = try await DeliveryFixture()
    let seen = Mutex<Set<String>>([])
    let apns = try await APNsFake { push, responder in
      let isProbe = seen.withLock { !$0.insert(push.token).inserted }
      responder.answer(isProbe ? 200 : 400, isProbe ? nil : "BadDeviceToken")
    }
    try await fixture.enqueue((0..<100).map { "token-\($0)" })

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary == DeliverySummary(claimed: 200, accepted: 100, retried: 100))
    let corrected = try await fixture.connection.query("SELECT FROM device_tokens WHERE environment = 'production'")
    #expect(corrected.count == 100)
  }

  @Test func whereNoKeyIsForTheOtherEnvironmentADeviceIsLeftAsItIs() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake(400, "BadDeviceToken"))
    try await fixture.enqueue(["aa"], environment: "sandbox")
    let client = PushClient.apns(try apns.sender(try apns.keys([.init(environments: ["sandbox"])])))

    try await fixture.deliver(client)

    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "rejected" && delivery.reason == "NoKeyForTopic" && apns.pushes.count == 1)
    #expect(try await fixture.device("aa", "is_active") == "true")
  }

  @Test func anAppWithoutAKeyKeepsItsDeliveries() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue(["aa", "bb"])
    _ = try await fixture.connection.query("UPDATE device_tokens SET bundle_id = 'com.other.app' WHERE token = 'bb'")
    let client = PushClient.apns(try apns.sender(try apns.keys([.init(topics: ["com.example.app"])])))

    let summary = try await fixture.deliver(client)

    let held = try await fixture.delivery("bb")
    #expect(summary == DeliverySummary(claimed: 2, accepted: 1, retried: 1, wakeAt: fixture.now + 300))
    #expect(held.state == "queued" && held.attempts == 0)
  }
}
